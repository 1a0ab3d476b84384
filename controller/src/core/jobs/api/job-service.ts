// Jobs as callers know them: asked for, listed, read, cancelled. A job belongs to whoever asked for it; administrators
// see all of them, and to everybody else there is no such job.

import { randomUUID } from 'node:crypto';
import type { Job, JobAccepted, JobState, TaskType } from '@weft/contract';
import { BoundedMap } from '@weft/contract/bounded-map';
import type { Caller } from '../../base/caller.ts';
import { ConflictError, notFound, orNotFound, PermissionError } from '../../base/errors.ts';
import { toTime, toTimeOrNull } from '../../base/input/date-time.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import type { SqlQueries } from '../../base/storage/sql-database.ts';
import { jobEnded, type MailboxService, type PostedJob } from '../mailbox/mailbox-service.ts';
import { type MessageView, toEnvelopeText } from '../mailbox/message-view.ts';
import { type JobOutbox, publishHoldMs } from '../publish/job-outbox.ts';
import type { JobLimits, JobRecord, JobSummary, NewJob } from '../store/job-record.ts';
import type { JobStore } from '../store/job-store.ts';

/** A job number that somebody else may have made up. */
const plausibleNumber = /^[A-Za-z0-9._:-]{1,128}$/;
const pageBytes = 1024 * 1024;

export interface NewTask {
  task_type: TaskType;
  data: Record<string, unknown>;
  /** The ap_id of the one agent that it is about, if it is about one. */
  subject?: string;
  /** When all that it waits for is there, from when on the time to work on it counts. Default: now. */
  dueMs?: number;
  /** The data holds credentials: it is encrypted wherever Weft keeps it. */
  isSecret?: boolean;
}

/** What else ends with a job of this kind: a part that creates such jobs says it. */
export interface JobKind {
  /** Resolves whether the job has been cancelled by that. */
  cancel(caller: Caller, job: JobRecord): Promise<boolean>;
}

export interface JobServiceOptions {
  jobs: JobStore;
  mailbox: Pick<MailboxService, 'list' | 'end'>;
  view: Pick<MessageView, 'show'>;
  outbox: JobOutbox;
  /** How long a job may take. */
  timeoutMs: number;
  limits: JobLimits;
  /** Throws if the results of the caller's jobs, or of all, take too much. */
  requireRoom?: (owner_id: string) => void;
  /** Throws unless the owner of the job may ask for it now, by its record in the transaction. Default: it may. */
  requireRight?: (tx: SqlQueries, job: NewJob) => Promise<void>;
  now?: () => number;
}

export class JobService {
  /** By their `task_type`: jobs that are more than jobs. */
  readonly kinds = new Map<string, JobKind>();
  readonly #options: JobServiceOptions;
  readonly #requireRight: NonNullable<JobServiceOptions['requireRight']>;
  readonly #now: () => number;
  readonly #kinds = new BoundedMap<string, PostedJob>(10_000);

  constructor(options: JobServiceOptions) {
    this.#options = options;
    this.#requireRight = options.requireRight ?? (async () => {});
    this.#now = options.now ?? Date.now;
  }

  /**
   * Durable when it resolves, whether or not the broker is there. Throws TryLaterError: 429 `too_many_jobs` of this
   * caller or `results_full`, 503 `outbox_full`.
   */
  async create(caller: Caller, task: NewTask): Promise<JobAccepted> {
    this.#options.requireRoom?.(caller.id);
    const job_number = randomUUID();
    const text = JSON.stringify(task.data);
    const data = task.isSecret ? this.#options.outbox.seal(text, job_number) : text;
    const now = this.#now();
    const job = {
      ...ownedBy(caller),
      job_number,
      task_type: task.task_type,
      subject: task.subject ?? null,
      data,
      created_at: now,
      expires_at: Math.max(now, task.dueMs ?? now) + this.#options.timeoutMs,
      published_at: null,
      publish_after: now + publishHoldMs,
    };
    await this.#options.jobs.create(job, this.#limitsFor(job));
    const { task_type, owner_id } = job;
    this.#kinds.set(job_number, { job_number, task_type, owner_id });
    this.#options.outbox.publish(job);
    return { job_number, status: 'queued', websocket: socketPath(job_number) };
  }

