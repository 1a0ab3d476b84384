// The session of an agent: enrols it if it may, logs in, and makes requests with a token that is renewed in time.
import { HttpClient, type HttpRequest, readAnswer } from './http-client.ts';
import { keptFetch } from './kept-connections.ts';
import { ServerClock } from './server-clock.ts';
import { WeftRefusal } from './weft-refusal.ts';

/** Of a token's life, after which it is renewed. */
const renewAfter = 0.8;
/** Tokens end on whole seconds. */
const roundingMs = 1_000;
const requestTimeoutMs = 20_000;

export interface SessionOptions {
  /** Where Weft is, such as https://weft.example.org. */
  url: string;
  /** PEM of the one certificate that may answer, whatever host it names; default: the usual authorities count. */
  trustedCertificate?: string | undefined;
  ap_id: string;
  password: string;
}

export class Session {
  readonly #ap_id: string;
  readonly #password: string;
  readonly #http: HttpClient;
  readonly trustedCertificate: string | undefined;
  #token: string | undefined;
  #renewAtMs = 0;
  #login: Promise<string> | undefined;
  readonly clock = new ServerClock();

  constructor({ url, ap_id, password, trustedCertificate }: SessionOptions) {
    this.#http = new HttpClient({ url, fetch: keptFetch(trustedCertificate) });
    this.trustedCertificate = trustedCertificate;
    this.#ap_id = ap_id;
    this.#password = password;
  }

  get channelUrl(): string {
    return `${this.#http.url.replace(/^http/, 'ws')}/api/v1/agents/${encodeURIComponent(this.#ap_id)}/channel`;
  }

  /** Milliseconds since 1970, by Weft's clock if this machine's is off. */
  now(): number {
    return this.clock.now();
  }

  /** Until the token is to be renewed. */
  get renewInMs(): number {
    return Math.max(0, this.#renewAtMs - performance.now());
  }

  /** Throws WeftRefusal, but not if the agent is registered already. */
  async enrol(enrolmentToken: string, configuration: Record<string, unknown>): Promise<void> {
    const json = { ap_id: this.#ap_id, password: this.#password, configuration };
    try {
      await this.#post({ path: '/api/v1/agents/public', token: enrolmentToken, json });
    } catch (error) {
      if (!(error instanceof WeftRefusal && error.status === 409)) throw error;
    }
  }

  /** A token that is valid for a while; throws WeftRefusal if the password is wrong. */
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

  /** Posts JSON; a token that is no longer valid is renewed once. */
  async post(path: string, json: unknown): Promise<unknown> {
    const token = await this.token();
    try {
      return await this.#post({ path, token, json });
    } catch (error) {
      if (!(error instanceof WeftRefusal && error.status === 401)) throw error;
      this.forgetToken(token);
      return this.#post({ path, token: await this.token(), json });
    }
  }

  async #logIn(): Promise<string> {
    const form = { username: this.#ap_id, password: this.#password };
    const startedAt = performance.now();
    const answer = await this.#post({ path: '/api/v1/token/', query: { login_type: 'agent' }, form });
    const { access_token, expires_in } = answer as { access_token: string; expires_in: number };
    this.#token = access_token;
    const lifeMs = expires_in * 1000;
    this.#renewAtMs = startedAt + Math.max(lifeMs / 2, lifeMs * renewAfter - roundingMs);
    return access_token;
  }

  async #post(request: Omit<HttpRequest, 'method'>): Promise<unknown> {
    const askedAt = this.clock.moment();
    const answer = await this.#http.answer({ method: 'POST', timeoutMs: requestTimeoutMs, ...request });
    this.clock.heard(answer.headers.get('date') ?? undefined, askedAt);
    return readAnswer(answer);
  }
}
