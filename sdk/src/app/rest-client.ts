// Requests of an App over HTTP: with its token, repeated while Weft is busy as far as that can do no harm, never for ever.
import type { Token } from '@weft/contract';
import { BackOff, type BackOffOptions } from '../back-off.ts';
import { toRefusal, WeftRefusal } from '../weft-refusal.ts';
import { toConflict } from './command-conflict.ts';
import { type Credentials, TokenKeeper } from './credentials.ts';
import { linkedSignal, pause } from './pause.ts';

const timeoutMs = 30_000;
/** How long a request is repeated before its failure is the caller's. */
const defaultPatienceMs = 60_000;

/** There was no answer. Whether the request arrived is not known. */
export class WeftUnreachable extends Error {
  override name = 'WeftUnreachable';
}

export type Query = Record<string, string | number | boolean | readonly string[] | undefined>;

export interface RestRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  query?: Query;
  json?: unknown;
  /** Whether sending it twice is the same as sending it once; true of everything but POST unless told. */
  isRepeatable?: boolean;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

export interface RestClientOptions {
  url: string;
  credentials: Credentials;
  fetch: typeof fetch;
  backOff?: BackOffOptions | undefined;
  patienceMs?: number | undefined;
}

export class RestClient {
  readonly #options: RestClientOptions;
  readonly url: string;
  readonly tokens: TokenKeeper;

  constructor(options: RestClientOptions) {
    this.#options = options;
    this.url = options.url.replace(/\/+$/, '');
    this.tokens = new TokenKeeper(options.credentials, (kind, { username, password }) =>
      this.#patiently({ isRepeatable: true }, () =>
        this.#answer<Token>({
          ...{ method: 'POST', path: '/api/v1/token/', query: { login_type: kind } },
          form: new URLSearchParams({ username, password }),
        }),
      ),
    );
  }

  /** Throws WeftRefusal, CommandConflict, WeftUnreachable, or the signal's reason. */
  ask<Answer>(request: RestRequest): Promise<Answer> {
    return this.#patiently(request, () => this.#withToken(request, (token) => this.#answer<Answer>(request, token)));
  }

  /** One attempt, for an answer that has no end; throws as `ask` does. */
  open(request: RestRequest, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    return this.#withToken(request, async (token) => {
      try {
        const response = await this.#send(request, token, signal, headers);
        if (response.status === 200) return response;
        throw toError(response, await response.text());
      } catch (error) {
        signal.throwIfAborted();
        throw toUnreachable(error);
      }
    });
  }

  newBackOff(): BackOff {
    return new BackOff(this.#options.backOff);
  }

  /** A token that has become bad meanwhile is renewed once. */
  async #withToken<T>(request: RestRequest, work: (token: string) => Promise<T>): Promise<T> {
    const token = await this.tokens.token(request.signal);
    try {
      return await work(token);
    } catch (error) {
      if (!(error instanceof WeftRefusal && error.status === 401 && this.tokens.canRenew)) throw error;
      this.tokens.forget(token);
      return work(await this.tokens.token(request.signal));
    }
  }

  async #patiently<T>(request: Partial<RestRequest>, work: () => Promise<T>): Promise<T> {
    const { signal, method, isRepeatable = method !== 'POST' } = request;
    const backOff = this.newBackOff();
    const deadline = performance.now() + (this.#options.patienceMs ?? defaultPatienceMs);
    for (;;) {
      signal?.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        if (!mayRepeat(error, isRepeatable)) throw error;
        // On top of what Weft asks for, so that those who were refused together do not come back together.
        const waitMs = backOff.next() + (error instanceof WeftRefusal ? (error.retryAfterSeconds ?? 0) * 1000 : 0);
        if (performance.now() + waitMs > deadline) throw error;
        await pause(waitMs, signal);
      }
    }
  }

  async #answer<Answer>(request: RestRequest & { form?: URLSearchParams }, token?: string): Promise<Answer> {
    const { controller, release } = linkedSignal(request.signal);
    const tooLate = new WeftUnreachable('Weft did not answer in time');
    const timer = setTimeout(() => controller.abort(tooLate), request.timeoutMs ?? timeoutMs);
    try {
      const response = await this.#send(request, token, controller.signal);
      const text = await response.text();
      if (response.status === 204) return undefined as Answer;
      if (response.ok) return JSON.parse(text);
      throw toError(response, text);
    } catch (error) {
      request.signal?.throwIfAborted();
      throw toUnreachable(error);
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  #send(
    { method, path, query, json, form }: RestRequest & { form?: URLSearchParams },
    token: string | undefined,
    signal: AbortSignal,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    // A token must not go where somebody else points.
    return this.#options.fetch(this.url + path + toSearch(query), {
      ...{ method, signal, redirect: 'error', credentials: 'omit' },
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: form ?? (json === undefined ? null : JSON.stringify(json)),
    });
  }
}

/** The same may work later. */
export function isPassing(error: unknown): boolean {
  return error instanceof WeftUnreachable || (error instanceof WeftRefusal && error.isPassing);
}

/** What Weft itself refuses for now has changed nothing; anything else that failed may have. */
function mayRepeat(error: unknown, isRepeatable: boolean): boolean {
  if (error instanceof WeftUnreachable) return isRepeatable;
  if (!(error instanceof WeftRefusal)) return false;
  const { status, code } = error;
  if (status === 429 || status === 503) return isRepeatable || code !== 'unknown';
  return isRepeatable && (status === 502 || status === 504);
}

function toError(response: Response, text: string): WeftRefusal {
  const retryAfter = response.headers.get('retry-after');
  return toConflict(response.status, text, retryAfter) ?? toRefusal(response.status, text, retryAfter);
}

function toSearch(query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) search.append(name, String(each));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

/** What is not an answer of Weft's. */
export function toUnreachable(error: unknown): Error {
  if (error instanceof WeftRefusal || error instanceof WeftUnreachable) return error;
  return new WeftUnreachable(`Weft is unreachable: ${reasonOf(error)}`, { cause: error });
}

/** Node says why in the cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } };
  return cause?.message || cause?.code || message || String(error);
}
