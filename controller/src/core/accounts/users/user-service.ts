// Users: creates, changes and removes user accounts, and authenticates users for auth.
import { randomUUID } from 'node:crypto';
import type { DisabledUser, Grant, TokenData } from '@weft/contract';
import type { Actor, Caller, CallerChange, Principal, PrincipalSource, UserCaller } from '../../base/caller.ts';
import {
  AuthenticationError,
  ConflictError,
  notFound,
  orNotFound,
  PermissionError,
  tooMany,
} from '../../base/errors.ts';
import { invalidValue } from '../../base/input/value-rules.ts';
import { isNameAsPassword } from '../../base/input/weak-password.ts';
import type { PasswordHasher, PasswordTurn } from '../../base/password-hasher.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import { generateSecret } from '../../base/secrets.ts';
import { principalOf } from '../../base/shares/shares.ts';
import type { SqlQueries } from '../../base/storage/sql-database.ts';
import type { AuditService } from '../audit/audit-service.ts';
import type { CallerChanges } from '../audit/caller-changes.ts';
import { grantsChanged, userEntry, userUpdated } from './user-entries.ts';
import type { UserChange, UserRecord } from './user-record.ts';
import type { UserStore } from './user-store.ts';

export interface NewUser {
  username: string;
  password: string;
  roles: string[];
}

export interface UserServiceOptions {
  users: UserStore;
  hasher: PasswordHasher;
  changes: CallerChanges;
  audit: AuditService;
  maxUsers: number;
  /** Whether a password must not be the user's own name. */
  strictPasswords?: boolean;
}

export class UserService implements PrincipalSource {
  readonly #options: UserServiceOptions;
  /** Once true, always true: the last administrator cannot be deleted. */
  #hasAdmin = false;

  constructor(options: UserServiceOptions) {
    this.#options = options;
  }

  async hasAdmin(): Promise<boolean> {
    this.#hasAdmin ||= await this.#options.users.hasAdmin();
    return this.#hasAdmin;
  }

  async list(): Promise<TokenData[]> {
    return (await this.#options.users.list()).map(toTokenData);
  }

  async get(username: string): Promise<TokenData> {
    return toTokenData(await this.#require(username));
  }

  async create(input: NewUser, by: Actor): Promise<TokenData> {
    return this.register(input, by, 'user_created', null);
  }

  /** Creates the first administrator, or resolves undefined if there already is one. */
  async createFirstAdmin(input: NewUser, by: Actor): Promise<TokenData | undefined> {
    const user = await this.#newRecord(input, by);
    const also = this.#options.audit.entry(() => userEntry(by, user, 'first_admin_created'));
    const isFirst = await this.#options.users.createFirstAdmin(user, also);
    return isFirst ? toTokenData(user) : undefined;
  }

  async update(
    username: string,
    input: { password?: string | null; roles?: string[] | null },
    by: Actor,
  ): Promise<TokenData> {
    const { isUser, isAdmin } = rightsOf(by);
    if (input.roles && isUser && !isAdmin) {
      throw new PermissionError('roles_not_permitted', 'Only administrators may change roles');
    }
    const before = await this.#require(username);
    if (input.password) this.requireNotName(input.password, before.username, 'password');
    const change: UserChange = {};
    if (input.password)
      change.password_hash = await this.#options.hasher.hash(input.password, { principal: principalOf(by) });
    if (input.roles && input.roles.join() !== before.roles.join()) change.roles = [...new Set(input.roles)];
    if (Object.keys(change).length === 0) return toTokenData(before);
    const after = await this.#options.changes.make<UserRecord, UserRecord | undefined>(
      ({ before: was, after: is }) => ({ entry: userUpdated(by, was!, is!), change: toChange(was!, is!, by) }),
      (also) => this.#options.users.update(before.username, { ...change, ver: generateSecret() }, also),
    );
    if (!after) throw notFound('User');
    return toTokenData(after);
  }

  /** Those who have any. */
  async granted(): Promise<{ username: string; grants: Grant[] }[]> {
    const all = await this.#options.users.list();
    return all.flatMap(({ username, grants }) => (grants.length === 0 ? [] : [{ username, grants: [...grants] }]));
  }

  async grantsOf(username: string): Promise<Grant[]> {
    return [...(await this.#require(username)).grants];
  }

  /** Its tokens stay good: from now on they open what it is granted, and what it may no longer do ends. */
  async setGrants(username: string, grants: readonly Grant[], by: Actor): Promise<Grant[]> {
    const { username: name, roles } = await this.#require(username);
    if (grants.length > 0 && roles.includes('admin')) {
      throw new ConflictError('is_administrator', 'An administrator may do everything; take the role away first');
    }
    const after = await this.#options.changes.make<UserRecord, UserRecord | undefined>(
      ({ before: was, after: is }) => ({ entry: grantsChanged(by, was!, is!), change: toChange(was!, is!, by) }),
      (also) => this.#options.users.update(name, { grants: grants.map(toGrant) }, also),
    );
    if (!after) throw notFound('User');
    return [...after.grants];
  }

  /** Throws AuthenticationError if the current password is wrong. `also` runs in the transaction, with the new `ver`. */
  async changePassword(
    user: Actor,
    { current, next }: { current: string; next: string },
    also: (tx: SqlQueries, ver: string) => Promise<void>,
  ): Promise<Principal> {
    const turn = { principal: principalOf(user) };
    this.requireNotName(next, user.name, 'new_password');
    if (!(await this.authenticate(user.name, current, turn))) throw new AuthenticationError();
    const change = { password_hash: await this.#options.hasher.hash(next, turn), ver: generateSecret() };
    const after = await this.#options.changes.make<UserRecord, UserRecord | undefined>(
      ({ before: was, after: is }) => ({ entry: userUpdated(user, was!, is!), change: toChange(was!, is!, user) }),
      (record) =>
        this.#options.users.update(user.name, change, async (tx, changed) => {
          await also(tx, change.ver);
          await record(tx, changed);
        }),
    );
    if (!after) throw notFound('User');
    return toPrincipal(after);
  }

