// Which emulated networks may begin: so many of one caller at once, fewer of it where few places are left, and in fair
// turns. What may not begin now is set aside in its job's row; its message comes again when it may be its turn.
import { ConflictError } from '../base/errors.ts';
import type { HeldJobs, JobRecord, WaitingJob } from '../jobs/store/job-record.ts';
import type { JobStore } from '../jobs/store/job-store.ts';

const task_type = 'emulator_spinup';
const waitingPerLook = 256;
/** Between two attempts with what waits, while nothing is known to have become free: an emulator may have been started. */
const firstPauseMs = 1_000;
const longestPauseMs = 10_000;

/** The places of the emulator that asks. */
export interface RunSlots {
  total: number;
  /** Without the one that is kept for administrators. */
  free: number;
}

/** The runs of one caller: on all emulators, and on the one that asks. */
export interface OwnRuns {
  all: number;
  here: number;
}

/**
 * Whether a caller with these runs may have one more of the places. Runs may last a week and are not interrupted, so some
 * places are left for callers that are still to come: who has more here must find more of them free, and the last one
 * is for callers that have none. Where everybody takes what they may, n callers take 2^n - 1 places.
 */
export function leavesRoom({ all, here }: OwnRuns, { total, free }: RunSlots): boolean {
  if (total === 1) return free > 0;
  return free > Math.max(here, all > 0 ? 1 : 0);
}

export interface RunTurnsOptions {
  jobs: Pick<JobStore, 'setAside' | 'listWaiting' | 'putBack' | 'countHeld'>;
  /** Whether whoever asked for the run is an administrator now. */
  isAdministrators: (job: JobRecord) => Promise<boolean>;
  /** Runs of one caller at once. */
  maxRunning: number;
  /** Jobs wait for publishing. */
  publish: () => void;
  now: () => number;
}

export class RunTurns {
  readonly #options: RunTurnsOptions;
  /** One decision at a time. */
  #last: Promise<unknown> = Promise.resolve();
  #pauseMs = firstPauseMs;
  #nextAtMs = 0;

  constructor(options: RunTurnsOptions) {
    this.#options = options;
  }

  /**
   * Runs `claim` if it is the turn of the run. Else sets it aside and throws ConflictError `lease_held`: the emulator need
   * not do anything more about its message.
   */
  begin<T>(job: JobRecord, holder: string, slots: RunSlots | undefined, claim: () => Promise<T>): Promise<T> {
    const decided = this.#last.then(async () => {
      if (await this.#isItsTurn(job, holder, slots)) return claim();
      await this.#options.jobs.setAside([job.job_number], 'run', this.#options.now());
      throw new ConflictError('lease_held', 'This run waits for its turn; its message comes again');
    });
    this.#last = decided.catch(() => {});
    return decided;
  }

  /** A place has become free. */
  freed(): void {
    this.#pauseMs = firstPauseMs;
    this.#nextAtMs = 0;
  }

  /** Publishes the run whose turn it may be, if there is one. To be called often. */
  async next(): Promise<void> {
    const { jobs, now, publish } = this.#options;
    if (now() < this.#nextAtMs) return;
    const held = await this.#held();
    const [first] = await this.#waiting(held);
    this.#nextAtMs = now() + this.#pauseMs;
    if (!first) return;
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
    await jobs.putBack(first.job_number);
    publish();
  }

  async #isItsTurn(job: JobRecord, holder: string, slots: RunSlots | undefined): Promise<boolean> {
    if (await this.#options.isAdministrators(job)) return true;
    const held = await this.#held();
    const own = held.of(job.owner_id);
    if (own >= this.#options.maxRunning) return false;
    if (slots && !leavesRoom({ all: own, here: held.of(job.owner_id, holder) }, slots)) return false;
    const [first] = await this.#waiting(held, job.job_number);
    if (!first) return true;
    const others = held.of(first.owner_id);
    const isLater = others < own || (others === own && first.created_at < job.created_at);
    if (isLater) this.freed();
    return !isLater;
  }

  async #held(): Promise<HeldRuns> {
    const { jobs, now } = this.#options;
    return new HeldRuns(await jobs.countHeld(task_type, now()));
  }

  /** Of callers that may have one more: who has fewest comes first, then who waits longest. */
  async #waiting(held: HeldRuns, butNot?: string): Promise<WaitingJob[]> {
    const { jobs, maxRunning } = this.#options;
    const without = held.owners.filter((owner_id) => held.of(owner_id) >= maxRunning);
    const waiting = await jobs.listWaiting('run', { without, limit: waitingPerLook });
    return waiting
      .filter(({ job_number }) => job_number !== butNot)
      .sort((a, b) => held.of(a.owner_id) - held.of(b.owner_id) || a.created_at - b.created_at);
  }
}

class HeldRuns {
  readonly #rows: readonly HeldJobs[];

  constructor(rows: readonly HeldJobs[]) {
    this.#rows = rows;
  }

  get owners(): string[] {
    return [...new Set(this.#rows.map(({ owner_id }) => owner_id))];
  }

  of(owner_id: string, holder?: string): number {
    return this.#rows
      .filter((row) => row.owner_id === owner_id && (holder === undefined || row.lease_holder === holder))
      .reduce((sum, { count }) => sum + count, 0);
  }
}
