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

/** A caller's record changed in a way that touches its rights: told by the services, heard by auth. */
export type CallerChanged = (kind: LoginType, name: string) => void;
