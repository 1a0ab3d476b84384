// Tells when agents come and go: every few seconds the node that holds the lease compares the states of those that have changed
// with what was told last. What happens to many at once is one event; a restart of Weft is none.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AgentState } from '@weft/contract/selector';
import type { EventLog } from '../../accounts/event-log/event-log.ts';
import type { NewEvent } from '../../accounts/event-log/event-record.ts';
import { groupedEvent } from '../../accounts/event-log/grouped-event.ts';
import { PeriodicTask } from '../../base/periodic-task.ts';
import { type NodeLease, NodeLeaseLost } from '../../base/storage/node-lease.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';
import { inSlices } from '../../base/time-slices.ts';
import type { AgentStateStore } from './agent-state-store.ts';
import type { KnownPresence as Known } from './presence.ts';

const everyMs = 3_000;
/** More of one kind in a round are one event. */
const maxSingle = 20;
/** A group waits for those that still follow, this long at most. */
const maxHeldMs = 15_000;
/** A few milliseconds of work, and one statement. */
const writtenAtOnce = 256;

export interface PresenceChange {
  ap_id: string;
  from: AgentState;
  to: AgentState;
  atMs: number;
}

type KnownPresence = Pick<Known, 'ap_id' | 'presence' | 'offlineAfterMs'>;

type Told = 'online' | 'late' | 'offline';

const kinds = ['online', 'late', 'offline', 'ended'] as const;

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
  presence: {
    /** Makes the rest true for now. */
    followOthers(): Promise<void>;
    /** Every agent that was ever heard of. */
    readonly names: Iterable<string>;
    known(ap_id: string): KnownPresence | undefined;
    /** Calls it when an agent was heard of for the first time, is in another state, or was forgotten. */
    onChange(listener: (ap_id: string) => void): void;
  };
  /** Called once for each change; must not throw. */
  onChanged: (changes: readonly PresenceChange[]) => void;
  onError: (error: unknown, message: string) => void;
  now?: () => number;
}

export class PresenceTransitions extends PeriodicTask {
  readonly #options: PresenceTransitionsOptions;
  readonly #now: () => number;
  /** What is written down; undefined while another node does this. */
  #written: Map<string, AgentState> | undefined;
  /** The states as this node found them last. */
  #found = new Map<string, AgentState>();
  /** Those to look at: they have changed, or it was too early to say so. */
  readonly #open = new Set<string>();
  /** What is to be written, and since when a group of its kind grows. */
  readonly #pending = new Map(kinds.map((kind) => [kind, new Set<string>()]));
  readonly #heldSinceMs = new Map<string, number>();
  /** Since when this node looks. */
  #sinceMs = 0;

