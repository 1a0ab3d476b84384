// Tokens: issued at login, checked at every request. A token proves who somebody was when it was issued; what counts is
// the record behind it now, which is looked up again at most `freshMs` after the last time.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { LoginType, Token } from '@weft/contract';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { Caller, Principal, PrincipalSource } from '../caller.ts';
import { AuthenticationError } from '../errors.ts';
import type { Keyring } from '../secrets.ts';
import { BoundedMap } from './bounded-map.ts';

const issuer = 'weft';
/** How far another node's clock may run ahead of ours. */
const skewSeconds = 30;
const maxTokens = 50_000;
/** A refusal takes at least this long: whether a name exists would show in microseconds where no slow hash hides it. */
const minFailureMs = 20;

/** Who somebody was when it was proved. */
export interface Proof {
  kind: LoginType;
  name: string;
  ver: string;
}

interface Claims extends Proof {
  expiresAtMs: number;
  /** The record behind them when it was last looked for, and after how many changes that was. */
  known?: KnownPrincipal | undefined;
  knownAtChange?: number;
}

interface KnownPrincipal {
  principal: Principal;
  loadedAt: number;
}

export interface AuthServiceOptions {
  sources: Record<LoginType, PrincipalSource>;
  keyring: Keyring;
  tokenTtlSeconds: number;
  /**
   * How long a record that was looked up counts as the present one. Changes made by this process count at once; those
   * made elsewhere (another node, the command line) after this long, or when `forgetAll` is called.
   */
  freshMs: number;
}

export class AuthService {
  readonly #sources: Record<LoginType, PrincipalSource>;
  readonly #keyring: Keyring;
  readonly #tokenTtlSeconds: number;
  readonly #freshMs: number;
  readonly #claims = new BoundedMap<string, Claims>(maxTokens);
  readonly #principals = new BoundedMap<string, KnownPrincipal>(maxTokens);
  /** Counts changes, so that a record read before a change is not remembered after it. */
  #changes = 0;

  constructor({ sources, keyring, tokenTtlSeconds, freshMs }: AuthServiceOptions) {
    this.#freshMs = freshMs;
    this.#sources = sources;
    this.#keyring = keyring;
    this.#tokenTtlSeconds = tokenTtlSeconds;
  }

  /**
   * Throws AuthenticationError, with one sentence for every cause, unless the secret belongs to that name; with another one
   * if it does and the account is disabled.
   */
  async checkSecret(kind: LoginType, name: string, secret: string): Promise<Principal> {
    const failsAt = performance.now() + minFailureMs;
    const principal = await this.#sources[kind].authenticate(name, secret);
    if (!principal) {
      await setTimeout(Math.max(0, failsAt - performance.now()));
      throw new AuthenticationError('invalid_credentials', 'Incorrect username or password');
    }
    return principal;
  }

  /** A token for whoever has this secret; throws as checkSecret does. */
  async login(kind: LoginType, name: string, secret: string): Promise<Token> {
    const { caller, ver } = await this.checkSecret(kind, name, secret);
    const access_token = await new SignJWT({ scope: kind, ver, ...(caller.kind === 'user' && { roles: caller.roles }) })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(issuer)
      .setSubject(caller.name)
      .setJti(randomUUID())
      .setIssuedAt()
      .setExpirationTime(Math.floor(Date.now() / 1000) + this.#tokenTtlSeconds)
      .sign(this.#keyring.tokenKeys[0]!);
    return { access_token, token_type: 'bearer', expires_in: this.#tokenTtlSeconds };
  }

  /**
   * The caller a token stands for. Throws AuthenticationError for a token that is forged, expired, or older than the
   * last change of its owner's password, key or roles, or the disabling of its owner. Answers without a promise when everything is remembered: this
   * runs for every request.
   */
  authenticate(token: string): Caller | Promise<Caller> {
    const claims = this.#claims.get(token);
    if (!claims) return this.#verify(token).then((verified) => this.#present(verified));
    if (claims.expiresAtMs <= Date.now()) throw invalidToken();
    return this.recall(claims);
  }

  /** The same if everything is remembered; undefined if somebody would have to be asked, or the token is no good. */
  remembered(token: string): Caller | undefined {
    const claims = this.#claims.get(token);
    if (!claims || claims.expiresAtMs <= Date.now()) return undefined;
    // By name only when something has changed since: this runs for every telemetry post.
    if (claims.knownAtChange !== this.#changes || !this.#isFresh(claims.known)) {
      claims.known = this.#principals.get(principalKey(claims.kind, claims.name));
      claims.knownAtChange = this.#changes;
    }
    const { known } = claims;
    return this.#isFresh(known) && known.principal.ver === claims.ver ? known.principal.caller : undefined;
  }

  /** The caller of that name as it is now; throws AuthenticationError if it is gone or no longer of that version. */
  recall(proof: Proof): Caller | Promise<Caller> {
    const known = this.#principals.get(principalKey(proof.kind, proof.name));
    return this.#isFresh(known) ? match(proof, known.principal) : this.#present(proof);
  }

  #isFresh(known: KnownPrincipal | undefined): known is KnownPrincipal {
    return known !== undefined && performance.now() - known.loadedAt < this.#freshMs;
  }

  /** Makes the next request look the record up again. */
  forget(kind: LoginType, name: string): void {
    this.#changes++;
    this.#principals.delete(principalKey(kind, name));
  }

  /** Somebody else has changed records, and nobody knows which. */
  forgetAll(): void {
    this.#changes++;
    this.#principals.clear();
  }

  async #present(claims: Proof): Promise<Caller> {
    const changesBefore = this.#changes;
    const principal = await this.#sources[claims.kind].principal(claims.name);
    if (!principal) throw invalidToken();
    if (changesBefore === this.#changes) {
      this.#principals.set(principalKey(claims.kind, claims.name), { principal, loadedAt: performance.now() });
    }
    return match(claims, principal);
  }

  async #verify(token: string): Promise<Claims> {
    for (const key of this.#keyring.tokenKeys) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          issuer,
          typ: 'JWT',
          requiredClaims: ['sub', 'exp', 'iat', 'jti'],
        });
        const { sub, scope, ver, iat, exp, jti } = payload;
        if (!isLoginType(scope) || typeof ver !== 'string' || typeof sub !== 'string' || typeof jti !== 'string') break;
        if (iat! > Date.now() / 1000 + skewSeconds) break;
        const claims = { kind: scope, name: sub, ver, expiresAtMs: exp! * 1000 };
        this.#claims.set(token, claims);
        return claims;
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) break;
      }
    }
    throw invalidToken();
  }
}

function match(claims: Proof, principal: Principal): Caller {
  if (principal.ver !== claims.ver) throw invalidToken();
  return principal.caller;
}

function principalKey(kind: LoginType, name: string): string {
  return `${kind}:${name}`;
}

function isLoginType(value: unknown): value is LoginType {
  return value === 'user' || value === 'agent' || value === 'third_party_app';
}

function invalidToken(): AuthenticationError {
  return new AuthenticationError('invalid_token', 'Could not validate credentials');
}
