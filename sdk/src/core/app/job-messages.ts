// The messages of a job, each once and in order, whatever happens to the connection: over the job's WebSocket, and where
// that cannot be had, by asking for them.
import type { Job, JobEnvelope, JobState, JobWithMessages } from '@weft/contract';
import type { BackOff } from '@weft/contract/back-off';
import { pause } from '@weft/contract/pause';
import { isPassing, KnownError, retryAfterMs } from '../weft-refusal.ts';
import type { RestClient } from './rest-client.ts';
import { openSocket, type WebSocketClass } from './web-socket.ts';

/** After this long without a message it is asked whether there is one: a dead connection says nothing. */
const quietMs = 45_000;
/** The job did not succeed. */
export class JobFailure extends KnownError {
  static override readonly kind: string = 'JobFailure';
  override name = 'JobFailure';
  readonly job_number: string;
  readonly state: JobState;

  constructor(job_number: string, state: JobState, detail: string | null | undefined) {
    super(detail ?? `the job ended as ${state}`);
    this.job_number = job_number;
    this.state = state;
  }
}

export interface JobConnection {
  rest: RestClient;
  WebSocket: WebSocketClass;
}

export interface JobOptions {
  /** The `seq` of the last message that is not wanted. A function chooses it by the job as it is stored. Default: 0. */
  after?: (number | ((job: Job) => number)) | undefined;
  /** Messages now come over a socket; called again after each break. */
  onOpen?: (() => void) | undefined;
  /** There is no socket. With an error Weft is away; without one, messages are polled until there is a socket again. */
  onBreak?: ((error?: Error) => void) | undefined;
  /** How often messages are asked for while there is no socket and Weft answers. Default: as often as a socket is tried. */
  pollMs?: number | undefined;
  /** The job as it is stored, whenever it was read; the last time after its end. */
  onJob?: ((job: Job) => void) | undefined;
}

/** From after the message numbered `after` to the last one; throws WeftRefusal if there is no such job for this caller. */
export function jobMessages(
  connection: JobConnection,
  job_number: string,
  signal: AbortSignal,
  options: JobOptions = {},
): AsyncGenerator<JobEnvelope, void> {
  return new JobReader(connection, job_number, signal, options).messages();
}

class JobReader {
  readonly #connection: JobConnection;
  readonly #job: string;
  readonly #signal: AbortSignal;
  readonly #options: JobOptions;
  readonly #backOff: BackOff;
  /** Of the last message that was handed on. */
  #seq = 0;
  /** Why the job could not be read just now. */
  #error: Error | undefined;

  constructor(connection: JobConnection, job_number: string, signal: AbortSignal, options: JobOptions) {
    this.#connection = connection;
    this.#job = encodeURIComponent(job_number);
    this.#signal = signal;
    this.#options = options;
    this.#backOff = connection.rest.newBackOff();
  }

  async *messages(): AsyncGenerator<JobEnvelope, void> {
    const { after = 0, onBreak } = this.#options;
    if (typeof after === 'number') this.#seq = after;
    let hasBegun = typeof after === 'number';
    let retryAtMs = 0;
    for (;;) {
      if (hasBegun && performance.now() >= retryAtMs) {
        if (yield* this.#listen()) return;
        retryAtMs = performance.now() + this.#backOff.next();
      }
      // Also tells, where the socket only was not there, whether it is worth trying again.
      const stored = await this.#read();
      if (stored && !hasBegun) {
        hasBegun = true;
        if (typeof after === 'function') this.#seq = after(stored);
        if (this.#seq > 0) continue;
      }
      for (const message of stored?.messages ?? []) {
        this.#seq = message.seq;
        yield message;
        if (message.final) return;
      }
      if (stored?.has_more) continue;
      // Whoever asks for what comes after the end has everything.
      if (stored && stored.ended_at !== null && stored.last_seq <= this.#seq) return;
      if (!hasBegun) retryAtMs = performance.now() + this.#backOff.next();
      const waitMs = retryAtMs - performance.now();
      if (waitMs <= 0) continue;
      onBreak?.(this.#error);
      const { pollMs = waitMs } = this.#options;
      await pause(stored ? Math.min(pollMs, waitMs) : waitMs + retryAfterMs(this.#error), this.#signal);
    }
  }

  /** What the socket delivers until it closes; returns whether the reader has all there is to know. */
  async *#listen(): AsyncGenerator<JobEnvelope, boolean> {
    const { rest, WebSocket } = this.#connection;
    const { onOpen, onJob } = this.#options;
    const signal = this.#signal;
    const token = await rest.tokens.token(signal);
    if (token === undefined) return false;
    const url = `${rest.url.replace(/^http/, 'ws')}/api/v1/ws/${this.#job}?after=${this.#seq}`;
    const socket = await openSocket(WebSocket, url, token, signal).catch(() => undefined);
    signal.throwIfAborted();
    if (!socket) return false;
    try {
      onOpen?.();
      for (;;) {
        const text = await socket.next(quietMs, signal);
        if (text === undefined) break;
        if (text === null) {
          const stored = await this.#read();
          if (stored && stored.last_seq <= this.#seq) continue;
          break;
        }
        const message: JobEnvelope = JSON.parse(text);
        if (message.seq <= this.#seq) continue;
        this.#seq = message.seq;
        this.#backOff.reset();
        yield message;
        if (message.final) return onJob === undefined;
      }
      if (socket.closeCode === 4401) rest.tokens.forget(token);
      return false;
    } finally {
      socket.close();
    }
  }

  /** Undefined while Weft is away. */
  async #read(): Promise<JobWithMessages | undefined> {
    const path = `/api/v1/jobs/${this.#job}`;
    const query = { after: this.#seq };
    try {
      const stored = await this.#connection.rest.ask<JobWithMessages>({
        method: 'GET',
        path,
        query,
        signal: this.#signal,
      });
      this.#error = undefined;
      const { messages, has_more, ...job } = stored;
      this.#options.onJob?.(job);
      return stored;
    } catch (error) {
      if (!isPassing(error)) throw error;
      this.#error = error as Error;
      return undefined;
    }
  }
}

/** The same without the envelopes: throws JobFailure if the job does not succeed. */
export async function* jobRecords<T>(messages: AsyncIterable<JobEnvelope>): AsyncGenerator<T, void> {
  for await (const { job_number, type, data } of messages) {
    if (type === 'status') {
      const [{ state, detail }] = data as [{ state: JobState; detail: string | null }];
      throw new JobFailure(job_number, state, detail);
    }
    yield* data as T[];
  }
}
