// The way of a run's process to Weft, over HTTP with the token of the job: holds the run, and tells how it goes.
import type { EmulatorEvent, EmulatorLease, EmulatorLeaseRequest } from '@weft/contract';
import { BackOff } from '@weft/contract/back-off';
import { pauseUnless } from '@weft/contract/pause';
import { type HttpAnswer, HttpClient } from '@weft/sdk';

const pauses = { firstMs: 250, longestMs: 5_000 };
const requestTimeoutMs = 20_000;
/** The callbacks take no more. */
const maxErrorLength = 2_000;

/** The run has ended, whoever ended it: nothing is left to do, and nothing has gone wrong. */
export class RunOver extends Error {
  override name = 'RunOver';
}

/** Somebody else runs it. */
export class LeaseHeld extends Error {
  override name = 'LeaseHeld';
}

/** Weft will never take this. */
export class Refused extends Error {
  override name = 'Refused';
}

/** The same may work later. */
class TryAgain extends Error {
  override name = 'TryAgain';
  readonly afterMs: number;
  constructor(message: string, afterMs: number) {
    super(message);
    this.afterMs = afterMs;
  }
}

export interface WeftClientOptions {
  url: string;
  trustedCertificate?: string | undefined;
  job_number: string;
  callback_token: string;
}

export interface Telling {
  chunk: number;
  /** From 0 to 1. */
  progress?: number;
  final?: boolean;
  /** Ends the run as failed. */
  error?: string;
}

export class WeftClient {
  readonly #http: HttpClient;
  readonly #job_number: string;
  readonly #callback_token: string;

  constructor({ url, trustedCertificate, job_number, callback_token }: WeftClientOptions) {
    this.#http = new HttpClient({ url, trustedCertificate });
    this.#job_number = job_number;
    this.#callback_token = callback_token;
  }

  /** One attempt. Throws RunOver, LeaseHeld, Refused, or anything else that may pass. */
  async lease(request: EmulatorLeaseRequest, signal?: AbortSignal): Promise<EmulatorLease> {
    const timeoutMs = requestTimeoutMs + (request.wait ?? 0) * 1000;
    return (await this.#post('/lease', {}, request, timeoutMs, signal)) as EmulatorLease;
  }

  /** One attempt; the same again is harmless. Throws as `lease` does. */
  async tell(events: readonly EmulatorEvent[], telling: Telling, signal?: AbortSignal): Promise<void> {
    const { chunk, progress, final, error } = telling;
    const query = {
      chunk: String(chunk),
      ...(progress !== undefined && { progress: String(progress) }),
      ...(final && { final: 'true' }),
      ...(error !== undefined && { error: error.slice(0, maxErrorLength).toWellFormed() }),
    };
    await this.#post('', query, events, requestTimeoutMs, signal);
  }

  async #post(
    path: string,
    query: Record<string, string>,
    body: unknown,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const search = new URLSearchParams({ job_number: this.#job_number, ...query });
    const answer = await this.#http.post({
      path: `/api/v1/callback/emulator${path}?${search}`,
      body: JSON.stringify(body),
      token: this.#callback_token,
      timeoutMs,
      signal,
    });
    if (answer.status === 200) return JSON.parse(answer.text);
    throw refusalOf(answer);
  }
}

/** Repeats `work` until it resolves, or throws what will not pass, or the signal is aborted (then its reason). */
export async function patiently<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  onTrouble: (error: unknown) => void = () => {},
): Promise<T> {
  const backOff = new BackOff(pauses);
  for (;;) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RunOver || error instanceof LeaseHeld || error instanceof Refused) throw error;
      onTrouble(error);
      await pauseUnless(signal, backOff.next(error instanceof TryAgain ? error.afterMs : 0));
    }
  }
}

function refusalOf({ status, text, headers }: HttpAnswer): Error {
  const { code, detail } = readRefusal(text);
  const message = `Weft answered ${status}: ${detail}`;
  if (status === 404 || (status === 409 && code === 'job_ended')) return new RunOver(message);
  if (status === 409 && code === 'lease_held') return new LeaseHeld(message);
  if (status >= 500 || status === 408 || (status === 429 && code !== 'job_full')) {
    return new TryAgain(message, Math.max(0, Number(headers['retry-after'] ?? 0) * 1000) || 0);
  }
  return new Refused(message);
}

/** Also of a page that a proxy has answered. */
function readRefusal(text: string): { code: string; detail: string } {
  try {
    const { code, detail } = JSON.parse(text);
    return { code: String(code), detail: typeof detail === 'string' ? detail : JSON.stringify(detail) };
  } catch {
    return { code: 'unknown', detail: 'no reason given' };
  }
}
