// Works on jobs: takes their messages, claims them in the database (from then on the message may go: the lease is the
// hand-over), does the work under the lease, and takes over what others have left lying.

import { randomUUID } from 'node:crypto';
import { type Broker, type Consumer, type Delivery, RejectMessage } from '@weft/broker';
import { JobMessage } from '@weft/contract';
import { Semaphore } from '@weft/contract/semaphore';
import { TryLaterError, ValidationError } from '../../errors.ts';
import { Validator } from '../../input/validator.ts';
import type { MailboxStore } from '../mailbox/mailbox-store.ts';
import type { JobRecord, JobStore } from '../store/job-store.ts';
import { isSubscription } from './agent-data-source.ts';
import { type CallbackClient, CallbackRefused, CallbackUnreachable, JobOver } from './callback-client.ts';
import { JobFailed, JobRun, type JobTask, LeaseLost, WorkerStopped } from './job-run.ts';
import { patiently, pauseUnless } from './patience.ts';

const workTypes = ['agent_details', 'agent_data'] as const;
type WorkType = (typeof workTypes)[number];

const maxMessageBytes = 1024 * 1024;
const abandonedPerScan = 64;

export interface JobWorkerOptions {
  broker: Pick<Broker, 'consume'>;
  jobs: Pick<JobStore, 'get' | 'claim' | 'renew' | 'release' | 'listAbandoned'>;
  mailbox: Pick<MailboxStore, 'lastChunk' | 'list'>;
  callback: CallbackClient;
  /** A job that is taken over comes without its message, and so without its token. */
  callbackTokenOf: (job_number: string) => string;
  tasks: Record<WorkType, JobTask>;
  /** Ends a job as failed where its callback cannot be reached, or refuses even that. */
  endJob: (job_number: string, detail: string) => Promise<void>;
  onError: (error: unknown, message: string) => void;
  maxJobs?: number;
  /** Live subscriptions do nothing most of the time. */
  maxSubscriptions?: number;
  leaseMs?: number;
  renewEveryMs?: number;
  scanEveryMs?: number;
  /** How often a job may be begun without bringing a message. */
  maxAttempts?: number;
  /** How long posts under way may take when the worker stops. */
  stopTimeoutMs?: number;
  now?: () => number;
}

