// What pages of volatile lists are taken from: agents and their keys as they were when the first page was asked for. Each is
// kept for a minute, a few for each caller, and a bounded number of entries in all.
import { randomUUID } from 'node:crypto';
import type { IndexedAgent } from '../index/fleet-index.ts';
import type { SortKey } from './list-order.ts';

export interface ListSnapshot {
  /** All agents as they were then. */
  agents: readonly IndexedAgent[];
  /** How many of them are in the snapshot. */
  count: number;
  /** Where those are in `agents`; undefined if all of them are. */
  positions: Uint32Array<ArrayBuffer> | undefined;
  /**
   * Of each of them; the same order. Numbers only, NaN for none, if it can be. Undefined if they are in the order of the list
   * that was asked for; else they are in that of names.
   */
  keys: Float64Array<ArrayBuffer> | readonly SortKey[] | undefined;
}

interface Kept extends ListSnapshot {
  principal: string;
  list: string;
  endsAt: number;
}

export interface SnapshotLimits {
  keptMs: number;
  perPrincipal: number;
  /** Of all snapshots together. */
  maxEntries: number;
}

/** At most 12 bytes an entry: 24 MB. */
const usual: SnapshotLimits = { keptMs: 60_000, perPrincipal: 4, maxEntries: 2_000_000 };

export class ListSnapshots {
  readonly #limits: SnapshotLimits;
  readonly #now: () => number;
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>();
  #entries = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: Partial<SnapshotLimits> = {}, now = () => performance.now()) {
    this.#limits = { ...usual, ...limits };
    this.#now = now;
  }

  get size(): number {
    return this.#kept.size;
  }

  get entries(): number {
    return this.#entries;
  }

  /** Returns its id. Of a caller that has too many, the oldest goes; the same in all. */
  keep(snapshot: ListSnapshot, principal: string, list: string): string {
    this.#dropExpired();
    const { keptMs, perPrincipal, maxEntries } = this.#limits;
    const own = [...this.#kept].filter(([, kept]) => kept.principal === principal);
    if (own.length >= perPrincipal) this.#drop(own[0]![0]);
    for (const id of this.#kept.keys()) {
      if (this.#entries + snapshot.count <= maxEntries) break;
      this.#drop(id);
    }
    const id = randomUUID();
    this.#kept.set(id, { ...snapshot, principal, list, endsAt: this.#now() + keptMs });
    this.#entries += snapshot.count;
    this.#timer ??= setInterval(() => this.#dropExpired(), keptMs).unref();
    return id;
  }

  /** Undefined if it is gone, or of another caller or list. */
  get(id: string, principal: string, list: string): ListSnapshot | undefined {
    this.#dropExpired();
    const kept = this.#kept.get(id);
    return kept?.principal === principal && kept.list === list ? kept : undefined;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#kept.clear();
    this.#entries = 0;
  }

  #dropExpired(): void {
    const now = this.#now();
    for (const [id, { endsAt }] of this.#kept) if (endsAt <= now) this.#drop(id);
  }

  #drop(id: string): void {
    this.#entries -= this.#kept.get(id)!.count;
    this.#kept.delete(id);
  }
}
