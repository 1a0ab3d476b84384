// The caller of a request. Created by auth from a verified token and the current record; every service that decides
// by caller receives one.
import type { AppPermissions, Grant, LoginType } from '@weft/contract';
import type { PasswordTurn } from './password-hasher.ts';
import type { SqlQueries } from './storage/sql-database.ts';

interface Known {
  id: string;
  /** The username, ap_id or app_name. */
  name: string;
  /** Of the record when the caller was let in: it changes with the credentials. */
  ver?: string;
}

export interface UserCaller extends Known {
  kind: 'user';
  roles: readonly string[];
  isAdmin: boolean;
  /** What it may do where; none: read everything. Of no meaning for administrators. */
  grants?: readonly Grant[];
}

export interface AgentCaller extends Known {
  kind: 'agent';
  /** The id of the caller whose network it belongs to, if it is emulated. */
  emulated_for?: string;
}

export interface AppCaller extends Known {
  kind: 'third_party_app';
  permissions: AppPermissions;
}

export type Caller = UserCaller | AgentCaller | AppCaller;

/** Actors that are not callers; an enrolment token is named by its id. */
interface OtherActor {
  kind: 'anonymous' | 'enrolment_token' | 'command_line' | 'system';
  id: string | null;
  name: string;
}

/** The actor of a change, for the audit log. */
export type Actor = Caller | OtherActor;

/** A request without a token, where none is needed. */
export const anonymous: Actor = { kind: 'anonymous', id: null, name: 'anonymous' };

/** Weft itself, because of its settings. */
export const system: Actor = { kind: 'system', id: null, name: 'weft' };

/** A caller with its current record, and the version that its tokens must carry. */
export interface Principal {
  caller: Caller;
  ver: string;
}

/**
 * By what a caller is asked for again once its request is over: nothing that is stored or waits takes the id of an owner alone. Which
 * of the owner's credentials it was belongs here.
 */
export interface CredentialRef {
  readonly kind: LoginType;
  readonly id: string;
}

export function refOf({ kind, id }: Caller): CredentialRef {
  return { kind, id };
}

/** Of a row that has an owner. */
export function ownerRef({ owner_kind, owner_id }: { owner_kind: LoginType; owner_id: string }): CredentialRef {
  return { kind: owner_kind, id: owner_id };
}

/** The key of what is remembered for one caller; what it may take goes by `principalOf`. */
export function callerKey({ kind, id }: CredentialRef): string {
  return `${kind}:${id}`;
}

/** The interface of users, agents and apps for auth. */
export interface PrincipalSource {
  /** The current principal of that name, or undefined. */
  principal(name: string): Promise<Principal | undefined>;
  /** While it stays the same, no principal has changed, wherever it was changed; without it nothing says so. */
  revision?(): Promise<number>;
  /** Those of these callers that exist and are not disabled, with their rights, inside of the transaction. */
  present(tx: SqlQueries, refs: readonly CredentialRef[]): Promise<Caller[]>;
  /**
   * The principal if the secret is right, else undefined; a failure takes the same time for every cause.
   * Throws AuthenticationError if the secret is right and the account disabled.
   * Throws TryLaterError (429) when too many secrets of that turn are being checked already.
   */
  authenticate(name: string, secret: string, turn?: PasswordTurn): Promise<Principal | undefined>;
}

export type Principals = Readonly<Record<LoginType, PrincipalSource>>;

/** The callers as their records have them now, inside of the transaction, without those that are gone or disabled. */
export async function callersNow(
  principals: Principals,
  tx: SqlQueries,
  refs: readonly CredentialRef[],
): Promise<Caller[]> {
  const found: Caller[] = [];
  for (const [kind, of] of Map.groupBy(refs, (ref) => ref.kind))
    found.push(...(await principals[kind].present(tx, of)));
  return found;
}

export async function callerNow(
  principals: Principals,
  tx: SqlQueries,
  ref: CredentialRef,
): Promise<Caller | undefined> {
  return (await callersNow(principals, tx, [ref]))[0];
}

/** A change of a caller's record that affects its tokens, its rights, or what it owns. */
export interface CallerChange {
  kind: LoginType;
  id: string;
  name: string;
  /** `expired`: nothing was written; the time of an app's permissions is over. */
  what: 'removed' | 'disabled' | 'changed' | 'expired';
  /** The caller with its rights from now on, if it still has any and they may have changed. */
  caller?: Caller;
  /** Its password or key is another one: its tokens end, and what it has queued. */
  isRevoked: boolean;
  by: Actor;
}

/** Whether nothing of the caller may go on. */
export function isEnded({ what }: CallerChange): boolean {
  return what === 'removed' || what === 'disabled';
}
