// The messages of a job, each once and in order, whatever happens to the connection: over the job's WebSocket, and where
// that cannot be had, by asking for them.
import type { JobEnvelope, JobState, JobWithMessages } from '@weft/contract';
import { pause } from '@weft/contract/pause';
import { isPassing } from '../weft-refusal.ts';
import type { RestClient } from './rest-client.ts';
import { openSocket, type SocketReader, type WebSocketClass } from './web-socket.ts';

/** After this long without a message it is asked whether there is one: a dead connection says nothing. */
const quietMs = 45_000;

/** The job did not succeed. */
export class JobFailure extends Error {
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

/** From after the message numbered `after` to the last one; throws WeftRefusal if there is no such job for this caller. */
export async function* jobMessages(
  { rest, WebSocket }: JobConnection,
  job_number: string,
  signal: AbortSignal,
  after = 0,
): AsyncGenerator<JobEnvelope, void> {
  const backOff = rest.newBackOff();
  const path = `/api/v1/jobs/${encodeURIComponent(job_number)}`;
  let seq = after;
  /** Undefined while Weft is away. */
  const readStored = () =>
    rest.ask<JobWithMessages>({ method: 'GET', path, query: { after: seq }, signal }).catch((error) => {
      if (isPassing(error)) return undefined;
      throw error;
    });
  for (;;) {
    let socket: SocketReader | undefined;
    try {
      const token = await rest.tokens.token(signal);
      const url = `${rest.url.replace(/^http/, 'ws')}/api/v1/ws/${encodeURIComponent(job_number)}?after=${seq}`;
      socket = await openSocket(WebSocket, url, token, signal).catch(() => undefined);
      signal.throwIfAborted();
      while (socket) {
        const text = await socket.next(quietMs, signal);
        if (text === undefined) break;
        if (text === null) {
          const stored = await readStored();
          if (stored && stored.last_seq <= seq) continue;
          break;
        }
        const message: JobEnvelope = JSON.parse(text);
        if (message.seq <= seq) continue;
        seq = message.seq;
        backOff.reset();
        yield message;
        if (message.final) return;
      }
      if (socket?.closeCode === 4401) rest.tokens.forget(token);
    } finally {
      socket?.close();
    }
    // Also tells, where the socket only was not there, whether it is worth trying again.
    const stored = await readStored();
    for (const message of stored?.messages ?? []) {
      seq = message.seq;
      yield message;
      if (message.final) return;
    }
    if (stored?.has_more) continue;
    // Whoever asks for what comes after the end has everything.
    if (stored && stored.ended_at !== null && stored.last_seq <= seq) return;
    await pause(backOff.next(), signal);
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
