// Works on jobs: takes their messages, claims them in the database (from then on the message may go: the lease is the
// hand-over), does the work under the lease (job-leases, job-run), and takes over what others have abandoned. What its
// owner has too much of waits for its turn without a message (job-turns).
import { type Broker, type Consumer, type Delivery, RejectMessage } from '@weft/broker';
import { JobMessage } from '@weft/contract';
import { pauseUnless } from '@weft/contract/pause';
import { ValidationError } from '../../base/errors.ts';
import { Validator } from '../../base/input/validator.ts';
import type { Shares } from '../../base/shares/shares.ts';
import type { JobRecord } from '../store/job-record.ts';
import type { JobStore } from '../store/job-store.ts';
import { isSubscription } from './agent-data-source.ts';
import { JobLeases } from './job-leases.ts';
import {
  JobFailed,
  JobOver,
  type JobRun,
  type JobRunOptions,
  type JobTask,
  LeaseLost,
  retryUnavailable,
  WorkerStopped,
} from './job-run.ts';
import { JobTurns, type WorkKind } from './job-turns.ts';

const workTypes = ['agent_details', 'agent_data'] as const;
type WorkType = (typeof workTypes)[number];

const maxMessageBytes = 1024 * 1024;

export interface JobWorkerOptions {
  broker: Pick<Broker, 'consume'>;
  jobs: Pick<JobStore, 'get' | 'claim' | 'renew' | 'release' | 'listAbandoned' | 'setAside' | 'listWaiting'>;
  shares: Shares;
  mailbox: JobRunOptions['mailbox'];
  tasks: Record<WorkType, JobTask>;
  onError: (error: unknown, message: string) => void;
  maxJobs?: number;
  /** Live subscriptions do nothing most of the time. */
  maxSubscriptions?: number;
  /** Of one owner at once; one slot is left to others in any case. */
  maxJobsPerOwner?: number;
  maxSubscriptionsPerOwner?: number;
  leaseMs?: number;
  renewEveryMs?: number;
  scanEveryMs?: number;
  /** How often a job may be begun without posting a message. */
  maxAttempts?: number;
  /** How long work under way may take when the worker stops. */
  stopTimeoutMs?: number;
  now?: () => number;
}

export class JobWorker {
  readonly #options: Required<JobWorkerOptions>;
  readonly #leases: JobLeases;
  readonly #validator = new Validator({});
  readonly #turns: JobTurns;
  readonly #stopping = new AbortController();
  readonly #claiming = new Set<string>();
  readonly #works = new Set<Promise<void>>();
  readonly #leftOver: string[] = [];
  #consumers: Consumer[] = [];
  #stopped: Promise<void> | undefined;

