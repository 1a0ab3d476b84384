// Tells when agents come and go: the node that holds the lease compares their states with those that were told last, every few
// seconds. What happens to many at once is one event; a restart of Weft is none.
import type { AgentState } from '@weft/contract/selector';
import type { EventLog, NewEvent } from '../../event-log/event-log.ts';
import { groupedEvent } from '../../event-log/grouped-event.ts';
import { type NodeLease, NodeLeaseLost } from '../../storage/node-lease.ts';
import type { SqlDatabase } from '../../storage/sql-database.ts';
import type { AgentStateStore } from './agent-state-store.ts';
import type { KnownPresence as Known } from './presence.ts';

const everyMs = 3_000;
/** More of one kind in a round are one event. */
const maxSingle = 20;
/** A group waits for those that still follow, this long at most. */
const maxHeldMs = 15_000;

export interface PresenceChange {
  ap_id: string;
  from: AgentState;
  to: AgentState;
  atMs: number;
}

type KnownPresence = Pick<Known, 'ap_id' | 'presence' | 'offlineAfterMs'>;

type Told = 'online' | 'late' | 'offline';

const words: Record<Told, { one: string; many: string; severity: NewEvent['severity'] }> = {
  online: { one: 'is online', many: 'came online', severity: 'info' },
  late: { one: 'is late: no report for two intervals', many: 'are late', severity: 'info' },
  offline: { one: 'is offline', many: 'went offline', severity: 'warning' },
};

const badness: Record<AgentState, number> = { online: 0, late: 1, offline: 2, never: 2, ended: 2 };

export interface PresenceTransitionsOptions {
  database: Pick<SqlDatabase, 'transaction'>;
  lease: Pick<NodeLease, 'isHeld' | 'require'>;
  store: AgentStateStore;
  eventLog: Pick<EventLog, 'append'>;
  /** Every agent that was ever heard of. */
  presence: () => Promise<readonly KnownPresence[]>;
  /** Called once for each change; must not throw. */
  onChanged: (changes: readonly PresenceChange[]) => void;
  onError: (error: unknown, message: string) => void;
  now?: () => number;
}

export class PresenceTransitions {
  readonly #options: PresenceTransitionsOptions;
  readonly #now: () => number;
  /** What is written down; undefined while another node does this. */
  #written: Map<string, AgentState> | undefined;
  /** The states as this node found them last. */
  #found = new Map<string, AgentState>();
  /** What is to be written, and since when a group of its kind grows. */
  readonly #pending = new Map<string, Told | 'ended'>();
  readonly #heldSinceMs = new Map<string, number>();
  /** Since when this node looks. */
  #sinceMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;

