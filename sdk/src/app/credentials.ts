// Who an App is to Weft: the form it logs in with, and its token, renewed before it ends.

import type { LoginType, Token } from '@weft/contract';
import { unlessAborted } from '@weft/contract/pause';

/** Of a token's life, after which it is renewed. */
const renewAfter = 0.8;

/** An app with its key, a user with a password, or a token that somebody else has got. */
export type Credentials = { name: string; key: string } | { username: string; password: string } | { token: string };

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
    if ('token' in credentials) this.#token = credentials.token;
  }

  /** Whether a token that is no longer valid can be replaced. */
  get canRenew(): boolean {
    return !('token' in this.#credentials);
  }

  /** A token that is valid for a while. */
  async token(signal?: AbortSignal): Promise<string> {
    if (this.#token !== undefined && performance.now() < this.#renewAtMs) return this.#token;
    this.#login ??= this.#begin().finally(() => {
      this.#login = undefined;
    });
    return unlessAborted(this.#login, signal);
  }

  /** The token was refused: the next one will be new. */
  forget(token: string): void {
    if (this.canRenew && this.#token === token) this.#token = undefined;
  }

  async #begin(): Promise<string> {
    const startedAt = performance.now();
    const credentials = this.#credentials;
    if ('token' in credentials) return credentials.token;
    const { access_token, expires_in } = await ('key' in credentials
      ? this.#logIn('third_party_app', { username: credentials.name, password: credentials.key })
      : this.#logIn('user', { username: credentials.username, password: credentials.password }));
    this.#token = access_token;
    this.expiresAt = new Date(Date.now() + expires_in * 1000);
    this.#renewAtMs = startedAt + expires_in * 1000 * renewAfter;
    return access_token;
  }
}
