// Who an App is to Weft: the form it logs in with, and its token, renewed before it ends.

import type { LoginType, Token } from '@weft/contract';
import { unlessAborted } from '@weft/contract/pause';

/** Of a token's life, after which it is renewed. */
const renewAfter = 0.8;

/** An app with its key, a user with a password, or a token that somebody else has got. */
export type Credentials = { name: string; key: string } | { username: string; password: string } | GivenToken;

export interface GivenToken {
  /** A function is called for each request; while it returns undefined, requests go without a token. */
  token: string | (() => string | undefined);
  /** Weft has refused this token. */
  onTokenRefused?: (token: string) => void;
}

/** Logs in with this form; throws WeftRefusal if Weft does not want it. */
export type LogIn = (kind: LoginType, form: { username: string; password: string }) => Promise<Token>;

export class TokenKeeper {
  readonly #credentials: Credentials;
  readonly #logIn: LogIn;
  #token: string | undefined;
  #renewAtMs = Number.POSITIVE_INFINITY;
  #login: Promise<string> | undefined;
  /** By this machine's clock; undefined of a token that somebody else has got. */
  expiresAt: Date | undefined;

  constructor(credentials: Credentials, logIn: LogIn) {
    this.#credentials = credentials;
    this.#logIn = logIn;
  }

  /** Whether a token that is no longer valid can be replaced. */
  get canRenew(): boolean {
    return !('token' in this.#credentials);
  }

  /** A token that is valid for a while; undefined while its provider has none. */
  async token(signal?: AbortSignal): Promise<string | undefined> {
    const credentials = this.#credentials;
    if ('token' in credentials) {
      return typeof credentials.token === 'function' ? credentials.token() : credentials.token;
    }
    if (this.#token !== undefined && performance.now() < this.#renewAtMs) return this.#token;
    this.#login ??= this.#begin(credentials).finally(() => {
      this.#login = undefined;
    });
    return unlessAborted(this.#login, signal);
  }

  /** The token was refused: the next one will be new. */
  forget(token: string): void {
    if ('token' in this.#credentials) this.#credentials.onTokenRefused?.(token);
    else if (this.#token === token) this.#token = undefined;
  }

  async #begin(credentials: Exclude<Credentials, GivenToken>): Promise<string> {
    const startedAt = performance.now();
    const { access_token, expires_in } = await ('key' in credentials
      ? this.#logIn('third_party_app', { username: credentials.name, password: credentials.key })
      : this.#logIn('user', { username: credentials.username, password: credentials.password }));
    this.#token = access_token;
    this.expiresAt = new Date(Date.now() + expires_in * 1000);
    this.#renewAtMs = startedAt + expires_in * 1000 * renewAfter;
    return access_token;
  }
}