  constructor(options: PresenceTransitionsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#round ??= this.look().finally(() => {
        this.#round = undefined;
      });
    }, everyMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
  }

  /** One round. Never throws. */
  async look(): Promise<void> {
    const { lease, onError } = this.#options;
    try {
      if (!lease.isHeld) {
        this.#written = undefined;
        return;
      }
      this.#written ??= await this.#begin();
      await this.#lookOnce(this.#written);
    } catch (error) {
      if (error instanceof NodeLeaseLost) this.#written = undefined;
      else onError(error, 'the states of agents could not be looked at; trying again');
    }
  }

  async #begin(): Promise<Map<string, AgentState>> {
    this.#pending.clear();
    this.#heldSinceMs.clear();
    const told = await this.#options.store.list();
    const written = new Map<string, AgentState>();
    for (const { ap_id, state } of told) if (state !== null) written.set(ap_id, state as AgentState);
    this.#found = new Map(written);
    this.#sinceMs = this.#now();
    return written;
  }

  async #lookOnce(written: Map<string, AgentState>): Promise<void> {
    const { presence, onChanged } = this.#options;
    const nowMs = this.#now();
    const known = await presence();
    const changes = await this.#changes(known, nowMs);
    const grown = new Set<string>();
    for (const { ap_id, to } of changes) {
      this.#found.set(ap_id, to);
      if (written.get(ap_id) === to) this.#pending.delete(ap_id);
      else this.#pending.set(ap_id, to as Told | 'ended');
      grown.add(to);
    }
    if (changes.length > 0) onChanged(changes);
    await this.#write(written, grown, nowMs);
    if (this.#found.size > known.length) await this.#forgetRemoved(written, known);
  }

  async #changes(known: readonly KnownPresence[], nowMs: number): Promise<PresenceChange[]> {
    const changes: PresenceChange[] = [];
    let isAnyWorse = false;
    for (const { ap_id, presence: to, offlineAfterMs } of known) {
      const from = this.#found.get(ap_id) ?? 'never';
      if (from === to || (from === 'ended' && to !== 'online')) continue;
      const isWorse = badness[to] > badness[from];
      // While Weft was away, or another node did this, reports may not have been heard.
      if (isWorse && nowMs - this.#sinceMs < offlineAfterMs) continue;
      // On its way back: the next report makes it online.
      if (to === 'late' && (from === 'offline' || from === 'never')) continue;
      isAnyWorse ||= isWorse;
      changes.push({ ap_id, from, to, atMs: nowMs });
    }
    if (!isAnyWorse) return changes;
    const ended = new Set(await this.#options.store.listEnded());
    return changes.map((change) =>
      change.to !== 'online' && ended.has(change.ap_id) ? { ...change, to: 'ended' } : change,
    );
  }

  async #write(written: Map<string, AgentState>, grown: ReadonlySet<string>, nowMs: number): Promise<void> {
    const { database, lease, store, eventLog } = this.#options;
    const due = new Map<string, Told | 'ended'>();
    const events: NewEvent[] = [];
    for (const kind of ['online', 'late', 'offline', 'ended'] as const) {
      const ap_ids = [...this.#pending].filter(([, to]) => to === kind).map(([ap_id]) => ap_id);
      if (ap_ids.length === 0 || !this.#isDue(kind, ap_ids.length, grown.has(kind), nowMs)) continue;
      for (const ap_id of ap_ids) due.set(ap_id, kind);
      // An agent that was known before there were events was never told of: that it is away is nothing new.
      const news = ap_ids.filter((ap_id) => kind === 'online' || written.has(ap_id));
      if (kind !== 'ended') events.push(...toEvents(kind, news));
    }
    if (due.size === 0) return;
    await database.transaction(async (tx) => {
      await lease.require(tx);
      await store.setStates(tx, due, nowMs);
      await eventLog.append(tx, events);
    });
    for (const [ap_id, state] of due) {
      written.set(ap_id, state);
      if (this.#pending.get(ap_id) === state) this.#pending.delete(ap_id);
    }
  }

  /** Few are told at once; a group once no more join it. */
  #isDue(kind: string, count: number, isGrowing: boolean, nowMs: number): boolean {
    const sinceMs = this.#heldSinceMs.get(kind);
    if (sinceMs === undefined && count <= maxSingle) return true;
    if (sinceMs === undefined) this.#heldSinceMs.set(kind, nowMs);
    else if (!isGrowing || nowMs - sinceMs >= maxHeldMs) {
      this.#heldSinceMs.delete(kind);
      return true;
    }
    return false;
  }

  async #forgetRemoved(written: Map<string, AgentState>, known: readonly KnownPresence[]): Promise<void> {
    const names = new Set(known.map(({ ap_id }) => ap_id));
    const gone = [...this.#found.keys()].filter((ap_id) => !names.has(ap_id));
    await this.#options.store.remove(gone);
    for (const ap_id of gone) {
      this.#found.delete(ap_id);
      this.#pending.delete(ap_id);
      written.delete(ap_id);
    }
  }
}

function toEvents(kind: Told, ap_ids: readonly string[]): NewEvent[] {
  const { one, many, severity } = words[kind];
  if (ap_ids.length > maxSingle) return [groupedEvent({ kind: `agent.${kind}`, what: many, ap_ids, severity })];
  return ap_ids.map((ap_id) => ({
    kind: `agent.${kind}`,
    subject_kind: 'agent',
    subject: ap_id,
    severity,
    text: `${ap_id} ${one}`,
  }));
}
