// From a job's row to the broker. A row is published right after it was created, in the background; what that leaves
// behind (a crash, a broker that is away) a sweep finds. Workers do not mind a message that comes twice.
import type { Broker } from '@weft/broker';
import { type JobMessage, TaskType } from '@weft/contract';
import type { Keyring } from '../../base/secrets.ts';
import type { JobRecord } from '../store/job-record.ts';
import type { JobStore } from '../store/job-store.ts';
import { publishingHoldMs } from '../store/waiting-jobs.ts';
import type { CallbackTokens } from './callback-tokens.ts';

/** What a message is made of. */
export type OutgoingJob = Pick<
  JobRecord,
  'job_number' | 'task_type' | 'owner_kind' | 'owner_id' | 'data' | 'expires_at'
>;

export interface JobOutboxOptions {
  jobs: Pick<JobStore, 'takeUnpublished' | 'markPublished' | 'unpublish'>;
  broker: Pick<Broker, 'publish'>;
  tokens: CallbackTokens;
  keyring: Pick<Keyring, 'encrypt' | 'decrypt'>;
  /** The job can never be published; told once. */
  onUnreadable: (job_number: string, error: unknown) => void;
  /** Told when the broker stops taking jobs, and when it takes them again; never for each job. */
  onChange: (message: string, error?: unknown) => void;
  now?: () => number;
}

/** Nobody but its creator publishes a job before. */
export const publishHoldMs = 2_000;
const sweepBatch = 100;
const maxUnderWay = 500;
const markAfterMs = 50;
/** Forgotten beyond these: such jobs are published once more. */
const maxUnmarked = 20_000;

export class JobOutbox {
  readonly #options: JobOutboxOptions;
  readonly #now: () => number;
  /** Kinds of which the last message was not taken; the sweep tries one of each. */
  readonly #refused = new Set<string>();
  readonly #underWay = new Set<Promise<unknown>>();
  /** Kinds whose queue was lost, and when, until their jobs wait again. */
  readonly #lost = new Map<string, number>();
  #unmarked: string[] = [];
  /** Since the first of them was sent: what comes back for a job comes later than it was published. */
  #unmarkedSinceMs = Number.POSITIVE_INFINITY;
  #markTimer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;

  constructor(options: JobOutboxOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** The form in which a job's data is stored if nobody may read it there. */
  seal(data: string, job_number: string): string {
    return this.#options.keyring.encrypt(data, job_number);
  }

  /** In the background; what cannot be published now is left to the sweep. Never throws. */
  publish(job: OutgoingJob): void {
    if (this.#refused.has(job.task_type) || this.#underWay.size >= maxUnderWay) return;
    const attempt = this.#attempt(job);
    this.#underWay.add(attempt);
    void attempt.finally(() => this.#underWay.delete(attempt));
  }

  /** Publishes what waits and whose turn has come, until the broker refuses. Throws if the database is away. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweepAll().finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  /** The messages of that kind are gone with their queue: the next sweep publishes again what nobody works on. */
  queueLost(task_type: string, agoMs = 0): void {
    this.#lost.set(task_type, Math.floor(this.#now() - agoMs));
  }

  /** What is asked for in a job, as text of JSON; throws if it cannot be read any more. */
  dataOf({ data, job_number }: Pick<JobRecord, 'data' | 'job_number'>): string {
    return data.startsWith('{') ? data : this.#options.keyring.decrypt(data, job_number);
  }

  /** Writes down what has been published. */
  async mark(): Promise<void> {
    clearTimeout(this.#markTimer);
    this.#markTimer = undefined;
    const numbers = this.#unmarked;
    if (numbers.length === 0) return;
    const sinceMs = this.#unmarkedSinceMs;
    this.#unmarked = [];
    this.#unmarkedSinceMs = Number.POSITIVE_INFINITY;
    try {
      await this.#options.jobs.markPublished(numbers, sinceMs);
    } catch (error) {
      this.#unmarked = [...numbers, ...this.#unmarked].slice(-maxUnmarked);
      this.#unmarkedSinceMs = Math.min(sinceMs, this.#unmarkedSinceMs);
      throw error;
    }
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    await Promise.allSettled([...this.#underWay, this.#sweeping]);
    await this.mark().catch(() => {});
    clearTimeout(this.#markTimer);
  }

  async #sweepAll(): Promise<void> {
    await this.mark();
    for (const [task_type, sentByMs] of this.#lost) {
      await this.#options.jobs.unpublish(task_type, this.#now(), { sentByMs });
      this.#lost.delete(task_type);
    }
    for (const task_type of TaskType.enum) await this.#sweepKind(task_type);
    await this.mark();
  }

  async #sweepKind(task_type: string): Promise<void> {
    for (;;) {
      // One is enough to find out whether the broker takes this kind again.
      const limit = this.#refused.has(task_type) ? 1 : sweepBatch;
      const jobs = await this.#options.jobs.takeUnpublished(task_type, this.#now(), publishingHoldMs, limit);
      const taken = await Promise.all(jobs.map((job) => this.#attempt(job)));
      if (jobs.length < limit || taken.includes(false)) return;
    }
  }

  /** Resolves false if the broker did not take it. */
  async #attempt(job: OutgoingJob): Promise<boolean> {
    const { broker, onUnreadable } = this.#options;
    const { job_number: id, task_type } = job;
    let body: Uint8Array;
    try {
      body = Buffer.from(this.#messageOf(job));
    } catch (error) {
      onUnreadable(id, error);
      return true;
    }
    const sentAtMs = this.#now();
    try {
      await broker.publish(task_type, body, { id, expiresInMs: Math.max(1, job.expires_at - sentAtMs) });
    } catch (error) {
      this.#noteRefusal(task_type, error);
      return false;
    }
    if (this.#refused.delete(task_type) && this.#refused.size === 0)
      this.#options.onChange('the message broker takes jobs again');
    this.#unmarked.push(id);
    this.#unmarkedSinceMs = Math.min(this.#unmarkedSinceMs, sentAtMs);
    this.#markTimer ??= setTimeout(() => {
      this.mark().catch(() => {});
    }, markAfterMs).unref();
    return true;
  }

  /** The data stays the text that it is. */
  #messageOf(job: OutgoingJob): string {
    const { job_number, task_type, owner_kind: kind, owner_id: id } = job;
    const head: Omit<JobMessage, 'data' | 'task_type' | 'callback_token'> & {
      task_type: string;
      callback_token?: string;
    } = {
      job_number,
      task_type,
      requested_by: { kind, id },
      // Commands are for listening only.
      ...(task_type !== 'send_command' && { callback_token: this.#options.tokens.create(job_number) }),
    };
    return `${JSON.stringify(head).slice(0, -1)},"data":${this.dataOf(job)}}`;
  }

  #noteRefusal(task_type: string, error: unknown): void {
    const isNews = this.#refused.size === 0;
    this.#refused.add(task_type);
    if (isNews) this.#options.onChange('the message broker takes no jobs; they wait in the database', error);
  }
}
