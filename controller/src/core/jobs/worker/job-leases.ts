// The leases of one worker. A job belongs to whoever holds its lease: here they are claimed, renewed for as long as the
// work takes, and given back; and jobs whose leases others let run out are found.
import { randomUUID } from 'node:crypto';
import { TryLaterError } from '../../base/errors.ts';
import { PeriodicTask } from '../../base/periodic-task.ts';
import type { JobRecord } from '../store/job-record.ts';
import type { JobStore } from '../store/job-store.ts';
import { JobOver, JobRun, type JobRunOptions, WorkerStopped } from './job-run.ts';

const abandonedPerScan = 64;

export interface JobLeasesOptions {
  jobs: Pick<JobStore, 'claim' | 'renew' | 'release' | 'listAbandoned'>;
  mailbox: JobRunOptions['mailbox'];
  /** Called for abandoned jobs, one after the other. */
  takeOver: (job: JobRecord) => Promise<void>;
  onError: (error: unknown, message: string) => void;
  leaseMs: number;
  renewEveryMs: number;
  scanEveryMs: number;
  now: () => number;
}

export class JobLeases {
  readonly #options: JobLeasesOptions;
  readonly #holder = randomUUID();
  readonly #runs = new Map<string, JobRun>();
  readonly #renewal: PeriodicTask;
  readonly #scan: PeriodicTask;

  constructor(options: JobLeasesOptions) {
    this.#options = options;
    const { renewEveryMs, scanEveryMs } = options;
    const onError = (error: unknown, message: string) => {
      // While the database is away nobody else can claim the jobs either.
      if (!(error instanceof TryLaterError || error instanceof WorkerStopped)) options.onError(error, message);
    };
    const renew = { what: 'the renewal of leases', run: () => this.#renewAll() };
    const scan = { what: 'the look for abandoned jobs', run: () => this.#takeOverAbandoned() };
    this.#renewal = new PeriodicTask({ everyMs: renewEveryMs, ...renew, onError });
    this.#scan = new PeriodicTask({ everyMs: scanEveryMs, ...scan, onError });
  }

  start(): void {
    this.#renewal.start();
    this.#scan.start();
  }

  /** Stops every run at once, and takes over nothing more; their leases are renewed until `close`. */
  stop(reason: WorkerStopped): Promise<void> {
    for (const run of this.#runs.values()) run.stop(reason);
    return this.#scan.stop();
  }

  /** Renews nothing more. */
  close(): Promise<void> {
    return this.#renewal.stop();
  }

  holds(job_number: string): boolean {
    return this.#runs.has(job_number);
  }

  /** Should nobody say so, the next renewal finds out. */
  ended(job_number: string): void {
    this.#runs.get(job_number)?.stop(new JobOver('the job has ended'));
  }

  /** The run of a job that is to be had, its lease renewed until `drop`; undefined if somebody has it, or it has ended. */
  async claim(job_number: string): Promise<JobRun | undefined> {
    const { jobs, mailbox, leaseMs, now } = this.#options;
    const job = await jobs.claim(job_number, this.#holder, now(), leaseMs);
    if (!job) return undefined;
    const renew = async () => (await this.#renew([job_number])).has(job_number);
    const run = new JobRun({ job, mailbox, renew, leaseMs });
    this.#runs.set(job_number, run);
    return run;
  }

  drop(run: JobRun): void {
    this.#runs.delete(run.job.job_number);
  }

  /** Others may claim the jobs at once. */
  async giveBack(job_numbers: string[]): Promise<void> {
    await this.#options.jobs.release(job_numbers, this.#holder);
  }

  #renew(job_numbers: string[]): Promise<Set<string>> {
    const { jobs, leaseMs, now } = this.#options;
    return jobs.renew(job_numbers, this.#holder, now(), leaseMs);
  }

  async #renewAll(): Promise<void> {
    const runs = [...this.#runs];
    if (runs.length === 0) return;
    const asked = performance.now();
    const renewed = await this.#renew(runs.map(([job_number]) => job_number));
    for (const [job_number, run] of runs) run.renewed(renewed.has(job_number), asked);
  }

  async #takeOverAbandoned(): Promise<void> {
    const { jobs, takeOver, now } = this.#options;
    for (const job of await jobs.listAbandoned(now(), abandonedPerScan)) {
      if (this.#scan.isStopped) return;
      await takeOver(job);
    }
  }
}
