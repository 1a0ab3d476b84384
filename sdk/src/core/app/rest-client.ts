// Requests of an App over HTTP: with its token, retried for a bounded time while Weft is busy, as far as a retry is safe.
import type { Token } from '@weft/contract';
import { BackOff, type BackOffOptions, retry } from '@weft/contract/back-off';
import { unlessAborted } from '@weft/contract/pause';
import { HttpClient, type HttpRequest, type Query, readAnswer } from '../http-client.ts';
import { retryAfterMs, toRefusal, toUnreachable, WeftRefusal, WeftUnreachable } from '../weft-refusal.ts';
import { toConflict } from './command-conflict.ts';
import { type Credentials, TokenKeeper } from './credentials.ts';
import { Stream, type StreamSource } from './stream.ts';

/** How long a request is retried before it fails. */
const defaultPatienceMs = 60_000;

export interface RestRequest extends HttpRequest {
  /** Whether sending it twice is the same as sending it once; default: true of everything but POST. */
  isRepeatable?: boolean;
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
  readonly #http: HttpClient<Response>;
  readonly tokens: TokenKeeper;
  /** Ends every request and every stream. */
  readonly closing = new AbortController();

  constructor(options: RestClientOptions) {
    this.#options = options;
    this.#http = new HttpClient({ url: options.url, fetch: heldFetch(options.fetch) });
    this.tokens = new TokenKeeper(options.credentials, (kind, { username, password }) =>
      this.#patiently({ isRepeatable: true }, () =>
        this.#answer<Token>({
          method: 'POST',
          path: '/api/v1/token/',
          query: { login_type: kind },
          form: { username, password },
        }),
      ),
    );
  }

  get url(): string {
    return this.#http.url;
  }

  /** Throws WeftRefusal, CommandConflict, WeftUnreachable, or the signal's reason. */
  ask<Answer>(request: RestRequest): Promise<Answer> {
    return this.#patiently(request, () =>
      this.#withToken(request, (token) => this.#answer<Answer>({ ...request, token })),
    );
  }

  /** One attempt, for an answer of any length; throws as `ask` does. */
  open(request: RestRequest, signal = request.signal): Promise<Response> {
    return this.#withToken(request, async (token) => {
      try {
        const response = await this.#http.open({ ...request, token }, signal ?? new AbortController().signal);
        if (response.ok) return response;
        throw toError(response, await response.text());
      } catch (error) {
        signal?.throwIfAborted();
        throw toUnreachable(error);
      }
    });
  }

  /** Ends with the signal, or with this client. */
  stream<T>(source: StreamSource<T>, signal: AbortSignal | undefined): Stream<T> {
    return new Stream(source, signal, this.closing.signal);
  }

  /** All items of a list that comes in pages. */
  pages<T>(path: string, query: Query, signal: AbortSignal | undefined): Stream<T> {
    return this.stream((ended) => this.#eachPage<T>(path, query, ended), signal);
  }

  newBackOff(): BackOff {
    return new BackOff(this.#options.backOff);
  }

  async *#eachPage<T>(path: string, query: Query, signal: AbortSignal): AsyncGenerator<T, void> {
    for (let cursor: string | undefined | null; cursor !== null; ) {
      const request = { method: 'GET', path, query: { ...query, cursor }, signal } as const;
      const page: { items: T[]; next: string | null } = await this.ask(request);
      yield* page.items;
      cursor = page.next;
    }
  }

  /** A token that is no longer valid is renewed once. */
  async #withToken<T>(request: RestRequest, work: (token: string | undefined) => Promise<T>): Promise<T> {
    this.closing.signal.throwIfAborted();
    const token = await this.tokens.token(request.signal);
    try {
      return await work(token);
    } catch (error) {
      if (token === undefined || !(error instanceof WeftRefusal && error.status === 401)) throw error;
      this.tokens.forget(token);
      if (!this.tokens.canRenew) throw error;
      return work(await this.tokens.token(request.signal));
    }
  }

  #patiently<T>(request: Partial<RestRequest>, work: () => Promise<T>): Promise<T> {
    const { signal, method, isRepeatable = method !== 'POST' } = request;
    const backOff = this.newBackOff();
    const deadline = performance.now() + (this.#options.patienceMs ?? defaultPatienceMs);
    const pauseAfter = (error: unknown) => {
      if (!mayRepeat(error, isRepeatable)) return undefined;
      // On top of what Weft asks for, so that those who were refused together do not come back together.
      const pauseMs = backOff.next() + retryAfterMs(error);
      return performance.now() + pauseMs > deadline ? undefined : pauseMs;
    };
    return retry(work, { pauseAfter, signal });
  }

  async #answer<Answer>(request: HttpRequest): Promise<Answer> {
    try {
      const answer = await this.#http.answer(request);
      const conflict = toConflict(answer.status, answer.text, answer.headers.get('retry-after'));
      if (conflict) throw conflict;
      return readAnswer(answer);
    } catch (error) {
      request.signal?.throwIfAborted();
      throw toUnreachable(error);
    }
  }
}

/**
 * The body of an answer ends with the signal of its request. That is so anyway, but for Node 20, which forgets after a garbage
 * collection that the two belong together.
 */
function heldFetch(ask: typeof fetch): typeof fetch {
  return async (url, init) => {
    const answer = await ask(url, init);
    const signal = init?.signal;
    if (!answer.body || !signal) return answer;
    const reader = answer.body.getReader();
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        try {
          const { done, value } = await unlessAborted(reader.read(), signal);
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          await reader.cancel(error).catch(() => {});
          throw error;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    });
    const { status, statusText, headers } = answer;
    return new Response(body, { status, statusText, headers });
  };
}

/** What Weft itself refuses for now has changed nothing; anything else that failed may have. */
function mayRepeat(error: unknown, isRepeatable: boolean): boolean {
  if (error instanceof WeftUnreachable) return isRepeatable;
  if (!(error instanceof WeftRefusal)) return false;
  const { status, code } = error;
  if (status === 429 || status === 503) return isRepeatable || code !== 'unknown';
  return isRepeatable && (status === 502 || status === 504);
}

/** What an answer other than a success says. */
export function toError({ status, headers }: Pick<Response, 'status' | 'headers'>, text: string): WeftRefusal {
  const retryAfter = headers.get('retry-after');
  return toConflict(status, text, retryAfter) ?? toRefusal(status, text, retryAfter);
}
