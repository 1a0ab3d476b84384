// Which agents are there. Hears of every post (`seen`), answers from memory, and writes down what must outlive a restart
// every few seconds; what a kill takes away is made up for by the newest telemetry.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AgentPresence, Presence } from '@weft/contract';
import type { StateOf } from '../../agents/agent-filter.ts';
import type { AgentService } from '../../agents/agent-service.ts';
import type { Caller } from '../../caller.ts';
import type { TelemetryStore } from '../store/telemetry-store.ts';
import {
  AgentPresenceTracker,
  configuredIntervalMs,
  type Hearing,
  type KnownPresence,
  type PresenceRecord,
} from './presence.ts';
import { toAgentPresence, toNeverConnected } from './presence-answer.ts';
import type { PresenceStore } from './presence-store.ts';

const saveEveryMs = 5_000;
/** How often intervals are looked up although nobody asks, in rounds of saving. */
const refreshEveryRounds = 6;
const pageSize = 1_000;
/** Other nodes are read at most this often, and what they may have written late, or by other clocks, again. */
const followEveryMs = 2_000;
const adoptOverlapMs = 60_000;
/** A clock that has moved by more than this against the machine's own was set. */
const clockToleranceMs = 1_000;

/** How commands reach an agent now. */
export type CommandTransports = Pick<AgentPresence, 'channel' | 'command_ready'>;

const noTransport: CommandTransports = { channel: false, command_ready: false };

export interface PresenceServiceOptions {
  presence: PresenceStore;
  agents: AgentService;
  telemetry: Pick<TelemetryStore, 'latest'>;
  /** Asked for each agent of an answer; default: none. */
  commandTransports?: (ap_id: string, configuration: Record<string, unknown>) => CommandTransports | undefined;
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
  readonly #store: PresenceStore;
  readonly #agents: AgentService;
  readonly #telemetry: Pick<TelemetryStore, 'latest'>;
  readonly #commandTransports: NonNullable<PresenceServiceOptions['commandTransports']>;
  readonly #reportBudget: NonNullable<PresenceServiceOptions['reportBudget']>;
  readonly #hasOtherNodes: boolean;
  readonly #hearing: Hearing | undefined;
  readonly #onError: (error: unknown, message: string) => void;
  readonly #now: () => number;
  readonly #steadyNow: () => number;
  readonly #trackers = new Map<string, AgentPresenceTracker>();
  readonly #unsaved = new Set<AgentPresenceTracker>();
  #clocks: { wall: number; steady: number };
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #rounds = 0;
  /** When what other nodes have written was last read. */
  #adoptedAt = 0;

  constructor(options: PresenceServiceOptions) {
    this.#store = options.presence;
    this.#agents = options.agents;
    this.#telemetry = options.telemetry;
    this.#reportBudget = options.reportBudget ?? (() => undefined);
    this.#commandTransports = options.commandTransports ?? (() => undefined);
    this.#onError = options.onError;
    this.#hasOtherNodes = options.hasOtherNodes ?? false;
    this.#hearing = options.hearing;
    this.#now = options.now ?? Date.now;
    this.#steadyNow = options.steadyNow ?? (() => performance.now());
    this.#clocks = { wall: this.#now(), steady: this.#steadyNow() };
  }

