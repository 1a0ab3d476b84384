// Tokens: issued at login, verified at every request. A token proves the identity when it was issued; what counts is
// the current record, which is read again at most `freshMs` after the last time, unless its kind has a revision that says that
// no record has changed.

import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { LoginType, Token } from '@weft/contract';
import { BoundedMap } from '@weft/contract/bounded-map';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { Caller, Principal, PrincipalSource } from '../../base/caller.ts';
import type { CredentialScheme, SessionClaims, Shown } from '../../base/credential.ts';
import { AuthenticationError, invalidToken } from '../../base/errors.ts';
import type { PasswordTurn } from '../../base/password-hasher.ts';
import type { Keyring } from '../../base/secrets.ts';
import { RecordRevision } from './record-revision.ts';
import { EndedSessions, type SessionStore } from './session-store.ts';

const issuer = 'weft';
/** How every token of ours begins: `{"` in base64. */
const beginning = 'eyJ';
/** How far the clock of another node may be ahead. */
const skewSeconds = 30;
const maxTokens = 50_000;
/** A rejection takes at least this long: without a slow hash, timing would reveal whether a name exists. */
const minFailureMs = 20;

/** The verified claims. */
export interface Proof {
  kind: LoginType;
  name: string;
  ver: string;
}

type Claims = Proof & SessionClaims;

interface ShownToken extends Shown {
  text: string;
  /** Once they are verified. */
  session: Claims | undefined;
  /** The record when it was last read, and the change counter at that time. */
  known: KnownPrincipal | undefined;
  knownAtChange: number;
}

interface KnownPrincipal {
  principal: Principal;
  loadedAt: number;
  /** Of the records of its kind, read before the record; undefined if they have none. */
  revision: number | undefined;
}

export interface AuthServiceOptions {
  sources: Record<LoginType, PrincipalSource>;
  sessions: Pick<SessionStore, 'head' | 'listEnded'>;
  keyring: Keyring;
  tokenTtlSeconds: number;
  /**
   * How long a record is cached. Changes made by this process take effect at once; those
   * made elsewhere (another node, the command line) after this long, or when `forgetAll` is called.
   */
  freshMs: number;
  /** Of the database that nodes share, if they do. */
  now: () => number;
}

export class AuthService implements CredentialScheme {
  readonly form = 'bearer';
  readonly #options: AuthServiceOptions;
  readonly #revisions: Partial<Record<LoginType, RecordRevision>> = {};
  readonly ended: EndedSessions;
  /** Those that are verified, by their ends. */
  readonly #tokens = new BoundedMap<string, ShownToken>(maxTokens);
  readonly #principals = new BoundedMap<string, KnownPrincipal>(maxTokens);
  /** Counts changes, so that a record read before a change is not cached after it. */
  #changes = 0;

  constructor(options: AuthServiceOptions) {
    this.ended = new EndedSessions(options);
    this.#options = options;
    for (const kind of ['user', 'agent', 'third_party_app'] as const) {
      const source = options.sources[kind];
      if (source.revision) this.#revisions[kind] = new RecordRevision(source.revision.bind(source), options.freshMs);
    }
  }

  /**
   * Throws AuthenticationError, with one message for every cause, if the secret is wrong; with another message
   * if it is right and the account is disabled.
   */
  async checkSecret(kind: LoginType, name: string, secret: string, turn?: PasswordTurn): Promise<Principal> {
    const failsAt = performance.now() + minFailureMs;
    const principal = await this.#options.sources[kind].authenticate(name, secret, turn);
    if (!principal) {
      await setTimeout(Math.max(0, failsAt - performance.now()));
      throw new AuthenticationError('invalid_credentials', 'Incorrect username or password');
    }
    return principal;
  }

