// What comes back for a job: takes the results of workers, keeps them as messages, and notifies whoever waits for them.
// Between those who work on a job (our own worker, callback-routes for the others) and job-socket.
import type { CallbackAnswer, EnvelopeType } from '@weft/contract';
import { ConflictError, notFound, TryLaterError } from '../../base/errors.ts';
import { type EndState, emptyData, type JobSummary } from '../store/job-record.ts';
import type { AppendOutcome, JobEnd, MailboxStore, MessageRecord, NewMessage } from './mailbox-store.ts';

/** The operations that take results, by what they are about. */
export type CallbackKind = Extract<EnvelopeType, 'agent_data' | 'agent_details' | 'emulator' | 'energy'>;

export interface Callback {
  kind: CallbackKind;
  /** The text of a JSON array, validated, and whether anything is in it. */
  data: string;
  isEmpty: boolean;
  final: boolean;
  chunk: number | null;
  /** Ends the job as failed. */
  error: string | undefined;
  progress: number | undefined;
  /** By our own worker, or with the callback token of the job: workers may send more than others. */
  isByWorker: boolean;
}

/** What is asked of a job that gets results. */
export type PostedJob = Pick<JobSummary, 'job_number' | 'task_type' | 'owner_id'>;

/** Of each job. */
export interface MailboxLimits {
  messages: number;
  bytes: number;
  bytesByWorker: number;
}

export interface MailboxServiceOptions {
  mailbox: MailboxStore;
  /** How long a job and its messages are kept once it has ended. */
  retentionMs: number;
  limits?: MailboxLimits;
  /** Why nothing more is stored for the owner of a job. Default: there is always room. */
  refusal?: (owner_id: string) => TryLaterError | undefined;
  /** Whether a socket of the job is open on this node; default: none. */
  hasSocket?: (job_number: string) => boolean;
  now?: () => number;
}

const defaultLimits: MailboxLimits = { messages: 10_000, bytes: 64 * 2 ** 20, bytesByWorker: 2 ** 30 };
const callbackOf: ReadonlyMap<string, CallbackKind> = new Map([
  ['agent_data', 'agent_data'],
  ['agent_details', 'agent_details'],
  ['emulator_spinup', 'emulator'],
  ['energy', 'energy'],
]);

export class MailboxService {
  readonly #mailbox: MailboxStore;
  readonly #retentionMs: number;
  readonly #limits: MailboxLimits;
  readonly #refusal: NonNullable<MailboxServiceOptions['refusal']>;
  readonly #hasSocket: (job_number: string) => boolean;
  readonly #now: () => number;
  readonly #listeners = new Set<(message: MessageRecord) => void>();

  constructor({ mailbox, retentionMs, limits, refusal, hasSocket, now }: MailboxServiceOptions) {
    this.#mailbox = mailbox;
    this.#retentionMs = retentionMs;
    this.#limits = limits ?? defaultLimits;
    this.#refusal = refusal ?? (() => undefined);
    this.#hasSocket = hasSocket ?? (() => false);
    this.#now = now ?? Date.now;
  }

