// Logging in, and what holders of tokens can do with them: renew them, end them, list and end the sessions of a user. Agents
// and apps have no sessions that are listed, because their logins are many; their tokens can be ended like those of users.
import { randomUUID } from 'node:crypto';
import type { LoginType, Session, Token } from '@weft/contract';
import type { Caller, Principal, PrincipalSource } from '../../base/caller.ts';
import type { SessionClaims } from '../../base/credential.ts';
import { AuthenticationError, notFound, orNotFound, PermissionError } from '../../base/errors.ts';
import type { RateLimiter } from '../../base/shares/rate-limiter.ts';
import { principalOf } from '../../base/shares/shares.ts';
import type { SqlQueries } from '../../base/storage/sql-database.ts';
import type { NewAuditEntry } from '../audit/audit-entry.ts';
import type { AuditService } from '../audit/audit-service.ts';
import type { SecurityLog } from '../audit/security-log.ts';
import type { AuthService } from './auth-service.ts';
import type { LoginFailures } from './login-failures.ts';
import type { SessionRecord, SessionStore } from './session-store.ts';

const hourMs = 3_600_000;

/** Where a request comes from: its address, and the name that its program gives itself. */
export interface Origin {
  address: string;
  client: string;
}

/** Changes the password of a user who knows it. `also` runs in the transaction, with the new `ver`. */
export type ChangePassword = (
  user: Caller,
  passwords: { current: string; next: string },
  also: (tx: SqlQueries, ver: string) => Promise<void>,
) => Promise<Principal>;

export interface SessionServiceOptions {
  auth: AuthService;
  sessions: SessionStore;
  users: PrincipalSource;
  changePassword: ChangePassword;
  failures: LoginFailures;
  audit: AuditService;
  security: SecurityLog;
  /** How often one caller may end or renew a token: each end is remembered until the token expires. */
  changes: RateLimiter;
  limits: { sessionHours: number; displaySessionDays: number; maxSessions: number };
  /** Of the database that nodes share, if they do. */
  now: () => number;
  onError: (error: unknown, message: string) => void;
}

export class SessionService {
  readonly #options: SessionServiceOptions;

  constructor(options: SessionServiceOptions) {
    this.#options = options;
  }

  /** Throws AuthenticationError as `checkSecret` does, TryLaterError (429) after too many failures. */
  async logIn(kind: LoginType, name: string, secret: string, { address, client }: Origin): Promise<Token> {
    const { auth, failures, sessions, limits } = this.#options;
    const principal = await failures.count({ kind, username: name, address }, (turn) =>
      auth.checkSecret(kind, name, secret, turn),
    );
    const id = randomUUID();
    const now = this.#options.now();
    const { token, expiresAtMs } = await auth.issue(principal, { session: id });
    if (kind === 'user') {
      const session = {
        id,
        user_id: principal.caller.id,
        ver: principal.ver,
        created_at: now,
        renewed_at: now,
        expires_at: expiresAtMs,
        ends_at: Math.max(now + limits.sessionHours * hourMs, expiresAtMs),
        address,
        client,
      };
      if ((await sessions.create(session, limits.maxSessions)).length > 0) auth.ended.forget();
    }
    return token;
  }

  /** A new token of the same session. Throws AuthenticationError once the session has lasted as long as it may. */
  async renew(caller: Caller, claims: SessionClaims, { address, client }: Origin): Promise<Token> {
    const { auth, sessions, changes, security } = this.#options;
    const { session: id, ver } = claims;
    changes.take(principalOf(caller));
    const now = this.#options.now();
    const found = (await sessions.list({ id: caller.id, ver }, now)).find((session) => session.id === id);
    if (!found || auth.expiryOf(found.ends_at) <= now + 1000) throw sessionOver();
    const { token, expiresAtMs } = await auth.issue({ caller, ver }, { session: id, endsAtMs: found.ends_at });
    const renewal = { renewed_at: now, expires_at: Math.max(expiresAtMs, found.expires_at), address, client };
    if (!(await sessions.renew(id, ver, renewal))) throw sessionOver();
    security.note({ actor: caller, action: 'token_renewed', target: { kind: 'user', name: caller.name }, address });
    return token;
  }

