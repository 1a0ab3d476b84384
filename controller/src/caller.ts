// Who is calling. Made by auth from a verified token and the present record behind it; every service that decides
// by caller takes one of these.
import type { AppPermissions, LoginType } from '@weft/contract';

export interface UserCaller {
  kind: 'user';
  id: string;
  /** The username. */
  name: string;
  roles: readonly string[];
  isAdmin: boolean;
}

export interface AgentCaller {
  kind: 'agent';
  id: string;
  /** The ap_id. */
  name: string;
}

export interface AppCaller {
  kind: 'third_party_app';
  id: string;
  /** The app_name. */
  name: string;
  permissions: AppPermissions;
}

export type Caller = UserCaller | AgentCaller | AppCaller;

/** Who changes something without being a caller; an enrolment token goes by its id. */
interface OtherActor {
  kind: 'anonymous' | 'enrolment_token' | 'command_line' | 'system';
  id: string | null;
  name: string;
}

/** Whoever changes something, for the audit log. */
export type Actor = Caller | OtherActor;

/** Somebody without a token, where none is needed. */
export const anonymous: Actor = { kind: 'anonymous', id: null, name: 'anonymous' };

/** Weft itself, by its settings. */
export const system: Actor = { kind: 'system', id: null, name: 'weft' };

/** A caller as its record stands now, with the version that its tokens must carry. */
export interface Principal {
  caller: Caller;
  ver: string;
}

/** What each feature with callers of its own (users, agents, apps) offers to auth. */
export interface PrincipalSource {
  /** The present principal of that name, or undefined. */
  principal(name: string): Promise<Principal | undefined>;
  /**
   * The principal if the secret is its own, else undefined; a failure takes the same time whatever caused it.
   * Throws AuthenticationError if the secret is right and the account disabled.
   * Throws TryLaterError (429) when too many secrets are being checked already.
   */
  authenticate(name: string, secret: string): Promise<Principal | undefined>;
}

/** Told by a service when a caller's record changed in a way that touches its tokens or rights; heard by auth. */
export type CallerChanged = (kind: LoginType, name: string) => void;