  async remove(username: string, by: Actor): Promise<void> {
    const name = normalizeUsername(username);
    const isRemoved = await this.#options.changes.make<UserRecord, boolean>(
      ({ before }) => ({ entry: userEntry(by, before!, 'user_removed'), change: toChange(before!, undefined, by) }),
      (also) => this.#options.users.remove(name, also),
    );
    if (!isRemoved) throw notFound('User');
  }

  async listDisabled(): Promise<DisabledUser[]> {
    return (await this.#options.users.listDisabled()).map(toDisabledUser);
  }

  /** Revokes all its tokens and prevents new ones; its jobs, subscriptions, runs and queued commands end. */
  async disable(username: string, by: Actor): Promise<DisabledUser> {
    const name = normalizeUsername(username);
    if (rightsOf(by).isUser && by.name === name) {
      throw new ConflictError(
        'own_account',
        'You cannot disable your own account, because you could not enable it again; another administrator can disable it',
      );
    }
    const disabling = { disabled_at: Date.now(), disabled_by: by.name, ver: generateSecret() };
    const user = await this.#options.changes.make<UserRecord, UserRecord | undefined>(
      ({ before, after }) => ({ entry: userEntry(by, after!, 'user_disabled'), change: toChange(before!, after!, by) }),
      (also) => this.#options.users.disable(name, disabling, also),
    );
    if (!user) throw notFound('User');
    return toDisabledUser(user);
  }

  /** The user may log in again; old tokens stay revoked. */
  async enable(username: string, by: Actor): Promise<void> {
    const name = normalizeUsername(username);
    const also = this.#options.audit.entry<UserRecord>(({ after }) => userEntry(by, after!, 'user_enabled'));
    if (!(await this.#options.users.enable(name, also))) throw notFound('User');
  }

  async principal(name: string): Promise<Principal | undefined> {
    const user = await this.#options.users.get(name);
    return user && toPrincipal(user);
  }

  async present(...[tx, refs]: Parameters<PrincipalSource['present']>): Promise<Caller[]> {
    const users = await this.#options.users.byIds(tx, refs);
    return users.filter(({ disabled_at }) => disabled_at === null).map((user) => toPrincipal(user).caller);
  }

  async authenticate(username: string, password: string, turn?: PasswordTurn): Promise<Principal | undefined> {
    const user = await this.#options.users.get(normalizeUsername(username));
    if (!(await this.#options.hasher.verify(user?.password_hash, password, turn))) return undefined;
    // Only with the right password: others must not learn that the account exists.
    if (user!.disabled_at !== null)
      throw new AuthenticationError('account_disabled', 'This account is disabled; an administrator can enable it');
    if (user!.waiting_since !== null)
      throw new AuthenticationError('account_waiting', 'This account waits for an administrator to approve it');
    return toPrincipal(user!);
  }

  /** Creates an account that waits for approval since that moment, if there is one; `action` is that of the audit entry. */
  async register(input: NewUser, by: Actor, action: string, waiting_since: number | null): Promise<TokenData> {
    await this.#requireRoom();
    const user = { ...(await this.#newRecord(input, by)), waiting_since };
    // Checked again: hashing is slow, and others may have been created meanwhile.
    await this.#requireRoom();
    await this.#options.users.create(
      user,
      this.#options.audit.entry(() => userEntry(by, user, action)),
    );
    return toTokenData(user);
  }

  /** Throws ValidationError for the user's own name where that is not permitted. */
  requireNotName(password: string, username: string, field: string): void {
    if (!this.#options.strictPasswords || !isNameAsPassword(password, username)) return;
    throw invalidValue(['body', field], 'the password must not be the username');
  }

  async #newRecord({ username, password, roles }: NewUser, by: Actor): Promise<UserRecord> {
    this.requireNotName(password, username, 'password');
    return {
      id: randomUUID(),
      username: normalizeUsername(username),
      password_hash: await this.#options.hasher.hash(password, { principal: principalOf(by) }),
      roles: [...new Set(roles)],
      grants: [],
      ver: generateSecret(),
      created_at: Date.now(),
      disabled_at: null,
      disabled_by: null,
      waiting_since: null,
    };
  }

  async #require(username: string): Promise<UserRecord> {
    return orNotFound(await this.#options.users.get(normalizeUsername(username)), 'User');
  }

  async #requireRoom(): Promise<void> {
    const { users, maxUsers } = this.#options;
    if ((await users.count()) >= maxUsers) throw tooMany('too_many_users', maxUsers);
  }
}

/** Case and surrounding spaces are ignored. */
export function normalizeUsername(username: string): string {
  return username.trim().normalize('NFC').toLowerCase();
}

export function toTokenData(user: UserRecord): TokenData {
  return { username: user.username, roles: user.roles.join(','), scopes: [] };
}

/** The caller contains its own record: no need to read the store again. */
export function toCallerTokenData({ name, roles }: UserCaller): TokenData {
  return { username: name, roles: roles.join(','), scopes: [] };
}

function toPrincipal(user: UserRecord): Principal {
  const { id, username: name, roles, ver } = user;
  const grants = user.grants?.map((grant): Grant => Object.assign(Object.create(null), grant));
  return { caller: { kind: 'user', id, name, roles, isAdmin: roles.includes('admin'), grants, ver }, ver };
}

function toChange(before: UserRecord, after: UserRecord | undefined, by: Actor): CallerChange {
  const { id, username: name } = before;
  const head = { kind: 'user', id, name, by, isRevoked: before.password_hash !== after?.password_hash } as const;
  if (!after) return { ...head, what: 'removed' };
  if (after.disabled_at !== null) return { ...head, what: 'disabled' };
  return { ...head, what: 'changed', caller: toPrincipal(after).caller };
}

/** Without what a client may have sent beside it. */
function toGrant({ role, selector }: Grant): Grant {
  return { role, ...(selector !== undefined && { selector }) };
}

function toDisabledUser({ username, disabled_at, disabled_by }: UserRecord): DisabledUser {
  return { username, disabled_at: new Date(disabled_at!).toISOString(), disabled_by: disabled_by! };
}
