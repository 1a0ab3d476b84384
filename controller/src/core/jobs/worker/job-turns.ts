// Which jobs a worker begins: so many at once, of those so many of one owner, and in fair turns. What has no slot now is
// set aside in its row, where every worker finds it; no message waits for it meanwhile.
import { BatchQueue } from '@weft/contract/batch-queue';
import { BoundedMap } from '@weft/contract/bounded-map';
import { TryLaterError } from '../../base/errors.ts';
import { PeriodicTask } from '../../base/periodic-task.ts';
import type { FairTurns } from '../../base/shares/fair-turns.ts';
import type { Shares } from '../../base/shares/shares.ts';
import type { JobRecord, WaitsFor } from '../store/job-record.ts';
import type { JobStore } from '../store/job-store.ts';

const kinds = ['job', 'subscription'] as const satisfies WaitsFor[];
export type WorkKind = (typeof kinds)[number];
/** Looked at in one scan, however many slots are free. */
const waitingPerScan = 256;
const maxRemembered = 10_000;

export interface JobTurnsOptions {
  jobs: Pick<JobStore, 'setAside' | 'listWaiting'>;
  shares: Shares;
  slots: Record<WorkKind, { slots: number; perPrincipal: number }>;
  /** Begins a job that was set aside, with that slot; gives it back if the job is not to be had. */
  begin: (job_number: string, release: () => void) => Promise<void>;
  /** Repeats what a database that is unreachable refuses. */
  retryUnavailable: <T>(work: () => Promise<T>) => Promise<T>;
  scanEveryMs: number;
  onError: (error: unknown, message: string) => void;
  now: () => number;
}

export class JobTurns {
  readonly #options: JobTurnsOptions;
  readonly #turns: Record<WorkKind, FairTurns>;
  /** Set aside for want of any slot: who comes now has no right to pass them. */
  readonly #isAnyWaiting: Record<WorkKind, boolean> = { job: false, subscription: false };
  /** Many at once: a flood of messages must not cost a commit each. */
  readonly #aside: Record<WorkKind, BatchQueue<string>>;
  /** Owner → the number of its latest turn. */
  readonly #latestTurn = new BoundedMap<string, number>(maxRemembered);
  #turnsGiven = 0;
  readonly #scans: Record<WorkKind, PeriodicTask>;

  constructor(options: JobTurnsOptions) {
    this.#options = options;
    const turnsOf = (name: string, { slots, perPrincipal }: { slots: number; perPrincipal: number }) =>
      // One slot is left to others, whatever the setting says.
      options.shares.turns(name, { slots, perPrincipal: Math.min(perPrincipal, Math.max(1, slots - 1)) });
    this.#turns = {
      job: turnsOf('jobs', options.slots.job),
      subscription: turnsOf('subscriptions', options.slots.subscription),
    };
    const scanOf = (kind: WorkKind) =>
      new PeriodicTask({
        everyMs: options.scanEveryMs,
        what: 'the look for waiting jobs',
        run: () => this.#scan(kind),
        onError: (error, message) => {
          const isUsual = error instanceof TryLaterError || this.#scans[kind].isStopped;
          if (!isUsual) options.onError(error, message);
        },
      });
    const asideOf = (kind: WorkKind) =>
      new BatchQueue<string>({
        write: async (job_numbers) => {
          await options.retryUnavailable(() => options.jobs.setAside(job_numbers, kind, options.now()));
          return [];
        },
      });
    this.#aside = { job: asideOf('job'), subscription: asideOf('subscription') };
    this.#scans = { job: scanOf('job'), subscription: scanOf('subscription') };
  }

  start(): void {
    for (const kind of kinds) this.#scans[kind].start();
  }

  /** Begins nothing more. */
  async stop(): Promise<void> {
    // Messages of what could not be set aside any more go back to their queue.
    await Promise.allSettled(kinds.flatMap((kind) => [this.#scans[kind].stop(), this.#aside[kind].idle()]));
  }

  /** A slot for a job of this owner, if it is its turn; undefined if not. */
  async take(kind: WorkKind, owner_id: string): Promise<(() => void) | undefined> {
    const turns = this.#turns[kind];
    if (this.#isAnyWaiting[kind] || !turns.hasFree(owner_id)) return undefined;
    return this.#acquire(kind, owner_id);
  }

  /** Durable when it resolves: the job will be found when it is its turn, by whichever worker. */
  async setAside(kind: WorkKind, { job_number, owner_id }: Pick<JobRecord, 'job_number' | 'owner_id'>): Promise<void> {
    const turns = this.#turns[kind];
    const isOwnersFault = !turns.hasFree(owner_id) && turns.free > 0;
    if (!isOwnersFault) this.#isAnyWaiting[kind] = true;
    await this.#aside[kind].add(job_number);
    if (turns.hasFree(owner_id)) this.#scans[kind].soon();
  }

  async #acquire(kind: WorkKind, owner_id: string): Promise<() => void> {
    this.#latestTurn.set(owner_id, ++this.#turnsGiven);
    const release = await this.#turns[kind].acquire(owner_id);
    return () => {
      release();
      this.#scans[kind].soon();
    };
  }

  /** Looks for jobs whose turn it is. */
  async #scan(kind: WorkKind): Promise<void> {
    const turns = this.#turns[kind];
    if (turns.free <= 0) return;
    const waiting = await this.#options.jobs.listWaiting(kind, { without: turns.atBound(), limit: waitingPerScan });
    this.#isAnyWaiting[kind] = waiting.length > 0;
    for (const { job_number, owner_id } of this.#inTurns(waiting, turns)) {
      if (this.#scans[kind].isStopped) return;
      if (!turns.hasFree(owner_id)) continue;
      // More may wait than was looked at.
      this.#scans[kind].soon();
      await this.#options.begin(job_number, await this.#acquire(kind, owner_id));
    }
  }

  /** Who holds fewest comes first, and among those who had a turn longest ago; those of one owner in their order. */
  #inTurns<Job extends Pick<JobRecord, 'owner_id'>>(waiting: readonly Job[], turns: FairTurns): Job[] {
    const next = new Map<string, number>();
    return waiting
      .map((job) => {
        const held = next.get(job.owner_id) ?? turns.heldBy(job.owner_id);
        next.set(job.owner_id, held + 1);
        return { job, held, latest: this.#latestTurn.get(job.owner_id) ?? 0 };
      })
      .sort((a, b) => a.held - b.held || a.latest - b.latest)
      .map(({ job }) => job);
  }
}
