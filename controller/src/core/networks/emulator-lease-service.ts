// The interface to the external process that runs an emulated network: it holds a lease on the run for as long
// as it renews it, receives the requests of callers, and returns the answers.
import { randomUUID } from 'node:crypto';
import type { EmulatorLease, EmulatorLeaseRequest, EmulatorRequest } from '@weft/contract';
import { pauseUnless } from '@weft/contract/pause';
import { type Actor, system } from '../base/caller.ts';
import { ConflictError, NotFoundError, orNotFound, TryLaterError } from '../base/errors.ts';
import { invalidValue } from '../base/input/value-rules.ts';
import { jobEnded, type MailboxService } from '../jobs/mailbox/mailbox-service.ts';
import type { MailboxStore } from '../jobs/mailbox/mailbox-store.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import type { EmulatorRequestStore } from './emulator-request-store.ts';
import type { EmulatorRunStore } from './emulator-run-store.ts';
import type { RunSlots, RunTurns } from './run-turns.ts';

export interface EmulatorLeaseServiceOptions {
  jobs: Pick<JobStore, 'get' | 'claim' | 'renew' | 'release'>;
  mailbox: Pick<MailboxService, 'end'>;
  messages: Pick<MailboxStore, 'lastChunk'>;
  requests: EmulatorRequestStore;
  turns: Pick<RunTurns, 'begin' | 'freed'>;
  runs: Pick<EmulatorRunStore, 'noteModelTime'>;
  /** What the access points of a run said last that they run. */
  settingsOf: (job_number: string) => Promise<EmulatorLease['settings']>;
  /** How often the store is polled for changes of other nodes while a request waits. */
  lookAgainMs: number;
  leaseMs?: number;
  answerWithinMs?: number;
  now?: () => number;
}

/** Later the computation has come to its end by itself. */
const cancelWithinMs = 60_000;

/** A run that was started this often without a message crashes its emulators, and fails. */
const maxAttempts = 5;

export class EmulatorLeaseService {
  readonly #options: Required<Omit<EmulatorLeaseServiceOptions, 'now'>>;
  readonly #now: () => number;
  /** Waiting calls, by run or by request. */
  readonly #waiting = new Map<string, Set<() => void>>();
  #isStopped = false;

  constructor({ now = Date.now, ...options }: EmulatorLeaseServiceOptions) {
    this.#options = { leaseMs: 30_000, answerWithinMs: 60_000, ...options };
    this.#now = now;
  }