  /** Newest first. Throws PermissionError if somebody but an administrator asks for all. */
  async list(
    caller: Caller,
    filter: { all?: boolean; state?: JobState; before?: string; limit: number },
  ): Promise<Job[]> {
    const { all = false, state, before, limit } = filter;
    if (all && !rightsOf(caller).isAdmin) throw new PermissionError();
    const jobs = await this.#options.jobs.list({
      ...(!all && { owner: ownedBy(caller) }),
      ...(state !== undefined && { state }),
      ...(before !== undefined && { before: await this.requireVisible(caller, before) }),
      limit,
    });
    return jobs.map(toJobResponse);
  }

  /** The text of a JobWithMessages: messages after that number, as many as fit into a page. */
  async read(caller: Caller, job_number: string, afterSeq: number): Promise<string> {
    let job: JobSummary = await this.requireVisible(caller, job_number);
    const messages = await this.#options.mailbox.list(job_number, afterSeq, pageBytes);
    // The end has come meanwhile: state and messages of one answer must not contradict each other.
    if (messages.at(-1)?.final && job.ended_at === null) job = await this.requireVisible(caller, job_number);
    const hasMore = job.last_seq > (messages.at(-1)?.seq ?? afterSeq);
    const head = JSON.stringify(toJobResponse(job)).slice(0, -1);
    const shown = await this.#options.view.show(caller, job.subject, messages);
    return `${head},"messages":[${shown.map(toEnvelopeText).join(',')}],"has_more":${hasMore}}`;
  }

  /** Ends an open job; one that is cancelled already is answered as at first. Throws ConflictError `job_ended`. */
  async cancel(caller: Caller, job_number: string): Promise<Job> {
    const job = await this.requireVisible(caller, job_number);
    if (job.ended_at === null && !(await this.kinds.get(job.task_type)?.cancel(caller, job))) {
      const by = rightsOf(caller).owns(job) ? 'its owner' : 'an administrator';
      await this.#options.mailbox.end(job_number, 'cancelled', `Cancelled by ${by}`);
    }
    const after = await this.requireVisible(caller, job_number);
    if (after.state !== 'cancelled') throw jobEnded();
    return toJobResponse(after);
  }

  /** Throws NotFoundError for a job that is unknown or somebody else's. */
  async requireVisible(caller: Caller, job_number: string): Promise<JobRecord> {
    const job = await this.find(job_number);
    if (!rightsOf(caller).ownsOrAdministers(job)) throw notFound('Job');
    return job;
  }

  /** The same, but a job that does not exist is opened for an administrator, who then owns it; and workers may post to all. */
  async admit(caller: Caller, job_number: string): Promise<JobRecord> {
    if (rightsOf(caller).isWorker) return this.find(job_number);
    const mayAdopt = rightsOf(caller).isAdmin && plausibleNumber.test(job_number);
    if (mayAdopt && !(await this.#options.jobs.get(job_number))) await this.#adopt(caller, job_number);
    return this.requireVisible(caller, job_number);
  }

  /**
   * What never changes of a job, for whoever shows its callback token; remembered, because a worker asks with every part.
   * Throws NotFoundError if there is no such job, as far as is known: storing tells for certain.
   */
  async kindOf(job_number: string): Promise<PostedJob> {
    const known = this.#kinds.get(job_number);
    if (known !== undefined) return known;
    const { task_type, owner_id } = await this.find(job_number);
    this.#kinds.set(job_number, { job_number, task_type, owner_id });
    return { job_number, task_type, owner_id };
  }

  /** For whoever has proved to be allowed otherwise. Throws NotFoundError if there is no such job. */
  async find(job_number: string): Promise<JobRecord> {
    return orNotFound(plausibleNumber.test(job_number) ? await this.#options.jobs.get(job_number) : undefined, 'Job');
  }

  /** Rights that may have gone since the request was let in are looked at again: those of apps, and of administrators. */
  #limitsFor(job: NewJob): JobLimits {
    const mayLose = job.owner_kind === 'third_party_app' || job.task_type === 'adopted';
    return mayLose ? { ...this.#options.limits, check: (tx) => this.#requireRight(tx, job) } : this.#options.limits;
  }

  async #adopt(caller: Caller, job_number: string): Promise<void> {
    this.#options.requireRoom?.(caller.id);
    const now = this.#now();
    const job = {
      ...ownedBy(caller),
      job_number,
      task_type: 'adopted',
      data: '{}',
      created_at: now,
      expires_at: now + this.#options.timeoutMs,
      published_at: now,
      publish_after: now,
    };
    try {
      await this.#options.jobs.create(job, this.#limitsFor(job));
    } catch (error) {
      // Another request was first: then it is that one's.
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}

export function toJobResponse(job: JobSummary): Job {
  const { job_number, task_type, state, detail, progress, last_seq, bytes } = job;
  return {
    job_number,
    task_type,
    requested_by: { kind: job.owner_kind, name: job.owner_name },
    state,
    detail,
    progress,
    created_at: toTime(job.created_at),
    updated_at: toTime(job.updated_at),
    ended_at: toTimeOrNull(job.ended_at),
    expires_at: toTime(job.expires_at),
    last_seq,
    bytes,
    websocket: socketPath(job_number),
  };
}

function ownedBy({ kind, id, name }: Caller): Pick<JobRecord, 'owner_kind' | 'owner_id' | 'owner_name'> {
  return { owner_kind: kind, owner_id: id, owner_name: name };
}

function socketPath(job_number: string): string {
  return `/api/v1/ws/${job_number}`;
}
