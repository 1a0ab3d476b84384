// One worker's hold on one job: numbers its messages, posts them only while the lease is good, and knows when to stop.
import { BackOff, retry } from '@weft/contract/back-off';
import { pauseUnless } from '@weft/contract/pause';
import { ConflictError, TryLaterError, WeftError } from '../../base/errors.ts';
import type { Callback, CallbackKind, MailboxService } from '../mailbox/mailbox-service.ts';
import type { MessageRecord } from '../mailbox/mailbox-store.ts';
import type { JobRecord } from '../store/job-record.ts';

/** A job's status is to be read by people. */
const maxDetailLength = 2_000;

/** Somebody else works on the job now, or it has ended. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/** The job has ended, whoever ended it: nothing is left to do, and nothing has gone wrong. */
export class JobOver extends Error {
  override name = 'JobOver';
}

/** This worker is stopping; another one goes on. */
export class WorkerStopped extends Error {
  override name = 'WorkerStopped';
}

/** Thrown by a task, or by a post: the job can never be done. The message is for the job's owner. */
export class JobFailed extends Error {
  override name = 'JobFailed';
}

/** Does the work of one kind of job, from where it was left; resolves once the final message is durable. */
export type JobTask = (run: JobRun) => Promise<void>;

export interface JobRunOptions {
  job: JobRecord;
  mailbox: Pick<MailboxService, 'post' | 'end' | 'list' | 'lastChunk'>;
  /** False once the job is not ours any more. */
  renew: () => Promise<boolean>;
  leaseMs: number;
}

export class JobRun {
  readonly job: JobRecord;
  readonly mailbox: JobRunOptions['mailbox'];
  readonly #renew: () => Promise<boolean>;
  readonly #leaseMs: number;
  readonly #stopping = new AbortController();
  #goodUntil: number;
  #chunk = 0;
  /** Messages that this run has posted. */
  posted = 0;

  constructor({ job, mailbox, renew, leaseMs }: JobRunOptions) {
    this.job = job;
    this.mailbox = mailbox;
    this.#renew = renew;
    this.#leaseMs = leaseMs;
    this.#goodUntil = performance.now() + leaseMs;
  }

  /** Aborted when the work should end at the next good moment. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Begins no further post, nor a retry; one that is under way comes to its end, so that whoever goes on knows of it. */
  stop(reason: Error): void {
    this.#stopping.abort(reason);
  }

  /** The message after which the work goes on; undefined at the very beginning. To be called once, before any post. */
  async resume(): Promise<MessageRecord | undefined> {
    const { job_number, last_seq } = this.job;
    const last = last_seq === 0 ? undefined : await this.retryUnavailable(() => this.mailbox.lastChunk(job_number));
    this.#chunk = last?.chunk ?? 0;
    return last;
  }

  /**
   * Resolves once the message is durable, however long the database is away. Throws JobOver, JobFailed if the mailbox
   * refuses the message for good, and what `signal` was aborted with.
   */
  async post(data: string, { final = false, progress }: { final?: boolean; progress?: number } = {}): Promise<void> {
    const chunk = this.#chunk + 1;
    const callback: Callback = {
      kind: this.job.task_type as CallbackKind,
      data,
      isEmpty: data === '[]',
      final,
      chunk,
      error: undefined,
      progress,
      isByWorker: true,
    };
    // A post that failed may be stored all the same: the mailbox knows its repeat by the chunk number.
    await this.#underLease(() => this.mailbox.post(this.job, callback));
    this.#chunk = chunk;
    this.posted++;
  }

  /** Ends the job as failed, for its owner to read; nothing happens if it has ended. Throws what `post` throws. */
  async fail(detail: string): Promise<void> {
    const text = detail.slice(0, maxDetailLength).toWellFormed();
    await this.#underLease(() => this.mailbox.end(this.job.job_number, 'failed', text));
  }

  /** Repeats what a database, or the telemetry, that is unreachable refuses, for as long as the job is ours. */
  retryUnavailable<T>(work: () => Promise<T>): Promise<T> {
    return retryUnavailable(work, this.signal);
  }

  /** Ends early, and throws nothing, when the work should end, or is woken. */
  pause(ms: number, wake: AbortSignal): Promise<void> {
    return pauseUnless(AbortSignal.any([this.signal, wake]), ms);
  }

  /** What came of a renewal that was asked for at that time of performance.now(). */
  renewed(isOurs: boolean, asked: number): void {
    if (isOurs) this.#goodUntil = asked + this.#leaseMs;
    else this.stop(new LeaseLost('the job is somebody else’s now, or has ended'));
  }

  #underLease<T>(work: () => Promise<T>): Promise<T> {
    return this.retryUnavailable(async () => {
      await this.#requireLease();
      try {
        return await work();
      } catch (error) {
        throw toRunError(error);
      }
    });
  }

  /** A process that was frozen must not post what another one has taken over meanwhile. */
  async #requireLease(): Promise<void> {
    const asked = performance.now();
    if (asked < this.#goodUntil) return;
    this.renewed(await this.#renew(), asked);
    this.signal.throwIfAborted();
  }
}

/** What a refusal of the mailbox means to the work; a database that is away is for `retryUnavailable`. */
function toRunError(error: unknown): unknown {
  if (error instanceof TryLaterError && error.status === 503) return error;
  if (error instanceof ConflictError && error.code === 'job_ended') return new JobOver(error.message);
  return error instanceof WeftError ? new JobFailed(`The controller refused a result: ${error.message}`) : error;
}

// Retries while the database is unavailable.
const pauses = { firstMs: 100, longestMs: 5_000 };

/** Repeats `work` while it throws TryLaterError; throws what else it throws, and the reason of the signal. */
export function retryUnavailable<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const backOff = new BackOff(pauses);
  return retry(work, { pauseAfter: (error) => (error instanceof TryLaterError ? backOff.next() : undefined), signal });
}