  /**
   * Acquires or renews the lease of the holder; resolves with the requests for the network, after waiting for them if
   * requested. Throws ConflictError `lease_held` (also if it is not the turn of the run) or `job_ended`, NotFoundError.
   */
  async lease(job_number: string, request: EmulatorLeaseRequest, gone: AbortSignal): Promise<EmulatorLease> {
    const { holder, release = false, wait = 0, answers = [], slots, model_time, settings = false } = request;
    const { requests, jobs, leaseMs, messages, turns } = this.#options;
    for (const { id, answer } of answers) {
      await requests.answer(job_number, id, JSON.stringify(answer ?? null));
      this.#wake(id);
    }
    let found: EmulatorRequest[] = [];
    if (release) {
      await jobs.release([job_number], holder);
      turns.freed();
    } else {
      found = await this.#hold(job_number, { holder, slots, model_time }, wait * 1000, gone);
    }
    return {
      lease_seconds: release ? 0 : leaseMs / 1000,
      now: new Date(this.#now()).toISOString(),
      last_chunk: (await messages.lastChunk(job_number))?.chunk ?? 0,
      requests: found,
      ...(settings && { settings: await this.#options.settingsOf(job_number) }),
    };
  }

  /**
   * Sends a request to a running network and resolves its answer. Throws the error in the answer, TryLaterError 503
   * `emulator_silent` if there is no answer, and the reason of the signal. What nobody waits for any more is not sent.
   */
  async ask(
    job_number: string,
    kind: EmulatorRequest['kind'],
    body: Record<string, unknown>,
    { withinMs = this.#options.answerWithinMs, signal, place = 'body', by }: AskOptions = {},
  ): Promise<Record<string, unknown>> {
    const { requests } = this.#options;
    const id = randomUUID();
    const until = this.#now() + withinMs;
    await requests.create({ id, job_number, kind, body, expires_at: until }, this.#now(), by ?? system);
    this.#wake(job_number);
    try {
      for (;;) {
        const answer = await requests.answerOf(id);
        if (answer !== undefined) return toAnswer(JSON.parse(answer), place);
        if (signal?.aborted && (await requests.remove(id))) await this.#cancel(job_number, id);
        signal?.throwIfAborted();
        const leftMs = until - this.#now();
        if (leftMs <= 0 || this.#isStopped) {
          throw new TryLaterError(503, 'emulator_silent', 'The emulator has not answered; try again', 5);
        }
        await this.#wait(id, leftMs, signal);
      }
    } finally {
      await requests.remove(id).catch(() => {});
    }
  }

  /** Whoever has taken the request, and computes the answer, can stop. */
  async #cancel(job_number: string, id: string): Promise<void> {
    const expires_at = this.#now() + cancelWithinMs;
    const request = { id: randomUUID(), job_number, kind: 'cancel', body: { id }, expires_at } as const;
    await this.#options.requests.create(request, this.#now(), system);
    this.#wake(job_number);
  }

  /** The run has changed: waiting calls check again. */
  changed(job_number: string): void {
    this.#wake(job_number);
  }

  /** All waiting calls are answered now. */
  stop(): void {
    this.#isStopped = true;
    for (const wakes of this.#waiting.values()) for (const wake of wakes) wake();
  }

  async #hold(job_number: string, by: Holder, waitMs: number, gone: AbortSignal): Promise<EmulatorRequest[]> {
    const until = this.#now() + waitMs;
    for (let isFirst = true; ; isFirst = false) {
      await this.#claim(job_number, by);
      if (isFirst && by.model_time !== undefined)
        await this.#options.runs.noteModelTime(job_number, Date.parse(by.model_time));
      const found = await this.#options.requests.take(job_number, this.#now());
      const leftMs = until - this.#now();
      if (found.length > 0 || leftMs <= 0 || gone.aborted || this.#isStopped) return found;
      await this.#wait(job_number, leftMs, gone);
    }
  }

  async #claim(job_number: string, { holder, slots }: Holder): Promise<void> {
    const { jobs, mailbox, turns, leaseMs } = this.#options;
    const now = this.#now();
    if ((await jobs.renew([job_number], holder, now, leaseMs)).has(job_number)) return;
    const found = orNotFound(await jobs.get(job_number), 'Job');
    if (found.ended_at !== null) throw jobEnded();
    if (found.lease_until > now) throw leaseHeld();
    const job = await turns.begin(found, holder, slots, () => jobs.claim(job_number, holder, now, leaseMs));
    if (job && job.attempts > maxAttempts) {
      await mailbox.end(job_number, 'failed', `Given up after ${maxAttempts} attempts`);
      throw jobEnded();
    }
    if (job) return;
    const present = orNotFound(await jobs.get(job_number), 'Job');
    if (present.ended_at !== null) throw jobEnded();
    throw leaseHeld();
  }

  /** Waits until woken, the next poll, or the end of the time. */
  async #wait(key: string, leftMs: number, gone?: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const wake = () => woken.abort();
    const wakes = this.#waiting.get(key) ?? new Set();
    wakes.add(wake);
    this.#waiting.set(key, wakes);
    gone?.addEventListener('abort', wake);
    try {
      await pauseUnless(woken.signal, Math.min(leftMs, this.#options.lookAgainMs));
    } finally {
      gone?.removeEventListener('abort', wake);
      wakes.delete(wake);
      if (wakes.size === 0) this.#waiting.delete(key);
    }
  }

  #wake(key: string): void {
    for (const wake of this.#waiting.get(key) ?? []) wake();
  }
}

export interface AskOptions {
  withinMs?: number;
  signal?: AbortSignal;
  /** Whose share of what the network answers it is. */
  by?: Actor;
  /** Where the fields stand that an error answer is about. */
  place?: 'body' | 'query';
}

interface Holder {
  holder: string;
  slots: RunSlots | undefined;
  model_time: string | undefined;
}

function leaseHeld(): ConflictError {
  return new ConflictError('lease_held', 'Another process holds the lease on this run');
}

/** Throws an error answer as the matching error of the interface. */
function toAnswer(answer: unknown, place: 'body' | 'query'): Record<string, unknown> {
  if (typeof answer !== 'object' || answer === null) return {};
  const { error } = answer as { error?: { code?: unknown; detail?: unknown; field?: unknown } };
  if (error === undefined) return answer as Record<string, unknown>;
  const code = String(error.code ?? 'emulator_refused');
  const detail = String(error.detail ?? 'The emulator refused');
  switch (code) {
    case 'agent_not_found':
      throw new NotFoundError(code, detail);
    case 'what_if_too_long':
      throw invalidValue(['body', 'minutes'], detail);
    case 'too_many_futures':
      throw invalidValue(['body', 'futures'], detail);
    case 'invalid_command':
      throw invalidValue(['body', 'commands'], detail);
    case 'invalid_fault':
      throw invalidValue(['body', 'amount'], detail);
    case 'invalid_coverage':
      throw invalidValue([place, String(error.field ?? 'bounds')], detail);
    case 'coverage_failed':
      throw new TryLaterError(503, code, detail, 5);
    case 'too_many_coverages':
    case 'too_many_what_ifs':
      throw new TryLaterError(429, code, detail, 10);
    default:
      throw new ConflictError(code, detail);
  }
}
