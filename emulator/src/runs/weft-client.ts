// The client of a run's process to Weft, over HTTP with the token of the job: renews the lease and reports progress.
import type { EmulatorEvent, EmulatorLease, EmulatorLeaseRequest } from '@weft/contract';
import { BackOff, retry } from '@weft/contract/back-off';
import { detailInWords, HttpClient, keptFetch, WeftRefusal } from '@weft/sdk';

const pauses = { firstMs: 250, longestMs: 5_000 };
const requestTimeoutMs = 20_000;
/** The bound of the callback. */
const maxErrorLength = 2_000;

/** The run has ended, whoever ended it. This is not an error of the run. */
export class RunOver extends Error {
  override name = 'RunOver';
}

/** Another process holds the lease. */
export class LeaseHeld extends Error {
  override name = 'LeaseHeld';
}

/** Weft refuses it for good. */
export class Refused extends Error {
  override name = 'Refused';
}

export interface WeftClientOptions {
  url: string;
  trustedCertificate?: string | undefined;
  job_number: string;
  callback_token: string;
}

export interface ProgressReport {
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

  /** One attempt. Throws RunOver, LeaseHeld, Refused, or an error that may pass. */
  async lease(request: EmulatorLeaseRequest, signal?: AbortSignal): Promise<EmulatorLease> {
    const timeoutMs = requestTimeoutMs + (request.wait ?? 0) * 1000;
    return (await this.#post('/lease', {}, request, timeoutMs, signal)) as EmulatorLease;
  }

  /** One attempt; may be repeated. Throws as `lease` does. */
  async report(events: readonly EmulatorEvent[], report: ProgressReport, signal?: AbortSignal): Promise<void> {
    const { chunk, progress, final, error } = report;
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

/** Retries `work` until it resolves. Throws an error that does not pass, or the reason of the signal. */
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

/** A refusal that may pass is returned unchanged. */
function meaningOf(refusal: WeftRefusal): Error {
  const { status, code, detail } = refusal;
  const message = `Weft answered ${status}: ${detailInWords(detail)}`;
  if (status === 404 || (status === 409 && code === 'job_ended')) return new RunOver(message);
  if (status === 409 && code === 'lease_held') return new LeaseHeld(message);
  const isPassing = status >= 500 || status === 408 || (status === 429 && code !== 'job_full');
  return isPassing ? refusal : new Refused(message);
}
