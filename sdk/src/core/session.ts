// The session of an agent: enrols it if it may, logs in, and makes requests with a token that is renewed in time.
import type { AgentOptions } from './agent-options.ts';
import { HttpClient, type HttpRequest, readAnswer } from './http-client.ts';
import { keptFetch } from './kept-connections.ts';
import { ServerClock } from './server-clock.ts';
import { isReplaced, WeftRefusal } from './weft-refusal.ts';

/** Of a token's life, after which it is renewed. */
const renewAfter = 0.8;
/** Tokens end on whole seconds. */
const roundingMs = 1_000;
const requestTimeoutMs = 20_000;

export type SessionOptions = Pick<AgentOptions, 'url' | 'trustedCertificate' | 'ap_id' | 'password' | 'formerPassword'>;

export class Session {
  readonly #ap_id: string;
  #password: string;
  #formerPassword: string | undefined;
  readonly #http: HttpClient;
  readonly #logins: HttpClient;
  readonly trustedCertificate: string | undefined;
  #token: string | undefined;
  #renewAtMs = 0;
  #login: Promise<string> | undefined;
  readonly clock = new ServerClock();

  constructor({ url, ap_id, password, formerPassword, trustedCertificate }: SessionOptions) {
    this.#http = new HttpClient({ url, fetch: keptFetch(trustedCertificate) });
    this.#logins = new HttpClient({ url, fetch: keptFetch(trustedCertificate, 'logins') });
    this.trustedCertificate = trustedCertificate;
    this.#ap_id = ap_id;
    this.#password = password;
    this.#formerPassword = formerPassword;
  }

  /** The one that Weft has accepted last, or that is tried first. */
  get password(): string {
    return this.#password;
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

  /**
   * Registers first, if it can: to try a password that Weft does not know would count as an attempt to guess it. When the
   * access point starts again, the token is refused, and the password is known.
   */
  async begin(enrolmentToken: string | undefined, configuration: Record<string, unknown>): Promise<void> {
    let refusal: WeftRefusal | undefined;
    if (enrolmentToken !== undefined) {
      await this.#enrol(enrolmentToken, configuration).catch((error) => {
        if (!(error instanceof WeftRefusal) || error.isPassing) throw error;
        refusal = error;
      });
    }
    await this.token().catch((error) => {
      const isUnknown = isWrongPassword(error) && !isReplaced(error);
      throw (isUnknown && refusal) || error;
    });
  }

  /** Throws WeftRefusal, but not if the agent is registered already. */
  async #enrol(enrolmentToken: string, configuration: Record<string, unknown>): Promise<void> {
    const json = { ap_id: this.#ap_id, password: this.#password, configuration };
    try {
      await this.#ask({ method: 'POST', path: '/api/v1/agents/public', token: enrolmentToken, json }, this.#logins);
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

  /**
   * A token that is no longer valid is renewed once, at once: it says nothing against this agent, and after Weft got another
   * secret all agents would wait a second time.
   */
  async withToken<Result>(use: (token: string) => Promise<Result>): Promise<Result> {
    const token = await this.token();
    try {
      return await use(token);
    } catch (error) {
      if (!(error instanceof WeftRefusal && error.status === 401)) throw error;
      this.forgetToken(token);
      return use(await this.token());
    }
  }

  /** Posts JSON. */
  post(path: string, json: unknown): Promise<unknown> {
    return this.withToken((token) => this.#ask({ method: 'POST', path, token, json }, this.#http));
  }

  /** Weft ends the tokens of the old one. */
  async changePassword(password: string): Promise<void> {
    const path = `/api/v1/agents/${encodeURIComponent(this.#ap_id)}`;
    await this.#ask({ method: 'PUT', path, token: await this.token(), json: { password } }, this.#logins);
    this.#password = password;
    this.#token = undefined;
  }

  async #logIn(): Promise<string> {
    const startedAt = performance.now();
    const answer = await this.#logInWith(this.#password).catch(async (error) => {
      const former = this.#formerPassword;
      // Beyond the limit of guesses a wrong password is not told wrong.
      const mayBeWrong = isWrongPassword(error) || (error as WeftRefusal).code === 'too_many_failed_logins';
      if (former === undefined || !mayBeWrong) throw error;
      const answer = await this.#logInWith(former).catch((second) => {
        throw isWrongPassword(second) && !isReplaced(second) ? error : second;
      });
      this.#password = former;
      this.#formerPassword = undefined;
      return answer;
    });
    const { access_token, expires_in } = (answer ?? {}) as { access_token: string; expires_in: number };
    if (typeof access_token !== 'string' || !(expires_in > 0)) throw new Error('what answers there is not Weft');
    this.#token = access_token;
    const lifeMs = expires_in * 1000;
    this.#renewAtMs = startedAt + Math.max(lifeMs / 2, lifeMs * renewAfter - roundingMs);
    return access_token;
  }

  #logInWith(password: string): Promise<unknown> {
    const form = { username: this.#ap_id, password };
    const request = { method: 'POST', path: '/api/v1/token/', query: { login_type: 'agent' }, form } as const;
    return this.#ask(request, this.#logins);
  }

  async #ask(request: HttpRequest, http: HttpClient): Promise<unknown> {
    const askedAt = this.clock.moment();
    const answer = await http.answer({ timeoutMs: requestTimeoutMs, ...request });
    this.clock.heard(answer.headers.get('date') ?? undefined, askedAt);
    return readAnswer(answer);
  }
}

function isWrongPassword(error: unknown): boolean {
  return error instanceof WeftRefusal && error.status === 401;
}