  constructor(options: JobWorkerOptions) {
    this.#options = {
      maxJobs: 8,
      maxSubscriptions: 500,
      maxJobsPerOwner: 4,
      maxSubscriptionsPerOwner: 100,
      leaseMs: 5_000,
      renewEveryMs: 750,
      scanEveryMs: 1_000,
      maxAttempts: 5,
      stopTimeoutMs: 10_000,
      now: Date.now,
      ...options,
    };
    const { maxJobs, maxSubscriptions, maxJobsPerOwner, maxSubscriptionsPerOwner } = this.#options;
    this.#turns = new JobTurns({
      ...this.#options,
      slots: {
        job: { slots: maxJobs, perPrincipal: maxJobsPerOwner },
        subscription: { slots: maxSubscriptions, perPrincipal: maxSubscriptionsPerOwner },
      },
      begin: (job_number, release) => this.#begin(job_number, release),
      retryUnavailable: (work) => this.#retryUnavailable(work),
    });
    this.#leases = new JobLeases({ ...this.#options, takeOver: (job) => this.#takeOver(job) });
  }

  /** Jobs that are being worked on. */
  get running(): number {
    return this.#works.size;
  }

  /** The job has ended, whoever ended it: if this worker is at it, it stops at once. */
  ended(job_number: string): void {
    this.#leases.ended(job_number);
  }

  async start(): Promise<void> {
    const { broker, maxJobs } = this.#options;
    this.#leases.start();
    this.#turns.start();
    for (const queue of workTypes) {
      // None of them is kept long; many at once are set aside together.
      const options = { prefetch: 4 * maxJobs };
      this.#consumers.push(await broker.consume(queue, options, (delivery) => this.#handle(queue, delivery)));
    }
  }

  /** Gives every job back at once, at a place where another worker can go on. Repeated calls are harmless. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopOnce();
    return this.#stopped;
  }

  async #stopOnce(): Promise<void> {
    const { stopTimeoutMs, onError } = this.#options;
    const reason = new WorkerStopped('the worker is stopping');
    this.#stopping.abort(reason);
    const handlers = Promise.all(this.#consumers.map((consumer) => consumer.stop()));
    await Promise.all([this.#leases.stop(reason), this.#turns.stop()]);
    const over = new AbortController();
    const ended = handlers.then(() => Promise.all(this.#works));
    ended.then(
      () => over.abort(),
      () => over.abort(),
    );
    // A post that never comes to its end must not keep the process. Its job is not given back: what may still be stored
    // must not meet another worker's messages before the lease has run out.
    await pauseUnless(over.signal, stopTimeoutMs);
    await this.#leases.close();
    await this.#leases
      .giveBack(this.#leftOver)
      .catch((error) => onError(error, 'jobs could not be released; other workers take them when their leases expire'));
  }

  /** Resolves when the message is of no more use: the job is claimed, by whomever, set aside, or over. */
  async #handle(queue: WorkType, { body }: Delivery): Promise<void> {
    const { job_number, requested_by } = this.#parse(queue, body);
    if (this.#isInHand(job_number)) return;
    if (queue === 'agent_details') {
      // All of these are alike: claiming finds out whether it is to be had.
      return this.#beginOrSetAside('job', { job_number, owner_id: requested_by.id });
    }
    const job = await this.#retryUnavailable(() => this.#options.jobs.get(job_number));
    if (job && this.#canTake(job)) await this.#beginOrSetAside(kindOf(job), job);
  }

  async #takeOver(job: JobRecord): Promise<void> {
    if (isWorkType(job.task_type) && !this.#isInHand(job.job_number)) await this.#beginOrSetAside(kindOf(job), job);
  }

  async #beginOrSetAside(kind: WorkKind, job: Pick<JobRecord, 'job_number' | 'owner_id'>): Promise<void> {
    const release = await this.#turns.take(kind, job.owner_id);
    if (release) await this.#begin(job.job_number, release);
    else await this.#turns.setAside(kind, job);
  }

  #isInHand(job_number: string): boolean {
    return this.#claiming.has(job_number) || this.#leases.holds(job_number);
  }

  #parse(queue: WorkType, body: Uint8Array): JobMessage {
    if (body.length > maxMessageBytes) throw new RejectMessage('the message is too long');
    try {
      const message = this.#validator.require(
        JobMessage,
        JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)),
      );
      if (message.task_type === queue) return message;
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof TypeError || error instanceof ValidationError))
        throw error;
    }
    throw new RejectMessage(`not a message of ${queue}`);
  }

  /** Not those that somebody works on: if that one fails, the job will be found as abandoned. */
  #canTake(job: JobRecord): boolean {
    return job.ended_at === null && isWorkType(job.task_type) && job.lease_until <= this.#options.now();
  }

  /** Begins the work if the job is to be had; gives the slot back in the end. */
  async #begin(job_number: string, release: () => void): Promise<void> {
    if (this.#isInHand(job_number)) return release();
    this.#claiming.add(job_number);
    let run: JobRun | undefined;
    try {
      run = await this.#retryUnavailable(() => this.#leases.claim(job_number));
    } finally {
      this.#claiming.delete(job_number);
      if (!run) release();
    }
    if (!run) return;
    const end = () => {
      this.#leases.drop(run);
      release();
    };
    if (!isWorkType(run.job.task_type)) {
      end();
      // A message that names somebody else's kind of job: hands off.
      await this.#retryUnavailable(() => this.#leases.giveBack([job_number]));
      return;
    }
    const work = this.#work(run).finally(() => {
      this.#works.delete(work);
      end();
    });
    this.#works.add(work);
    if (this.#stopping.signal.aborted) run.stop(this.#stopping.signal.reason);
  }

  /** Never rejects. */
  async #work(run: JobRun): Promise<void> {
    try {
      await this.#attempt(run).catch((error) => this.#settle(run, error));
    } catch (error) {
      if (error instanceof WorkerStopped) this.#leftOver.push(run.job.job_number);
      else if (!isNotOurs(error)) this.#options.onError(error, 'a job could not be ended');
    }
  }

  async #attempt(run: JobRun): Promise<void> {
    const { tasks, maxAttempts } = this.#options;
    if (run.job.attempts > maxAttempts) throw new JobFailed(`Given up after ${maxAttempts} attempts`);
    await tasks[run.job.task_type as WorkType](run);
  }

  /** Throws the error again if the job is not ours to end. */
  async #settle(run: JobRun, error: unknown): Promise<void> {
    const { maxAttempts, onError } = this.#options;
    const { job_number, attempts } = run.job;
    if (isNotOurs(error)) throw error;
    if (error instanceof JobFailed) return run.fail(error.message);
    onError(error, `job ${job_number} failed; it will be retried`);
    // The lease runs out by itself, which is as good a pause as any.
    if (run.posted > 0 || attempts < maxAttempts) return;
    await run.fail(`Given up after ${attempts} attempts: unexpected error`);
  }

  /** Holds the message while the database is away: given back, it would only come again at once. */
  #retryUnavailable<T>(work: () => Promise<T>): Promise<T> {
    return retryUnavailable(work, this.#stopping.signal);
  }
}

function isWorkType(task_type: string): task_type is WorkType {
  return (workTypes as readonly string[]).includes(task_type);
}

function kindOf(job: JobRecord): WorkKind {
  try {
    return job.task_type === 'agent_data' && isSubscription(job) ? 'subscription' : 'job';
  } catch {
    // The task says what is wrong with it.
    return 'job';
  }
}

function isNotOurs(error: unknown): boolean {
  return error instanceof JobOver || error instanceof LeaseLost || error instanceof WorkerStopped;
}