  /** Reads what is known from before, and from now on writes down what comes; a start that failed can be repeated. */
  async start(): Promise<void> {
    for (const record of await this.#store.list()) {
      if (!this.#trackers.has(record.ap_id)) this.#track(record);
    }
    const ap_ids = await this.#refresh();
    await this.#catchUp(ap_ids).catch((error) => this.#onError(error, 'the newest telemetry could not be read'));
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      this.#round = this.#round.then(() => this.#saveAndRefresh());
    }, saveEveryMs);
    this.#timer.unref();
  }

  /** Writes down the rest. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
    await this.save().catch((error) => this.#onError(error, 'the presence of agents could not be saved'));
  }

  /** A post of this agent has been stored. */
  seen(ap_id: string, receivedMs: number): void {
    const { wall, steady } = this.#clocks;
    if (Math.abs(receivedMs - wall - (this.#steadyNow() - steady)) > clockToleranceMs) this.#followClock();
    this.#hearing?.look();
    const tracker = this.#trackers.get(ap_id);
    if (tracker) {
      tracker.seen(receivedMs);
      // Asked of the tracker: a set would look it up for every post.
      if (!tracker.isUnsaved) this.#noteUnsaved(tracker);
      return;
    }
    const first = AgentPresenceTracker.first(ap_id, receivedMs, this.#hearing);
    this.#trackers.set(ap_id, first);
    this.#noteUnsaved(first);
  }

  /** Only whether they are there, in the same order: for lists of thousands. */
  words(agents: readonly { ap_id: string; configuration: Record<string, unknown> }[]): Presence[] {
    this.#followClock();
    return agents.map(({ ap_id, configuration }) => {
      const state = this.stateNow(ap_id, configuredIntervalMs(configuration));
      return state === 'never' ? 'offline' : state;
    });
  }

  /**
   * The states of all agents, also of those that report to other nodes: as they were written down last, unless this node
   * knows something newer.
   */
  async states(): Promise<StateOf> {
    await this.#adopt();
    this.#followClock();
    return (ap_id, configuration) => this.stateNow(ap_id, configuredIntervalMs(configuration));
  }

  /** To be called before `stateNow` and `lastSeen`: reads what other nodes have heard, at most every few seconds. */
  async followOthers(): Promise<void> {
    this.#followClock();
    const isRecent = Math.abs(this.#now() - this.#adoptedAt) < followEveryMs;
    if (this.#hasOtherNodes && !isRecent) await this.#adopt();
  }

  /** The state of an agent that has not ended, from memory; its interval is that of its configuration. */
  stateNow(ap_id: string, configuredMs: number | undefined): Presence | 'never' {
    const tracker = this.#trackers.get(ap_id);
    if (!tracker) return 'never';
    tracker.configuredMs = configuredMs;
    return tracker.presenceAt(this.#now());
  }

  /** Milliseconds since 1970, from memory. */
  lastSeen(ap_id: string): number | null {
    return this.#trackers.get(ap_id)?.record.last_seen ?? null;
  }

  /**
   * All agents that were ever heard of, with their states. `isShared`: others report to other nodes, which is read from the
   * database.
   */
  async known({ isShared }: { isShared: boolean }): Promise<KnownPresence[]> {
    if (isShared) await this.#adopt();
    this.#followClock();
    const nowMs = this.#now();
    return Array.from(this.#trackers.values(), (tracker) => tracker.knownAt(nowMs));
  }

  /** Of one agent, with the interval that its configuration names now. */
  of(ap_id: string, configuration: Record<string, unknown>): AgentPresence {
    this.#followClock();
    const configuredMs = configuredIntervalMs(configuration);
    const transports = this.#commandTransports(ap_id, configuration) ?? noTransport;
    const tracker = this.#trackers.get(ap_id);
    if (!tracker) return toNeverConnected(ap_id, configuredMs, transports);
    tracker.configuredMs = configuredMs;
    const report_budget = this.#reportBudget(ap_id);
    return toAgentPresence(ap_id, tracker, this.#now(), { ...transports, report_budget });
  }

  /** Of every agent that the caller may see, or those of them that the filter names, ordered by ap_id. */
  async list(caller: Caller, filter?: readonly string[]): Promise<AgentPresence[]> {
    const wanted = filter && filter.length > 0 ? new Set(filter) : undefined;
    return (await this.#agents.list(caller))
      .filter(({ ap_id }) => !wanted || wanted.has(ap_id))
      .map(({ ap_id, configuration }) => this.of(ap_id, configuration));
  }

  /** The agent is no more: one that gets its name later starts from nothing. */
  async remove(ap_id: string): Promise<void> {
    this.#forget(ap_id);
    await this.#store.remove([ap_id]);
  }

  /** Writes down what has changed, in one transaction. */
  async save(): Promise<void> {
    const trackers = [...this.#unsaved];
    this.#unsaved.clear();
    for (const tracker of trackers) tracker.isUnsaved = false;
    try {
      await this.#store.update(trackers.map(({ record }) => record));
    } catch (error) {
      for (const tracker of trackers) {
        if (this.#trackers.get(tracker.record.ap_id) === tracker) this.#noteUnsaved(tracker);
      }
      throw error;
    }
  }

  /** Takes over what other nodes have heard since. */
  async #adopt(): Promise<void> {
    const now = this.#now();
    let isAnyNew = false;
    for (const record of await this.#store.listSince(this.#adoptedAt - adoptOverlapMs)) {
      const own = this.#trackers.get(record.ap_id);
      if (own === undefined) {
        this.#track(record);
        isAnyNew = true;
      } else if (record.last_seen > own.record.last_seen) own.adopt(record);
    }
    if (isAnyNew) await this.#refresh();
    this.#adoptedAt = now;
  }

  async #saveAndRefresh(): Promise<void> {
    try {
      this.#followClock();
      await this.save();
      if (++this.#rounds % refreshEveryRounds === 0) await this.#refresh();
    } catch (error) {
      this.#onError(error, 'the presence of agents could not be saved');
    }
  }

  /** Takes over the intervals of all configurations, and forgets agents that are gone. */
  async #refresh(): Promise<string[]> {
    const candidates = [...this.#trackers.keys()];
    const known = new Set<string>();
    // In pages: all of 100,000 at once would keep everybody waiting.
    for (let after = ''; ; ) {
      const page = await this.#agents.page(after, pageSize);
      for (const { ap_id, configuration } of page) {
        known.add(ap_id);
        const tracker = this.#trackers.get(ap_id);
        if (tracker) tracker.configuredMs = configuredIntervalMs(configuration);
      }
      if (page.length < pageSize) break;
      after = page.at(-1)!.ap_id;
      await nextTurn();
    }
    const gone = candidates.filter((ap_id) => !known.has(ap_id));
    for (const ap_id of gone) this.#forget(ap_id);
    if (gone.length > 0) await this.#store.remove(gone);
    return [...known];
  }

  /** Posts of the last seconds before a kill are not in the records, but they are in the telemetry. */
  async #catchUp(ap_ids: readonly string[]): Promise<void> {
    for (let start = 0; start < ap_ids.length; start += pageSize) {
      const now = this.#now();
      for (const { ap_id, metrics } of await this.#telemetry.latest(ap_ids.slice(start, start + pageSize))) {
        let newest = Number.NEGATIVE_INFINITY;
        for (const { ts } of metrics) newest = Math.max(newest, Math.min(ts, now));
        const tracker = this.#trackers.get(ap_id);
        if (Number.isFinite(newest) && (!tracker || tracker.record.last_seen < newest)) this.seen(ap_id, newest);
      }
      await nextTurn();
    }
  }

  #track(record: PresenceRecord): void {
    this.#trackers.set(record.ap_id, new AgentPresenceTracker(record, this.#hearing));
  }

  #forget(ap_id: string): void {
    const tracker = this.#trackers.get(ap_id);
    if (tracker) this.#unsaved.delete(tracker);
    this.#trackers.delete(ap_id);
  }

  #noteUnsaved(tracker: AgentPresenceTracker): void {
    tracker.isUnsaved = true;
    this.#unsaved.add(tracker);
  }

  /** A clock that is set, by hand or by a time server, makes no agent late. */
  #followClock(): void {
    this.#hearing?.look();
    const clocks = { wall: this.#now(), steady: this.#steadyNow() };
    const jump = clocks.wall - this.#clocks.wall - (clocks.steady - this.#clocks.steady);
    this.#clocks = clocks;
    if (Math.abs(jump) <= clockToleranceMs) return;
    for (const tracker of this.#trackers.values()) tracker.shift(jump);
  }
}