  /** A token of this session, which expires no later than the session ends. The first one's `jti` is the session's id. */
  async issue(
    { caller, ver }: Principal,
    { session, endsAtMs }: { session: string; endsAtMs?: number },
  ): Promise<{ token: Token; expiresAtMs: number }> {
    const expiresAtMs = this.expiryOf(endsAtMs);
    const expires_in = expiresAtMs / 1000 - Math.floor(this.#options.now() / 1000);
    const access_token = await new SignJWT({
      scope: caller.kind,
      ver,
      ...(caller.kind === 'user' && { roles: caller.roles }),
    })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(issuer)
      .setSubject(caller.name)
      .setJti(endsAtMs === undefined ? session : `${session}.${randomBytes(9).toString('base64url')}`)
      .setIssuedAt(Math.floor(this.#options.now() / 1000))
      .setExpirationTime(Math.floor(expiresAtMs / 1000))
      .sign(this.#options.keyring.tokenKeys[0]!);
    return { token: { access_token, token_type: 'bearer', expires_in }, expiresAtMs };
  }

  /** When a token that is issued now expires, in a session that ends then. On a whole second. */
  expiryOf(endsAtMs = Number.POSITIVE_INFINITY): number {
    const usual = (Math.floor(this.#options.now() / 1000) + this.#options.tokenTtlSeconds) * 1000;
    return Math.min(usual, Math.floor(endsAtMs / 1000) * 1000);
  }

  /** The same one again while the token is known, so that all that is open by it is asked about once. */
  read(text: string): Shown | undefined {
    if (!text.startsWith(beginning)) return undefined;
    const known = this.#cached(text);
    if (known) return known;
    const shown: ShownToken = {
      scheme: 'token',
      text,
      session: undefined,
      known: undefined,
      knownAtChange: 0,
      admit: () => this.#authenticate(shown),
      remembered: () => this.#remembered(shown),
    };
    return shown;
  }

  /**
   * Throws AuthenticationError for a token that is forged, expired, or older than the last change of its owner's
   * password, key or roles, or the disabling of its owner, or whose session has ended.
   */
  #authenticate(shown: ShownToken): Caller | Promise<Caller> {
    const { session: claims } = shown;
    if (!claims) return this.#verify(shown).then((verified) => this.#admit(verified));
    if (claims.expiresAtMs <= this.#options.now()) throw invalidToken();
    return this.#admit(claims);
  }

  #admit(claims: Claims): Caller | Promise<Caller> {
    if (!this.ended.isFresh()) return this.ended.head.fresh().then(() => this.#admitUnlessEnded(claims));
    return this.#admitUnlessEnded(claims);
  }

  #admitUnlessEnded(claims: Claims): Caller | Promise<Caller> {
    if (this.ended.has(claims.session)) throw invalidToken();
    return this.recall(claims);
  }

  #remembered(shown: ShownToken): Caller | undefined {
    const { session: claims } = shown;
    if (!claims || claims.expiresAtMs <= this.#options.now()) return undefined;
    // The clock is read once, and names are looked up only when something has changed since: this runs for every telemetry
    // post.
    const now = performance.now();
    if (!this.ended.isFresh(now) || this.ended.has(claims.session)) return undefined;
    if (shown.knownAtChange !== this.#changes || !this.#isFresh(claims.kind, shown.known, now)) {
      shown.known = this.#principals.get(principalKey(claims.kind, claims.name));
      shown.knownAtChange = this.#changes;
    }
    const { known } = shown;
    return this.#isFresh(claims.kind, known, now) && known.principal.ver === claims.ver
      ? known.principal.caller
      : undefined;
  }

  /** The current caller of that name; throws AuthenticationError if it was deleted or has another version. */
  recall(proof: Proof): Caller | Promise<Caller> {
    const known = this.#principals.get(principalKey(proof.kind, proof.name));
    return this.#isFresh(proof.kind, known) ? match(proof, known.principal) : this.#present(proof);
  }

  #isFresh(kind: LoginType, known: KnownPrincipal | undefined, now = performance.now()): known is KnownPrincipal {
    if (known === undefined) return false;
    if (now - known.loadedAt < this.#options.freshMs) return true;
    return known.revision !== undefined && known.revision === this.#revisions[kind]?.known(now);
  }

  /** The next request reads the record again. */
  forget(kind: LoginType, name: string): void {
    this.#changes++;
    this.#principals.delete(principalKey(kind, name));
  }

  /** Another process has changed unknown records. */
  forgetAll(): void {
    this.#changes++;
    this.#principals.clear();
    for (const revision of Object.values(this.#revisions)) revision.forget();
    this.ended.forget();
  }

  async #present(claims: Proof): Promise<Caller> {
    const changesBefore = this.#changes;
    const key = principalKey(claims.kind, claims.name);
    const revision = await this.#revisions[claims.kind]?.current();
    const known = this.#principals.get(key);
    if (revision !== undefined && known?.revision === revision) return match(claims, known.principal);
    const principal = await this.#options.sources[claims.kind].principal(claims.name);
    if (!principal) throw invalidToken();
    if (changesBefore === this.#changes) {
      this.#principals.set(key, { principal, loadedAt: performance.now(), revision });
    }
    return match(claims, principal);
  }

  /** A map has to hash its key, which for a whole token takes longer than everything else about it. */
  #cached(text: string): ShownToken | undefined {
    const shown = this.#tokens.get(endOf(text));
    return shown?.text === text ? shown : undefined;
  }

  async #verify(shown: ShownToken): Promise<Claims> {
    const { text } = shown;
    for (const key of this.#options.keyring.tokenKeys) {
      try {
        const { payload } = await jwtVerify(text, key, {
          algorithms: ['HS256'],
          issuer,
          currentDate: new Date(this.#options.now()),
          typ: 'JWT',
          requiredClaims: ['sub', 'exp', 'iat', 'jti'],
        });
        const { sub, scope, ver, iat, exp, jti } = payload;
        if (!isLoginType(scope) || typeof ver !== 'string' || typeof sub !== 'string' || typeof jti !== 'string') break;
        if (iat! > this.#options.now() / 1000 + skewSeconds) break;
        const session = jti.split('.', 1)[0]!;
        shown.session = { kind: scope, name: sub, ver, expiresAtMs: exp! * 1000, session };
        if (!this.#cached(text)) this.#tokens.set(endOf(text), shown);
        return shown.session;
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) break;
      }
    }
    throw invalidToken();
  }
}

/** A part of the signature that no two tokens share. */
function endOf(token: string): string {
  return token.slice(-22);
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
