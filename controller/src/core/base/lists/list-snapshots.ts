// What pages of volatile lists are taken from: entries and their keys as they were when the first page was asked for. Each is
// kept for a minute, a few for each caller, and a bounded number of entries in all.
import { randomUUID } from 'node:crypto';
import { PeriodicTask } from '../periodic-task.ts';

interface Kept<Snapshot> {
  snapshot: Snapshot;
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

export class ListSnapshots<Snapshot extends { readonly count: number }> {
  readonly #limits: SnapshotLimits;
  readonly #now: () => number;
  /** The oldest first. */
  readonly #kept = new Map<string, Kept<Snapshot>>();
  #entries = 0;
  readonly #expiry: PeriodicTask;

  constructor(limits: Partial<SnapshotLimits> = {}, now = () => performance.now()) {
    this.#limits = { ...usual, ...limits };
    this.#now = now;
    const run = () => this.#dropExpired();
    this.#expiry = new PeriodicTask({ everyMs: this.#limits.keptMs, what: 'the expiry of lists', run });
  }

  get size(): number {
    return this.#kept.size;
  }

  get entries(): number {
    return this.#entries;
  }

  /** Returns its id. Of a caller that has too many, the oldest goes; the same in all. */
  keep(snapshot: Snapshot, principal: string, list: string): string {
    this.#dropExpired();
    const { keptMs, perPrincipal, maxEntries } = this.#limits;
    const own = [...this.#kept].filter(([, kept]) => kept.principal === principal);
    if (own.length >= perPrincipal) this.#drop(own[0]![0]);
    for (const id of this.#kept.keys()) {
      if (this.#entries + snapshot.count <= maxEntries) break;
      this.#drop(id);
    }
    const id = randomUUID();
    this.#kept.set(id, { snapshot, principal, list, endsAt: this.#now() + keptMs });
    this.#entries += snapshot.count;
    this.#expiry.start();
    return id;
  }

  /** Undefined if it is gone, or of another caller or list. */
  get(id: string, principal: string, list: string): Snapshot | undefined {
    this.#dropExpired();
    const kept = this.#kept.get(id);
    return kept?.principal === principal && kept.list === list ? kept.snapshot : undefined;
  }

  async stop(): Promise<void> {
    await this.#expiry.stop();
    this.#kept.clear();
    this.#entries = 0;
  }

  #dropExpired(): void {
    const now = this.#now();
    for (const [id, { endsAt }] of this.#kept) if (endsAt <= now) this.#drop(id);
  }

  #drop(id: string): void {
    this.#entries -= this.#kept.get(id)!.snapshot.count;
    this.#kept.delete(id);
  }
}
