// One worker's hold on one job: numbers its chunks, posts them only while the lease is good, and knows when to stop.

import type { MailboxStore, MessageRecord } from '../mailbox/mailbox-store.ts';
import type { JobRecord } from '../store/job-store.ts';
import type { CallbackClient, CallbackPost } from './callback-client.ts';
import { patiently, pauseUnless } from './patience.ts';

/** Somebody else works on the job now, or it has ended. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/** This worker is stopping; another one goes on. */
export class WorkerStopped extends Error {
  override name = 'WorkerStopped';
}

/** Thrown by a task: the job can never be done. The message is for the job's owner. */
export class JobFailed extends Error {
  override name = 'JobFailed';
}

/** Does the work of one kind of job, from where it was left; resolves once the final message is durable. */
export type JobTask = (run: JobRun) => Promise<void>;

export interface JobRunOptions {
  job: JobRecord;
  kind: CallbackPost['kind'];
  callback: CallbackClient;
  callback_token: string;
  mailbox: Pick<MailboxStore, 'lastChunk' | 'list'>;
  /** False once the job is not ours any more. */
  renew: () => Promise<boolean>;
  leaseMs: number;
}

export class JobRun {
  readonly job: JobRecord;
  readonly mailbox: Pick<MailboxStore, 'lastChunk' | 'list'>;
  readonly #options: JobRunOptions;
  readonly #stopping = new AbortController();
  readonly #aborting = new AbortController();
  #goodUntil: number;
  #chunk = 0;
  /** Messages that this run has posted. */
  posted = 0;

  constructor(options: JobRunOptions) {
    this.#options = options;
    this.job = options.job;
    this.mailbox = options.mailbox;
    this.#goodUntil = performance.now() + options.leaseMs;
  }

  /** Aborted when the work should end at the next good moment, or at once. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Begins no further post; one that is under way comes to its end, so that whoever goes on knows of it. */
  stop(reason: Error): void {
    this.#stopping.abort(reason);
  }

  abort(reason: Error): void {
    this.#stopping.abort(reason);
    this.#aborting.abort(reason);
  }

  /** The message after which the work goes on; undefined at the very beginning. To be called once, before any post. */
  async resume(): Promise<MessageRecord | undefined> {
    const { job_number, last_seq } = this.job;
    const last = last_seq === 0 ? undefined : await this.patiently(() => this.mailbox.lastChunk(job_number));
    this.#chunk = last?.chunk ?? 0;
    return last;
  }

  /** Resolves once the message is durable. Throws what `signal` was aborted with, and what the callback client throws. */
  async post(data: string, { final, progress }: { final?: boolean; progress?: number } = {}): Promise<void> {
    this.signal.throwIfAborted();
    await this.#holdLease();
    const { callback, callback_token, kind } = this.#options;
    const { job_number } = this.job;
    const { signal } = this.#aborting;
    const chunk = this.#chunk + 1;
    await callback.post({ kind, job_number, callback_token, data, chunk, final, progress, signal });
    this.#chunk = chunk;
    this.posted++;
  }

  /** Ends the job as failed, for its owner to read. */
  async fail(detail: string): Promise<void> {
    const { callback, callback_token, kind } = this.#options;
    const { job_number } = this.job;
    const { signal } = this.#aborting;
    await callback.post({ kind, job_number, callback_token, data: '[]', error: detail, signal });
  }

  /** Repeats what a database, or the telemetry, that is out of reach refuses, for as long as the job is ours. */
  patiently<T>(work: () => Promise<T>): Promise<T> {
    return patiently(work, this.signal);
  }

  /** Ends early, without a word, when the work should end, or is woken. */
  pause(ms: number, wake: AbortSignal): Promise<void> {
    return pauseUnless(AbortSignal.any([this.signal, wake]), ms);
  }

  /** Resolves whether the job is still ours; throws TryLaterError if that cannot be told. */
  async renewLease(): Promise<boolean> {
    const asked = performance.now();
    return this.renewed(await this.#options.renew(), asked);
  }

  /** What came of a renewal that was asked for at that time of performance.now(). */
  renewed(isOurs: boolean, asked: number): boolean {
    if (isOurs) this.#goodUntil = asked + this.#options.leaseMs;
    else this.abort(new LeaseLost('the job is somebody else’s now, or has ended'));
    return isOurs;
  }

  /** A process that was frozen must not post what another one has taken over meanwhile. */
  async #holdLease(): Promise<void> {
    if (performance.now() < this.#goodUntil) return;
    await this.patiently(() => this.renewLease());
    this.signal.throwIfAborted();
  }
}
