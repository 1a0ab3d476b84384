// Which agents are there. Hears of every post (`seen`), answers from memory, and writes down what must outlive a restart
// every few seconds; what a kill takes away is made up for by the newest telemetry.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AgentPresence, Presence } from '@weft/contract';
import type { Caller } from '../../base/caller.ts';
import { PeriodicTask, relaxed } from '../../base/periodic-task.ts';
import { inSlices } from '../../base/time-slices.ts';
import type { AgentRow } from '../../network/agent-rows.ts';
import type { CommandTransports } from '../../network/columns.ts';
import type { Network } from '../../network/network.ts';
import { maxAheadMs, type TelemetryStore } from '../store/telemetry-store.ts';
import { type Hearing, type KnownPresence, toAgentPresence, toUnreported } from './presence.ts';
import { PresenceRecords } from './presence-records.ts';
import { type PresenceListener, PresenceStates } from './presence-states.ts';
import type { PresenceStore } from './presence-store.ts';

const saveEveryMs = 5_000;
/** Where other nodes are asked too, all of them are to say the same within two seconds: this, and `maxBehindMs`, are less together. */
const sharedSaveEveryMs = 700;
/** A millisecond of work. */
const pageSize = 100;
/** Less than a millisecond of work, when very many go at once. */
const atOnce = 200;
/** Other nodes are read at most this often, and what they may have written late, or by other clocks, again; with very many agents less often. */
const followEveryMs = 500;
const relaxedFollowMs = 2_000;
/** Whoever asks waits for it only if it was read longer ago than this. */
const maxBehindMs = 800;
const adoptOverlapMs = 60_000;
/** A clock that has moved by more than this against the machine's own was set. */
const clockToleranceMs = 1_000;

const noTransport: CommandTransports = { channel: false, command_ready: false };

export interface PresenceServiceOptions {
  presence: PresenceStore;
  network: Pick<Network, 'agents' | 'get' | 'fresh' | 'visibleTo' | 'columns'>;
  telemetry: Pick<TelemetryStore, 'latest'>;
  /** What is left of the agent's budget; default, and while it is full: undefined. */
  reportBudget?: (ap_id: string) => AgentPresence['report_budget'];
  /** Whether agents may report to other nodes. */
  hasOtherNodes?: boolean;
  /** Default: it always hears. */
  hearing?: Hearing;
  onError: (error: unknown, message: string) => void;
  /** The wall clock, and one that nobody can set. */
  now?: () => number;
  steadyNow?: () => number;
}

export class PresenceService {
  readonly #options: PresenceServiceOptions;
  readonly #now: () => number;
  readonly #steadyNow: () => number;
  readonly #states: PresenceStates;
  readonly #records: PresenceRecords;
  #clocks: { wall: number; steady: number };
  readonly #saving: PeriodicTask;
  /** When what other nodes have written was last read. */
  #adoptedAt = 0;
  #adopting: Promise<void> | undefined;
  #adoptingTookMs = 0;

  constructor(options: PresenceServiceOptions) {
    this.#options = options;
    this.#records = new PresenceRecords(options.presence);
    this.#states = new PresenceStates(options.hearing);
    this.#now = options.now ?? Date.now;
    this.#steadyNow = options.steadyNow ?? (() => performance.now());
    this.#clocks = { wall: this.#now(), steady: this.#steadyNow() };
    const run = async () => {
      await this.#follow();
      await this.save();
    };
    const everyMs = options.hasOtherNodes ? sharedSaveEveryMs : saveEveryMs;
    const what = 'the writing of the presence of agents';
    this.#saving = new PeriodicTask({ everyMs, relaxedMs: saveEveryMs, what, run, onError: options.onError });
  }