  /** Notifies of every message once it is durable, in this process only; returns how to end that. */
  onMessage(listener: (message: MessageRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Durable when it resolves. Throws ConflictError `wrong_callback` or `job_ended`, NotFoundError if the job is gone, and
   * TryLaterError 429 `job_full` or `results_full`. A chunk that is there already is answered as at first; it ends an open
   * job if it is the last one now.
   */
  async post(job: PostedJob, callback: Callback): Promise<CallbackAnswer> {
    requireFittingKind(job, callback.kind);
    const { error, isEmpty, final } = callback;
    const { job_number } = job;
    // Before it is stored: the socket that gets the last message is closed with it.
    const isHeard = this.#hasSocket(job_number);
    if (error === undefined) {
      const outcome = await this.#appendData(job, callback, final);
      if (final && outcome.outcome === 'repeated') {
        // Whoever sent it before has not said that it is the last one. A job that has ended refuses this, and stays as it is.
        await this.#append({ ...this.#toEnd(job_number, 'succeeded', null, callback.chunk), mayBeLate: true });
      }
      return this.#answer(outcome, isHeard);
    }
    if (!isEmpty) expectStored(await this.#appendData(job, callback, false));
    // With the same chunk: a repeat of it is known, because its type is another one.
    const end = this.#toEnd(job_number, 'failed', error, callback.chunk);
    return this.#answer(await this.#append({ ...end, mayBeLate: true }), isHeard);
  }

  /** Ends an open job with a last message that says so; resolves whether it was open. */
  async end(job_number: string, state: Exclude<EndState, 'succeeded'>, detail: string): Promise<boolean> {
    return (await this.#append(this.#toEnd(job_number, state, detail, null))).outcome === 'stored';
  }

  /** Of a job that somebody of Weft's own works on, without results in the mailbox: how far it has come, from 0 to 1. */
  async progress(job_number: string, progress: number): Promise<void> {
    const data = JSON.stringify([{ state: 'running', detail: null }]);
    await this.#append({ job_number, type: 'status', data, ts: this.#now(), chunk: null, progress });
  }

  /** The end of such a job; resolves whether it was open. */
  async succeed(job_number: string, detail: string): Promise<boolean> {
    return (await this.#append(this.#toEnd(job_number, 'succeeded', detail, null))).outcome === 'stored';
  }

  /** Ends an open job as succeeded because nothing more came; callbacks that come later are still stored. */
  async endQuietly(job_number: string, detail: string): Promise<void> {
    const message = this.#toEnd(job_number, 'succeeded', detail, null);
    await this.#append({ ...message, ends: { ...message.ends, quietly: true } });
  }

  /** Tells of messages that somebody else has made durable. */
  tell(messages: readonly MessageRecord[]): void {
    for (const message of messages) for (const listener of this.#listeners) listener(message);
  }

  /** In order, after that number; at least one if there is any, and no more than fit. */
  list(job_number: string, afterSeq: number, maxBytes: number): Promise<MessageRecord[]> {
    return this.#mailbox.list(job_number, afterSeq, maxBytes);
  }

  /** The newest message that has a chunk number. */
  lastChunk(job_number: string): Promise<MessageRecord | undefined> {
    return this.#mailbox.lastChunk(job_number);
  }

  async #appendData({ job_number, owner_id }: PostedJob, callback: Callback, isLast: boolean): Promise<AppendOutcome> {
    const { kind, data, isEmpty, chunk, progress, isByWorker } = callback;
    const ts = this.#now();
    const refusal = this.#refusal(owner_id);
    const outcome = await this.#append({
      job_number,
      type: kind,
      data: isEmpty ? emptyData : data,
      ts,
      chunk,
      progress: progress ?? null,
      // What was stored before is still known as a repeat.
      maxMessages: refusal ? 0 : this.#limits.messages,
      maxBytes: isByWorker ? this.#limits.bytesByWorker : this.#limits.bytes,
      mayBeLate: true,
      ...(isLast && { ends: { state: 'succeeded', detail: null, keepUntil: ts + this.#retentionMs } }),
    });
    if (refusal && outcome.outcome === 'full') throw refusal;
    return outcome;
  }

  #toEnd(
    job_number: string,
    state: EndState,
    detail: string | null,
    chunk: number | null,
  ): NewMessage & { ends: JobEnd } {
    const ts = this.#now();
    const data = JSON.stringify([{ state, detail }]);
    return { job_number, type: 'status', data, ts, chunk, ends: { state, detail, keepUntil: ts + this.#retentionMs } };
  }

  async #append(message: NewMessage): Promise<AppendOutcome> {
    const outcome = await this.#mailbox.append(message);
    if (outcome.outcome === 'stored') for (const listener of this.#listeners) listener(outcome.message);
    return outcome;
  }

  #answer(outcome: AppendOutcome, wasHeard: boolean): CallbackAnswer {
    const { job_number, seq } = expectStored(outcome);
    const status = wasHeard || this.#hasSocket(job_number) ? 'delivered' : 'queued';
    return { status, job_number, detail: `Message ${seq} is stored`, seq };
  }
}

function requireFittingKind({ task_type }: Pick<JobSummary, 'task_type'>, kind: CallbackKind): void {
  if (task_type === 'adopted' || callbackOf.get(task_type) === kind) return;
  throw new ConflictError('wrong_callback', `A job of type ${task_type} does not accept ${kind} results`);
}

function expectStored(outcome: AppendOutcome): MessageRecord {
  if ('message' in outcome) return outcome.message;
  if (outcome.outcome === 'ended') throw jobEnded();
  if (outcome.outcome === 'unknown_job') throw notFound('Job');
  throw new TryLaterError(429, 'job_full', 'This job has reached its maximum number or size of messages', 60);
}

export function jobEnded(): ConflictError {
  return new ConflictError('job_ended', 'This job has ended');
}
