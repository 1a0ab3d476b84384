// An agent's standing with Weft: enrols it if it may, logs in, and makes requests with a token that is renewed in time.
import { HttpClient, type HttpClientOptions } from './http-client.ts';
import { ServerClock } from './server-clock.ts';
import { toRefusal, WeftRefusal } from './weft-refusal.ts';

/** Of a token's life, after which it is renewed. */
const renewAfter = 0.8;
/** Tokens end on whole seconds. */
const roundingMs = 1_000;
const requestTimeoutMs = 20_000;

export interface SessionOptions extends HttpClientOptions {
  ap_id: string;
  password: string;
}

export class Session {
  readonly #url: string;
  readonly #ap_id: string;
  readonly #password: string;
  readonly #http: HttpClient;
  readonly trustedCertificate: string | undefined;
  #token: string | undefined;
  #renewAtMs = 0;
  #login: Promise<string> | undefined;
  readonly clock = new ServerClock();

  constructor({ url, ap_id, password, trustedCertificate }: SessionOptions) {
    this.#http = new HttpClient({ url, trustedCertificate });
    this.trustedCertificate = trustedCertificate;
    this.#url = url.replace(/\/+$/, '');
    this.#ap_id = ap_id;
    this.#password = password;
  }

  get channelUrl(): string {
    return `${this.#url.replace(/^http/, 'ws')}/api/v1/agents/${encodeURIComponent(this.#ap_id)}/channel`;
  }

  /** Milliseconds since 1970, by Weft's clock if this machine's is off. */
  now(): number {
    return this.clock.now();
  }

  /** Until the token is to be renewed. */
  get renewInMs(): number {
    return Math.max(0, this.#renewAtMs - performance.now());
  }

  /** Throws WeftRefusal; an agent that is registered already is none. */
  async enrol(enrolmentToken: string, configuration: Record<string, unknown>): Promise<void> {
    const body = JSON.stringify({ ap_id: this.#ap_id, password: this.#password, configuration });
    try {
      await this.#send('/api/v1/agents/public', enrolmentToken, body, 'application/json');
    } catch (error) {
      if (!(error instanceof WeftRefusal && error.status === 409)) throw error;
    }
  }

  /** A token that will do for a while; throws WeftRefusal if the password is not good. */
  async token(): Promise<string> {
    if (this.#token !== undefined && performance.now() < this.#renewAtMs) return this.#token;
    this.#login ??= this.#logIn().finally(() => {
      this.#login = undefined;
    });
    return this.#login;
  }

  /** The token was refused: the next one will be new. */
  forgetToken(token: string): void {
    if (this.#token === token) this.#token = undefined;
  }

  /** Posts JSON; a token that has become bad meanwhile is renewed once. */
  async post(path: string, body: string): Promise<unknown> {
    const token = await this.token();
    try {
      return await this.#send(path, token, body, 'application/json');
    } catch (error) {
      if (!(error instanceof WeftRefusal && error.status === 401)) throw error;
      this.forgetToken(token);
      return this.#send(path, await this.token(), body, 'application/json');
    }
  }

  async #logIn(): Promise<string> {
    const form = new URLSearchParams({ username: this.#ap_id, password: this.#password });
    const startedAt = performance.now();
    const path = '/api/v1/token/?login_type=agent';
    const answer = await this.#send(path, undefined, form.toString(), 'application/x-www-form-urlencoded');
    const { access_token, expires_in } = answer as { access_token: string; expires_in: number };
    this.#token = access_token;
    const lifeMs = expires_in * 1000;
    this.#renewAtMs = startedAt + Math.max(lifeMs / 2, lifeMs * renewAfter - roundingMs);
    return access_token;
  }

  async #send(path: string, token: string | undefined, body: string, type: string): Promise<unknown> {
    const askedAt = this.clock.moment();
    const { status, text, headers } = await this.#http.post({ path, body, type, token, timeoutMs: requestTimeoutMs });
    this.clock.heard(headers.date, askedAt);
    if (status === 200) return JSON.parse(text);
    throw toRefusal(status, text, headers['retry-after']);
  }
}
