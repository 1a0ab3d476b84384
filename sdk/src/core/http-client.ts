// Requests to Weft: the one place where the SDK makes them, in Node and in browsers. Which connections they use is up to the
// `fetch` that is given: the platform's own for an App, `keptFetch` for an Agent.
import { onAbort } from '@weft/contract/pause';
import { toRefusal, WeftUnreachable } from './weft-refusal.ts';

const defaultTimeoutMs = 30_000;

/** What is needed of a Response. */
export interface FetchAnswer {
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
}

export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer> | null;
  signal: AbortSignal;
  redirect: 'error';
  credentials: 'omit';
}

export type Fetch<Answer extends FetchAnswer = FetchAnswer> = (url: string, init: FetchInit) => Promise<Answer>;

export type Query = Record<string, string | number | boolean | readonly string[] | undefined>;

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: Query;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as a form. */
  form?: Record<string, string>;
  /** Sent as it is; `headers` say what it is. */
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  token?: string | undefined;
  /** For the whole answer; default: 30,000. */
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  status: number;
  text: string;
  headers: FetchAnswer['headers'];
}

export interface HttpClientOptions<Answer extends FetchAnswer> {
  /** Where Weft is, such as https://weft.example.org. */
  url: string;
  fetch: Fetch<Answer>;
}

export class HttpClient<Answer extends FetchAnswer = FetchAnswer> {
  readonly url: string;
  readonly #fetch: Fetch<Answer>;

  constructor({ url, fetch }: HttpClientOptions<Answer>) {
    this.url = url.replace(/\/+$/, '');
    this.#fetch = fetch;
  }

  /** Resolves when an answer begins, whatever it is, and goes on until `signal`. Throws what `fetch` throws. */
  open({ method, path, query, json, form, body, headers, token }: HttpRequest, signal: AbortSignal): Promise<Answer> {
    const [content, type] =
      json !== undefined
        ? [JSON.stringify(json), 'application/json']
        : form !== undefined
          ? [new URLSearchParams(form).toString(), 'application/x-www-form-urlencoded']
          : [body ?? null, undefined];
    return this.#fetch(this.url + path + toSearch(query), {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(type !== undefined && { 'content-type': type }),
        ...headers,
      },
      body: content,
      signal,
      // A token must not go where somebody else points.
      redirect: 'error',
      credentials: 'omit',
    });
  }

  /** The whole answer, whatever it is. Throws what `fetch` throws, WeftUnreachable after `timeoutMs`, the signal's reason. */
  async answer(request: HttpRequest): Promise<HttpAnswer> {
    const { timeoutMs = defaultTimeoutMs, signal } = request;
    signal?.throwIfAborted();
    const { controller, release } = linkedSignal(signal);
    const tooLate = new WeftUnreachable('Weft did not answer in time');
    const timer = setTimeout(() => controller.abort(tooLate), timeoutMs);
    try {
      const answer = await this.open(request, controller.signal);
      const { status, headers } = answer;
      return { status, headers, text: await answer.text() };
    } catch (error) {
      controller.signal.throwIfAborted();
      throw error;
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  /** What Weft answers; undefined if it has nothing to say. Throws as `answer` does, and WeftRefusal. */
  async ask<T>(request: HttpRequest): Promise<T> {
    return readAnswer<T>(await this.answer(request));
  }
}

/** Throws WeftRefusal if it is one. */
export function readAnswer<T>({ status, text, headers }: HttpAnswer): T {
  if (status === 204) return undefined as T;
  if (status >= 200 && status < 300) return JSON.parse(text);
  throw toRefusal(status, text, headers.get('retry-after'));
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

// AbortSignals that follow others, with nothing but what Node and browsers share.

/** A signal of its own that follows others, until `release` is called. */
export function linkedSignal(...signals: (AbortSignal | undefined)[]): {
  controller: AbortController;
  release: () => void;
} {
  const controller = new AbortController();
  const releases: (() => void)[] = [];
  for (const signal of signals) {
    if (!signal) continue;
    const follow = () => controller.abort(signal.reason);
    if (signal.aborted) follow();
    else releases.push(onAbort(signal, follow));
  }
  return {
    controller,
    release: () => {
      for (const release of releases) release();
    },
  };
}