export class JobWorker {
  readonly #options: Required<JobWorkerOptions>;
  readonly #holder = randomUUID();
  readonly #validator = new Validator({});
  readonly #slots: { job: Semaphore; subscription: Semaphore };
  readonly #stopping = new AbortController();
  /** Undefined while it is being claimed. */
  readonly #runs = new Map<string, JobRun | undefined>();
  readonly #works = new Set<Promise<void>>();
  readonly #leftOver: string[] = [];
  #consumers: Consumer[] = [];
  #timers: NodeJS.Timeout[] = [];
  #renewal: Promise<void> | undefined;
  #scan: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: JobWorkerOptions) {
    this.#options = {
      maxJobs: 8,
      maxSubscriptions: 500,
      leaseMs: 5_000,
      renewEveryMs: 1_500,
      scanEveryMs: 1_000,
      maxAttempts: 5,
      stopTimeoutMs: 5_000,
      now: Date.now,
      ...options,
    };
    const { maxJobs, maxSubscriptions } = this.#options;
    this.#slots = { job: new Semaphore(maxJobs), subscription: new Semaphore(maxSubscriptions) };
  }

  /** Jobs that are being worked on. */
  get running(): number {
    return this.#works.size;
  }

  async start(): Promise<void> {
    const { broker, maxJobs, renewEveryMs, scanEveryMs } = this.#options;
    this.#timers = [
      setInterval(() => {
        this.#renewal ??= this.#renewAll().finally(() => {
          this.#renewal = undefined;
        });
      }, renewEveryMs),
      setInterval(() => {
        this.#scan ??= this.#takeAbandoned().finally(() => {
          this.#scan = undefined;
        });
      }, scanEveryMs),
    ];
    for (const queue of workTypes) {
      // More than there are slots, so that subscriptions that wait for theirs do not hold up everything else.
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
    const { jobs, stopTimeoutMs, onError } = this.#options;
    const reason = new WorkerStopped('the worker is stopping');
    this.#stopping.abort(reason);
    clearInterval(this.#timers[1]);
    const handlers = Promise.all(this.#consumers.map((consumer) => consumer.stop()));
    await this.#scan;
    for (const run of this.#runs.values()) run?.stop(reason);
    const deadline = setTimeout(() => {
      for (const run of this.#runs.values()) run?.abort(reason);
    }, stopTimeoutMs);
    const over = new AbortController();
    const ended = handlers.then(() => Promise.all(this.#works));
    ended.then(
      () => over.abort(),
      () => over.abort(),
    );
    // Something that does not even hear of its end must not keep the process.
    await pauseUnless(over.signal, 2 * stopTimeoutMs);
    clearTimeout(deadline);
    clearInterval(this.#timers[0]);
    await this.#renewal;
    await jobs
      .release(this.#leftOver, this.#holder)
      .catch((error) =>
        onError(error, 'jobs could not be given back; others take them when their leases have run out'),
      );
  }

  /** Resolves when the message is of no more use: the job is claimed, by whomever, or over. */
  async #handle(queue: WorkType, { body }: Delivery): Promise<void> {
    const { job_number } = this.#parse(queue, body);
    if (this.#runs.has(job_number)) return;
    this.#runs.set(job_number, undefined);
    try {
      if (queue === 'agent_details') {
        // All of these are alike: claiming finds out whether it is to be had.
        await this.#slots.job.acquire(this.#stopping.signal);
        await this.#claim(job_number, this.#slots.job);
        return;
      }
      const job = await this.#patiently(() => this.#options.jobs.get(job_number));
      if (job && this.#canTake(job)) await this.#take(job);
    } finally {
      if (!this.#runs.get(job_number)) this.#runs.delete(job_number);
    }
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

  async #take(job: JobRecord): Promise<void> {
    const slots = this.#slotsFor(job);
    await slots.acquire(this.#stopping.signal);
    await this.#claim(job.job_number, slots);
  }

  /** Begins the work if the job is to be had; gives the slot back in the end. */
  async #claim(job_number: string, slots: Semaphore): Promise<void> {
    const { jobs, leaseMs, now } = this.#options;
    let job: JobRecord | undefined;
    try {
      job = await this.#patiently(() => jobs.claim(job_number, this.#holder, now(), leaseMs));
    } finally {
      if (!job) slots.release();
    }
    if (!job) return;
    if (!isWorkType(job.task_type)) {
      slots.release();
      // A message that names somebody else's kind of job: hands off.
      await this.#patiently(() => jobs.release([job_number], this.#holder));
      return;
    }
    const run = this.#runOf(job);
    this.#runs.set(job_number, run);
    const work = this.#work(run).finally(() => {
      this.#runs.delete(job_number);
      this.#works.delete(work);
      slots.release();
    });
    this.#works.add(work);
    if (this.#stopping.signal.aborted) run.stop(this.#stopping.signal.reason);
  }

  #runOf(job: JobRecord): JobRun {
    const { jobs, mailbox, callback, callbackTokenOf, leaseMs, now } = this.#options;
    const { job_number } = job;
    return new JobRun({
      job,
      kind: job.task_type as WorkType,
      callback,
      callback_token: callbackTokenOf(job_number),
      mailbox,
      renew: async () => (await jobs.renew([job_number], this.#holder, now(), leaseMs)).has(job_number),
      leaseMs,
    });
  }

  /** Never rejects. */
  async #work(run: JobRun): Promise<void> {
    const { tasks, maxAttempts, onError } = this.#options;
    try {
      if (run.job.attempts > maxAttempts) throw new JobFailed(`Given up after ${maxAttempts} attempts`);
      await tasks[run.job.task_type as WorkType](run);
    } catch (error) {
      await this.#settle(run, error).catch((problem) => onError(problem, 'a job could not be ended'));
    }
  }

  async #settle(run: JobRun, error: unknown): Promise<void> {
    const { maxAttempts, onError, endJob } = this.#options;
    const { job_number, attempts } = run.job;
    if (error instanceof WorkerStopped) this.#leftOver.push(job_number);
    if (isQuiet(error)) return;
    if (error instanceof JobFailed || error instanceof CallbackRefused) return this.#fail(run, error.message);
    onError(error, `job ${job_number} could not be done; it will be tried again`);
    // The lease runs out by itself, which is as good a pause as any.
    if (run.posted > 0 || attempts < maxAttempts) return;
    const isUnreachable = error instanceof CallbackUnreachable;
    const detail = `Given up after ${attempts} attempts: ${isUnreachable ? error.message : 'something unforeseen happened'}`;
    if (isUnreachable) await run.patiently(() => endJob(job_number, detail));
    else await this.#fail(run, detail);
  }

  async #fail(run: JobRun, detail: string): Promise<void> {
    try {
      await run.fail(detail);
    } catch (error) {
      if (isQuiet(error)) return;
      await run.patiently(() => this.#options.endJob(run.job.job_number, detail));
    }
  }

  async #renewAll(): Promise<void> {
    const { jobs, leaseMs, now, onError } = this.#options;
    const runs = [...this.#runs].filter((entry): entry is [string, JobRun] => entry[1] !== undefined);
    if (runs.length === 0) return;
    const asked = performance.now();
    try {
      const numbers = runs.map(([job_number]) => job_number);
      const renewed = await jobs.renew(numbers, this.#holder, now(), leaseMs);
      for (const [job_number, run] of runs) run.renewed(renewed.has(job_number), asked);
    } catch (error) {
      // While the database is away nobody else can claim the jobs either.
      if (!(error instanceof TryLaterError)) onError(error, 'leases could not be renewed');
    }
  }

  async #takeAbandoned(): Promise<void> {
    const { jobs, now, onError } = this.#options;
    try {
      const abandoned = await jobs.listAbandoned(now(), abandonedPerScan);
      for (const job of abandoned) {
        if (this.#stopping.signal.aborted) return;
        const { job_number } = job;
        const slots = this.#slotsFor(job);
        if (this.#runs.has(job_number) || !isWorkType(job.task_type) || !slots.hasFree) continue;
        this.#runs.set(job_number, undefined);
        try {
          await this.#take(job);
        } finally {
          if (!this.#runs.get(job_number)) this.#runs.delete(job_number);
        }
      }
    } catch (error) {
      if (!(error instanceof TryLaterError || error instanceof WorkerStopped)) {
        onError(error, 'abandoned jobs could not be looked for');
      }
    }
  }

  #slotsFor(job: JobRecord): Semaphore {
    try {
      return job.task_type === 'agent_data' && isSubscription(job) ? this.#slots.subscription : this.#slots.job;
    } catch {
      // The task says what is wrong with it.
      return this.#slots.job;
    }
  }

  /** Holds the message while the database is away: given back, it would only come again at once. */
  #patiently<T>(work: () => Promise<T>): Promise<T> {
    return patiently(work, this.#stopping.signal);
  }
}

function isWorkType(task_type: string): task_type is WorkType {
  return (workTypes as readonly string[]).includes(task_type);
}

function isQuiet(error: unknown): boolean {
  return error instanceof JobOver || error instanceof LeaseLost || error instanceof WorkerStopped;
}
