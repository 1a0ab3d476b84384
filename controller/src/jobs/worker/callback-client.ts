// The worker's way back: posts what a job has brought to the callbacks (#30 to #32), over kept connections, and tries
// again until it is through, the job is over, or there is no point.
import { X509Certificate } from 'node:crypto';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { CallbackAnswer } from '@weft/contract';
import { pauseUnless, retryPauseMs } from './patience.ts';

const maxAnswerBytes = 64 * 1024;
/** The callbacks take no more. */
const maxErrorLength = 2_000;

/** The job has ended, whoever ended it: nothing is left to do, and nothing has gone wrong. */
export class JobOver extends Error {
  override name = 'JobOver';
}

/** The controller will never take this. */
export class CallbackRefused extends Error {
  override name = 'CallbackRefused';
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

/** Nobody took it for as long as it was tried; whether it is stored is not known. */
export class CallbackUnreachable extends Error {
  override name = 'CallbackUnreachable';
}

export interface CallbackClientOptions {
  /** Where the controller is, without `/api`; a function if that shows only later. */
  url: string | (() => string);
  /** PEM of the authority behind the controller's own certificate; the usual ones count unless given. */
  ca?: string | undefined;
  /** PEM of the one certificate that may answer, whatever host it names: for a controller that posts to itself. */
  trustedCertificate?: string | undefined;
  giveUpAfterMs?: number;
  requestTimeoutMs?: number;
  maxConnections?: number;
  random?: () => number;
}

export interface CallbackPost {
  kind: 'agent_data' | 'agent_details' | 'emulator';
  job_number: string;
  callback_token: string;
  /** The text of a JSON array. */
  data: string;
  chunk?: number | undefined;
  final?: boolean | undefined;
  progress?: number | undefined;
  /** Ends the job as failed; cut to what the callbacks take. */
  error?: string | undefined;
  signal?: AbortSignal | undefined;
}

interface Attempt {
  status: number;
  body: { code?: unknown; detail?: unknown };
  retryAfterMs: number;
}

export class CallbackClient {
  readonly #url: () => string;
  readonly #agents: { 'http:': HttpAgent; 'https:': HttpsAgent };
  readonly #giveUpAfterMs: number;
  readonly #requestTimeoutMs: number;
  readonly #random: () => number;

  constructor(options: CallbackClientOptions) {
    const { url, giveUpAfterMs = 60_000, requestTimeoutMs = 20_000, maxConnections = 64 } = options;
    this.#url = typeof url === 'string' ? () => url : url;
    const kept = { keepAlive: true, noDelay: true, maxSockets: maxConnections };
    this.#agents = { 'http:': new HttpAgent(kept), 'https:': new HttpsAgent({ ...kept, ...trustOf(options) }) };
    this.#giveUpAfterMs = giveUpAfterMs;
    this.#requestTimeoutMs = requestTimeoutMs;
    this.#random = options.random ?? Math.random;
  }