  /** Reads what is known from before, and from now on writes down what comes; a start that failed can be repeated. */
  async start(): Promise<void> {
    const nowMs = this.#now();
    for (const record of await this.#options.presence.list()) {
      const heardNow = this.#states.adopt(record, nowMs);
      if (heardNow) this.#records.changed(heardNow);
    }
    this.#adoptedAt = nowMs;
    const ap_ids = await this.#readAgents();
    await this.#catchUp(ap_ids).catch((error) =>
      this.#options.onError(error, 'the newest telemetry could not be read'),
    );
    this.#saving.start();
  }

  /** Writes down the rest. */
  async stop(): Promise<void> {
    await this.#saving.stop();
    await this.#saving.once();
  }

  /** A post of this agent has been stored. */
  seen(ap_id: string, receivedMs: number): void {
    const { wall, steady } = this.#clocks;
    if (Math.abs(receivedMs - wall - (this.#steadyNow() - steady)) > clockToleranceMs) this.#followClock();
    this.#options.hearing?.look();
    this.#records.changed(this.#states.seen(ap_id, receivedMs));
  }

  /** Only whether they are there, in the same order: for lists of thousands. */
  async words(agents: readonly AgentRow[]): Promise<Presence[]> {
    await this.#follow();
    return agents.map(({ ap_id }) => {
      const state = this.stateOf(ap_id);
      return state === 'never' ? 'offline' : state;
    });
  }

  /** To be called before `stateOf` and `lastSeen`: reads what other nodes have heard, if that was not just done. */
  async followOthers(): Promise<void> {
    if (this.#options.hasOtherNodes) await this.#adoptInTime();
    await this.#follow();
  }

  /** From memory, as of the last `followOthers`; 'never' if it was never heard of. */
  stateOf(ap_id: string): Presence | 'never' {
    return this.#states.get(ap_id)?.presence ?? 'never';
  }

  /** Milliseconds since 1970, from memory. */
  lastSeen(ap_id: string): number | null {
    return this.#states.get(ap_id)?.record.last_seen ?? null;
  }

  /** Everybody that was ever heard of. */
  get names(): Iterable<string> {
    return this.#states.names;
  }

  /** Those that were heard of and are not online, as of the last `followOthers`; without those whose run is over. */
  away(): string[] {
    return Array.from(this.#states.away, ({ record }) => record.ap_id);
  }

  known(ap_id: string): KnownPresence | undefined {
    return this.#states.get(ap_id)?.knownAt(this.#now());
  }

  onChange(listener: PresenceListener): void {
    this.#states.onChange(listener);
  }

  /** How often the agent is to report, by its configuration. */
  configured(ap_id: string, configuredMs: number | undefined): void {
    this.#states.configure(ap_id, configuredMs, this.#now());
  }

  /** Its run is over: thousands of those stay for a while, and nobody waits for them. */
  ended(ap_id: string): void {
    this.#states.end(ap_id);
  }

  /** The agent was removed, here or by another node. Of one that has its name since then, what it has reported counts. */
  gone(ap_id: string, sinceMs = Number.POSITIVE_INFINITY): void {
    const lastSeen = this.lastSeen(ap_id);
    if (lastSeen === null || lastSeen >= sinceMs) return;
    this.#records.forget(this.#states.forget(ap_id));
    this.#records.gone(ap_id);
  }

  of(agent: AgentRow): AgentPresence {
    this.#followClock();
    const { ap_id, configuredMs } = agent;
    const transports = this.#options.network.columns.transports?.(agent) ?? noTransport;
    const tracker = this.#states.configure(ap_id, configuredMs, this.#now());
    if (!tracker) return toUnreported(ap_id, configuredMs, transports);
    const report_budget = this.#options.reportBudget?.(ap_id);
    return toAgentPresence(ap_id, tracker, this.#now(), { ...transports, report_budget });
  }

  /** Of every agent that the caller may see, or those of them that the filter names, ordered by ap_id. */
  async list(caller: Caller, filter?: readonly string[]): Promise<AgentPresence[]> {
    const sight = await this.#options.network.visibleTo(caller);
    await this.followOthers();
    const found: AgentPresence[] = [];
    for await (const page of sight.pages(filter)) for (const agent of page) found.push(this.of(agent));
    return found;
  }

  /** The agent is no more: one that gets its name later starts from nothing. */
  async remove(ap_id: string): Promise<void> {
    this.#records.forget(this.#states.forget(ap_id));
    await this.#options.presence.remove([ap_id]);
  }

  /** Writes down what has changed. */
  save(): Promise<void> {
    return this.#records.save();
  }

  /** While somebody asks again and again, nobody waits for it. */
  async #adoptInTime(): Promise<void> {
    const behindMs = Math.abs(this.#now() - this.#adoptedAt);
    const pauseMs = relaxed(this.#adoptingTookMs, relaxedFollowMs);
    if (behindMs < Math.max(followEveryMs, pauseMs)) return;
    const mayWait = behindMs >= Math.max(maxBehindMs, 3 * pauseMs);
    if (!this.#adopting) {
      this.#adopting = this.#adopt().finally(() => {
        this.#adopting = undefined;
      });
      if (!mayWait) {
        this.#adopting.catch((error) => this.#options.onError(error, 'what other nodes have heard could not be read'));
      }
    }
    if (mayWait) await this.#adopting;
  }

  /** Takes over what other nodes have heard since. */
  async #adopt(): Promise<void> {
    const [now, beganAt] = [this.#now(), this.#steadyNow()];
    for (const record of await this.#options.presence.listSince(this.#adoptedAt - adoptOverlapMs))
      this.#states.adopt(record, now);
    this.#adoptedAt = now;
    this.#adoptingTookMs = this.#steadyNow() - beganAt;
  }

  /** Takes over the intervals of all configurations, and forgets agents that are gone. Changes from then on are told to it. */
  async #readAgents(): Promise<string[]> {
    const { network } = this.#options;
    const candidates = [...this.#states.names];
    await network.fresh();
    await inSlices(network.agents, ({ ap_id, configuredMs }) => this.configured(ap_id, configuredMs));
    for (const ap_id of candidates) if (!network.get(ap_id)) this.gone(ap_id);
    await this.save();
    return network.agents.map(({ ap_id }) => ap_id);
  }

  /** Posts of the last seconds before a kill are not in the records, but they are in the telemetry. */
  async #catchUp(ap_ids: readonly string[]): Promise<void> {
    for (let start = 0; start < ap_ids.length; start += pageSize) {
      const now = this.#now();
      for (const { ap_id, metrics } of await this.#options.telemetry.latest(ap_ids.slice(start, start + pageSize))) {
        let newest = Number.NEGATIVE_INFINITY;
        for (const { ts } of metrics) if (ts <= now + maxAheadMs) newest = Math.max(newest, Math.min(ts, now));
        if (Number.isFinite(newest) && (this.lastSeen(ap_id) ?? 0) < newest) this.seen(ap_id, newest);
      }
      await nextTurn();
    }
  }

  /** A clock that is set, by hand or by a time server, makes no agent late. */
  #followClock(): void {
    this.#options.hearing?.look();
    const clocks = { wall: this.#now(), steady: this.#steadyNow() };
    const jump = clocks.wall - this.#clocks.wall - (clocks.steady - this.#clocks.steady);
    this.#clocks = clocks;
    if (Math.abs(jump) <= clockToleranceMs) return;
    this.#states.shift(jump);
  }

  async #follow(): Promise<void> {
    this.#followClock();
    const nowMs = this.#now();
    while (!this.#states.follow(nowMs, atOnce)) await nextTurn();
  }
}
