// The way of a run's process to Weft, over HTTP with the token of the job: holds the run, and tells how it goes.
import type { EmulatorEvent, EmulatorLease, EmulatorLeaseRequest } from '@weft/contract';
import { BackOff } from '@weft/contract/back-off';
import { retry } from '@weft/contract/retry';
import { HttpClient, keptFetch, WeftRefusal } from '@weft/sdk';

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
    this.#http = new HttpClient({ url, fetch: keptFetch(trustedCertificate) });
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
    try {
      return await this.#http.ask({
        method: 'POST',
        path: `/api/v1/callback/emulator${path}`,
        query: { job_number: this.#job_number, ...query },
        json: body,
        token: this.#callback_token,
        timeoutMs,
        signal,
      });
    } catch (error) {
      throw error instanceof WeftRefusal ? meaningOf(error) : error;
    }
  }
}

/** Repeats `work` until it resolves, or throws what will not pass, or the signal is aborted (then its reason). */
export function patiently<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  onTrouble: (error: unknown) => void = () => {},
): Promise<T> {
  const backOff = new BackOff(pauses);
  const pauseAfter = (error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof RunOver || error instanceof LeaseHeld || error instanceof Refused) return undefined;
    onTrouble(error);
    return backOff.next(error instanceof WeftRefusal ? (error.retryAfterSeconds ?? 0) * 1000 : 0);
  };
  return retry(work, { pauseAfter, signal });
}

/** A refusal that may pass is left as it is. */
function meaningOf(refusal: WeftRefusal): Error {
  const { status, code, detail } = refusal;
  const message = `Weft answered ${status}: ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`;
  if (status === 404 || (status === 409 && code === 'job_ended')) return new RunOver(message);
  if (status === 409 && code === 'lease_held') return new LeaseHeld(message);
  const isPassing = status >= 500 || status === 408 || (status === 429 && code !== 'job_full');
  return isPassing ? refusal : new Refused(message);
}