  /**
   * Resolves when the message is durable. Throws JobOver, CallbackRefused or CallbackUnreachable, or the reason of the
   * signal. A post that may have got through is repeated with the same chunk number, by which the controller knows it.
   */
  async post(post: CallbackPost): Promise<CallbackAnswer> {
    const { signal } = post;
    const until = performance.now() + this.#giveUpAfterMs;
    for (let failures = 0; ; failures++) {
      signal?.throwIfAborted();
      let problem: string;
      let retryAfterMs = 0;
      try {
        const attempt = await this.#send(post);
        if (attempt.status === 200) return attempt.body as CallbackAnswer;
        if (!isPassing(attempt)) throw refusalOf(attempt);
        problem = `it answered ${attempt.status}`;
        retryAfterMs = attempt.retryAfterMs;
      } catch (error) {
        if (error instanceof JobOver || error instanceof CallbackRefused) throw error;
        signal?.throwIfAborted();
        problem = reasonOf(error);
      }
      const leftMs = until - performance.now();
      if (leftMs <= 0) throw new CallbackUnreachable(`The controller's callback could not be reached: ${problem}`);
      const pauseMs = Math.max(retryPauseMs(failures, this.#random), retryAfterMs);
      await pauseUnless(signal, Math.min(leftMs, pauseMs));
    }
  }

  /** Connections that nobody uses are closed; posts under way are not waited for. */
  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #send({ kind, data, callback_token, signal, ...rest }: CallbackPost): Promise<Attempt> {
    const url = new URL(`${withoutSlash(this.#url())}/api/v1/callback/${kind}`);
    url.search = queryOf(rest);
    const body = Buffer.from(data);
    const isTls = url.protocol === 'https:';
    const options: RequestOptions = {
      method: 'POST',
      agent: this.#agents[isTls ? 'https:' : 'http:'],
      headers: {
        Authorization: `Bearer ${callback_token}`,
        'Content-Type': 'application/json',
        'Content-Length': body.length,
      },
    };
    return new Promise((resolve, reject) => {
      const request = (isTls ? httpsRequest : httpRequest)(url, options);
      const timer = setTimeout(() => request.destroy(new Error('it did not answer in time')), this.#requestTimeoutMs);
      const abort = () => request.destroy(new Error('stopped'));
      signal?.addEventListener('abort', abort);
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      request.on('response', (response) => readAttempt(response).then(resolve, reject).finally(done));
      request.on('error', (error) => {
        done();
        reject(error);
      });
      request.end(body);
    });
  }
}

function trustOf({ ca, trustedCertificate }: CallbackClientOptions): AgentOptions {
  if (trustedCertificate === undefined) return ca === undefined ? {} : { ca };
  const { raw } = new X509Certificate(trustedCertificate);
  return {
    ca: trustedCertificate,
    // The certificate itself is enough, though somebody else has issued it.
    allowPartialTrustChain: true,
    checkServerIdentity: (_host, peer) => (raw.equals(peer.raw) ? undefined : new Error('another certificate answers')),
  };
}

function queryOf({ job_number, chunk, final, progress, error }: Partial<CallbackPost>): string {
  const query = new URLSearchParams({ job_number: job_number! });
  if (chunk !== undefined) query.set('chunk', String(chunk));
  if (final) query.set('final', 'true');
  if (progress !== undefined) query.set('progress', String(progress));
  if (error !== undefined) query.set('error', error.slice(0, maxErrorLength).toWellFormed());
  return query.toString();
}

async function readAttempt(response: IncomingMessage): Promise<Attempt> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response) {
    size += piece.length;
    if (size > maxAnswerBytes) throw new Error('its answer was too long');
    pieces.push(piece);
  }
  const status = response.statusCode!;
  const retryAfterMs = Math.max(0, Number(response.headers['retry-after'] ?? 0) * 1000) || 0;
  return { status, body: parseBody(Buffer.concat(pieces).toString(), status), retryAfterMs };
}

/** A proxy's page says nothing that could be used; an answer that should be one and is not counts as none. */
function parseBody(text: string, status: number): Attempt['body'] {
  try {
    const body = JSON.parse(text);
    if (typeof body === 'object' && body !== null) return body;
  } catch {}
  if (status === 200) throw new Error('its answer made no sense');
  return {};
}

function isPassing({ status, body }: Attempt): boolean {
  return status >= 500 || status === 408 || (status === 429 && body.code !== 'job_full');
}

function refusalOf({ status, body }: Attempt): Error {
  const code = typeof body.code === 'string' ? body.code : 'unknown';
  const detail = typeof body.detail === 'string' ? body.detail : code;
  if (status === 409 && code === 'job_ended') return new JobOver(detail);
  return new CallbackRefused(status, code, `The controller refused a result (${status}): ${detail}`);
}

/** The code of a connection error says enough, and never an address. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

function withoutSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text;
}