  /** Ends the token, and with it all others of its session, on every node. */
  async endToken(caller: Caller, claims: SessionClaims): Promise<void> {
    const { audit, changes } = this.#options;
    changes.take(principalOf(caller));
    await this.#end(
      claims.session,
      claims.expiresAtMs,
      audit.entry(() => tokenEnded(caller)),
    );
  }

  async list(username: string, current?: SessionClaims): Promise<Session[]> {
    const { caller, ver } = await this.#user(username);
    const records = await this.#options.sessions.list({ id: caller.id, ver }, this.#options.now());
    return records.map((record) => toSession(record, current?.session));
  }

  /** Throws NotFoundError if the user has no such session. */
  async end(username: string, id: string, by: Caller): Promise<void> {
    const found = await this.#find(username, id);
    const entry = this.#options.audit.entry<SessionRecord>(() => sessionEnded(by, username, found));
    if (!(await this.#end(id, found.expires_at, entry))) throw notFound('Session');
  }

  /** Lets the session be renewed for as many days as a display may run. */
  async extend(username: string, id: string, by: Caller, current?: SessionClaims): Promise<Session> {
    const { sessions, audit, limits } = this.#options;
    const found = await this.#find(username, id);
    const ends_at = Math.max(found.ends_at, found.created_at + limits.displaySessionDays * 24 * hourMs);
    const also = audit.entry<SessionRecord>(({ after }) => sessionExtended(by, username, after!));
    const record = orNotFound(await sessions.extend(id, found.user_id, ends_at, also), 'Session');
    return toSession(record, current?.session);
  }

  /** Ends every other session of the user; resolves a token for this one. */
  async changePassword(
    caller: Caller,
    claims: SessionClaims,
    passwords: { current: string; next: string },
    { address }: Origin,
  ): Promise<Token> {
    const { auth, sessions, failures, changePassword } = this.#options;
    const { session: id } = claims;
    const open = await sessions.list({ id: caller.id, ver: claims.ver }, this.#options.now());
    const kept = open.find((session) => session.id === id);
    const endsAtMs = kept?.ends_at ?? claims.expiresAtMs;
    const expires_at = auth.expiryOf(endsAtMs);
    // A guess is a guess: whoever found an open page must not find the password with it.
    const principal = await failures
      .count({ kind: 'user', username: caller.name, address, hasToken: true }, () =>
        changePassword(caller, passwords, (tx, ver) =>
          sessions.keepOnly(tx, { id, user_id: caller.id, ver, expires_at }),
        ),
      )
      .catch(throwWrongPassword);
    return (await auth.issue(principal, { session: id, endsAtMs })).token;
  }

  async #end(id: string, expires_at: number, also: Parameters<SessionStore['end']>[1]): Promise<boolean> {
    const { auth, sessions } = this.#options;
    const ended = { id, ended_at: this.#options.now(), expires_at };
    const isNew = await sessions.end(ended, also);
    auth.ended.forget();
    return isNew;
  }

  async #find(username: string, id: string): Promise<SessionRecord> {
    const { caller, ver } = await this.#user(username);
    const records = await this.#options.sessions.list({ id: caller.id, ver }, this.#options.now());
    return orNotFound(
      records.find((record) => record.id === id),
      'Session',
    );
  }

  async #user(username: string): Promise<Principal> {
    return orNotFound(await this.#options.users.principal(username.trim().normalize('NFC').toLowerCase()), 'User');
  }
}

function toSession(record: SessionRecord, current: string | undefined): Session {
  const { id, created_at, renewed_at, expires_at, ends_at, address, client } = record;
  const time = (ms: number) => new Date(ms).toISOString();
  return {
    id,
    created_at: time(created_at),
    renewed_at: time(renewed_at),
    expires_at: time(expires_at),
    ends_at: time(ends_at),
    address,
    client,
    is_current: id === current,
  };
}

/** Not 401: the token is good, and a client would take it for ended. */
function throwWrongPassword(error: unknown): never {
  if (!(error instanceof AuthenticationError)) throw error;
  throw new PermissionError('wrong_password', 'The current password is wrong');
}

function sessionOver(): AuthenticationError {
  return new AuthenticationError('session_over', 'This session cannot be renewed any more; log in again');
}

/** The audit entries for the ends of tokens and sessions. */
export function tokenEnded(caller: Caller): NewAuditEntry {
  return { actor: caller, action: 'token_ended', target: { kind: caller.kind, name: caller.name }, detail: {} };
}

export function sessionEnded(actor: Caller, username: string, session: SessionRecord): NewAuditEntry {
  return entry(actor, 'session_ended', username, session);
}

export function sessionExtended(actor: Caller, username: string, session: SessionRecord): NewAuditEntry {
  return entry(actor, 'session_extended', username, session);
}

function entry(actor: Caller, action: string, name: string, session: SessionRecord): NewAuditEntry {
  const { id, address, client, ends_at } = session;
  const detail = { session: id, address, client, ends_at: new Date(ends_at).toISOString() };
  return { actor, action, target: { kind: 'user', name }, detail };
}
