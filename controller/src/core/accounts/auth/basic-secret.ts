// For endpoints where a caller sends its name and secret with every request, as agents do that were made for InfluxDB, and
// apps that Prometheus asks for. A slow hash per request would be too slow, so a correct password is cached for a while, as a keyed hash with a key of this process.

import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { BoundedMap } from '@weft/contract/bounded-map';
import type { Caller, PrincipalSource } from '../../base/caller.ts';
import type { CredentialScheme, Shown } from '../../base/credential.ts';
import { AuthenticationError } from '../../base/errors.ts';
import type { AuthService, Proof } from './auth-service.ts';
import type { LoginFailures } from './login-failures.ts';

const rememberedMs = 60_000;
const maxRemembered = 20_000;
/** An ap_id may contain colons (a MAC address has five); more are not supported. */
const maxColons = 16;

export interface BasicSecretOptions {
  /** Of whom. */
  kind: 'agent' | 'third_party_app';
  auth: AuthService;
  source: PrincipalSource;
  /** The same as at the token endpoint, so that there is one limit for guesses. */
  failures: LoginFailures;
}

export class BasicSecret implements CredentialScheme {
  readonly form = 'basic';
  readonly only: CredentialScheme['only'];
  readonly #options: BasicSecretOptions;
  readonly #key = createSecretKey(randomBytes(32));
  readonly #remembered = new BoundedMap<string, Proof>(maxRemembered, { ttlMs: rememberedMs });

  constructor(options: BasicSecretOptions) {
    this.#options = options;
    this.only = options.kind === 'agent' ? 'agent_password' : 'app_key';
  }

  read(credentials: string, address: string): Shown {
    return { scheme: 'basic', admit: () => this.#authenticate(credentials, address), remembered: () => undefined };
  }

  /**
   * The caller of `name:secret`. Throws AuthenticationError, and TryLaterError (429) after too many failures. Without
   * a promise if everything is cached; a changed password or a deleted record takes effect as soon as with tokens.
   */
  #authenticate(credentials: string, address: string): Caller | Promise<Caller> {
    const key = createHmac('sha256', this.#key).update(credentials).digest('base64');
    const known = this.#remembered.get(key);
    if (!known) return this.#check(credentials, address, key);
    const again = (error: unknown) => {
      if (!(error instanceof AuthenticationError)) throw error;
      this.#remembered.delete(key);
      return this.#check(credentials, address, key);
    };
    try {
      const caller = this.#options.auth.recall(known);
      return caller instanceof Promise ? caller.catch(again) : caller;
    } catch (error) {
      return again(error);
    }
  }

  async #check(credentials: string, address: string, key: string): Promise<Caller> {
    const { username, password } = await this.#split(credentials);
    const { caller, ver } = await this.#options.failures.count(
      { kind: this.#options.kind, username, address },
      (turn) => this.#options.auth.checkSecret(this.#options.kind, username, password, turn),
    );
    const proof: Proof = { kind: this.#options.kind, name: caller.name, ver };
    this.#remembered.set(key, proof);
    return caller;
  }

  /** Splits at the colon after the longest existing name; if there is none, at the first colon. */
  async #split(credentials: string): Promise<{ username: string; password: string }> {
    const colons: number[] = [];
    for (let at = credentials.indexOf(':'); at >= 0 && colons.length < maxColons; ) {
      colons.push(at);
      at = credentials.indexOf(':', at + 1);
    }
    let colon = colons[0] ?? credentials.length;
    for (const longer of colons.slice(1)) {
      if (await this.#options.source.principal(credentials.slice(0, longer))) colon = longer;
    }
    return { username: credentials.slice(0, colon), password: credentials.slice(colon + 1) };
  }
}