  constructor(options: PresenceTransitionsOptions) {
    const { onError } = options;
    super({ everyMs, what: 'the look at the states of agents', run: () => this.#look(), onError });
    this.#options = options;
    this.#now = options.now ?? Date.now;
    options.presence.onChange((ap_id) => {
      if (this.#written) this.#open.add(ap_id);
    });
  }

  async #look(): Promise<void> {
    if (!this.#options.lease.isHeld) {
      this.#end();
      return;
    }
    try {
      this.#written ??= await this.#begin();
      await this.#lookOnce(this.#written);
    } catch (error) {
      if (!(error instanceof NodeLeaseLost)) throw error;
      this.#end();
    }
  }

  async #begin(): Promise<Map<string, AgentState>> {
    for (const names of this.#pending.values()) names.clear();
    this.#heldSinceMs.clear();
    const told = await this.#options.store.list();
    const written = new Map<string, AgentState>();
    for (const { ap_id, state } of told) if (state !== null) written.set(ap_id, state as AgentState);
    this.#found = new Map(written);
    this.#sinceMs = this.#now();
    this.#written = written;
    for (const names of [written.keys(), this.#options.presence.names])
      for (const ap_id of names) this.#open.add(ap_id);
    return written;
  }

  #end(): void {
    this.#written = undefined;
    this.#open.clear();
  }

  async #lookOnce(written: Map<string, AgentState>): Promise<void> {
    const { presence, onChanged } = this.#options;
    const nowMs = this.#now();
    const grown = new Set<string>();
    await presence.followOthers();
    const looked = [...this.#open];
    try {
      const { changes, gone } = await this.#changes(looked, nowMs);
      await inSlices(changes, ({ ap_id, to }) => {
        this.#found.set(ap_id, to);
        for (const [kind, names] of this.#pending) {
          if (kind === to && written.get(ap_id) !== to) names.add(ap_id);
          else names.delete(ap_id);
        }
        grown.add(to);
      });
      if (changes.length > 0) onChanged(changes);
      if (gone.length > 0) await this.#forgetRemoved(written, gone);
    } catch (error) {
      for (const ap_id of looked) this.#open.add(ap_id);
      throw error;
    }
    await this.#write(written, grown, nowMs);
  }

  async #changes(names: readonly string[], nowMs: number): Promise<{ changes: PresenceChange[]; gone: string[] }> {
    const { presence, store } = this.#options;
    const changes: PresenceChange[] = [];
    const gone: string[] = [];
    await inSlices(names, (ap_id) => {
      this.#open.delete(ap_id);
      const from = this.#found.get(ap_id) ?? 'never';
      const known = presence.known(ap_id);
      if (!known) {
        gone.push(ap_id);
        return;
      }
      const to = known.presence;
      if (from === to || (from === 'ended' && to !== 'online')) return;
      const isWorse = badness[to] > badness[from];
      // While Weft was away, or another node did this, reports may not have been heard.
      if (isWorse && nowMs - this.#sinceMs < known.offlineAfterMs) {
        this.#open.add(ap_id);
        return;
      }
      // On its way back: the next report makes it online.
      if (to === 'late' && (from === 'offline' || from === 'never')) return;
      changes.push({ ap_id, from, to, atMs: nowMs });
    });
    const ended = await store.endedAmong(changes.filter(({ to }) => to !== 'online').map(({ ap_id }) => ap_id));
    const isOver = ({ ap_id, to }: PresenceChange) => to !== 'online' && ended.has(ap_id);
    return { changes: changes.map((change) => (isOver(change) ? { ...change, to: 'ended' } : change)), gone };
  }

  async #write(written: Map<string, AgentState>, grown: ReadonlySet<string>, nowMs: number): Promise<void> {
    const { database, lease, store, eventLog } = this.#options;
    const due: [ap_id: string, Told | 'ended'][] = [];
    const events: NewEvent[] = [];
    for (const [kind, names] of this.#pending) {
      if (names.size === 0 || !this.#isDue(kind, names.size, grown.has(kind), nowMs)) continue;
      for (const ap_id of names) due.push([ap_id, kind]);
      // An agent that was known before there were events was never told of: that it is away is nothing new.
      const news = [...names].filter((ap_id) => kind === 'online' || written.has(ap_id));
      if (kind !== 'ended') events.push(...toEvents(kind, news));
    }
    // Of very many in parts, so that others have their turns. The events are written with the first of them: what a failure
    // leaves is told again rather than never.
    for (let start = 0; start < due.length; start += writtenAtOnce) {
      if (start > 0) await nextTurn();
      const part = due.slice(start, start + writtenAtOnce);
      await database.transaction(async (tx) => {
        await lease.require(tx);
        await store.setStates(tx, new Map(part), nowMs);
        if (start === 0) await eventLog.append(tx, events);
      });
      for (const [ap_id, state] of part) {
        written.set(ap_id, state);
        this.#pending.get(state)!.delete(ap_id);
      }
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

  async #forgetRemoved(written: Map<string, AgentState>, gone: readonly string[]): Promise<void> {
    await this.#options.store.remove(gone);
    for (const ap_id of gone) {
      this.#found.delete(ap_id);
      for (const names of this.#pending.values()) names.delete(ap_id);
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
