// Who may call an operation. Each route has a permission, and the guard applies it before a body is read. What depends on a
// single object (the owner of a job, the agents that an app may see) is marked here and decided by the service of the object.
import type { Grant } from '@weft/contract';
import type { Caller } from '../caller.ts';
import { AuthenticationError, PermissionError } from '../errors.ts';
import { type Rights, rightsOf } from './rights.ts';

/** `itself`: the object that the request names must be the caller. `own`: the service checks whose it is. */
type Rule = 'yes' | 'no' | 'itself' | 'own';

/** Keys of an app's permissions: the app may unless it is false there, until its permissions expire. */
type AppRight = 'read' | 'commands' | 'emulator' | 'alarms';
/** Those that an app has only where they are true: they came later, and nobody gains a right by an upgrade. */
const absentMeansNone: ReadonlySet<AppRight> = new Set(['alarms']);

/** How much of `config` an app needs: each includes those before it. */
const configLevels = ['read', 'draft', 'roll_out'] as const;
type ConfigRight = `config:${(typeof configLevels)[number]}`;

/** Other credentials than those of a user, agent or app. */
type OpenTo = 'anyone' | 'anyone_until_first_admin' | 'enrolment_token' | 'callback_token' | 'metrics_network';

export interface Permission {
  admin: 'yes' | 'no';
  user: Rule;
  agent: Rule;
  third_party_app: Rule | AppRight | ConfigRight;
  /** What a user with grants must have been granted somewhere; for such a user it takes the place of the rule above. */
  grant?: Grant['role'];
  openTo?: OpenTo;
  /** Where apps have the rule `own`: the key of their permissions that, if true, opens what others own as well. */
  ofOthers?: 'callbacks';
}

/** Whoever has a token. */
export const everyCaller: Permission = { admin: 'yes', user: 'yes', agent: 'yes', third_party_app: 'yes' };
export const everyone: Permission = { ...everyCaller, openTo: 'anyone' };
export const adminsOnly: Permission = { admin: 'yes', user: 'no', agent: 'no', third_party_app: 'no' };
/** Also auditors, who read everything. */
export const adminsAndAuditors: Permission = { ...adminsOnly, grant: 'auditor' };
/** Managers in what they manage, which the service checks. */
export const adminsAndManagers: Permission = { ...adminsOnly, grant: 'manager' };
export const usersOnly: Permission = { admin: 'yes', user: 'yes', agent: 'no', third_party_app: 'no' };
/** A user its own record, an administrator all. */
export const userItself: Permission = { admin: 'yes', user: 'itself', agent: 'no', third_party_app: 'no' };
export const usersAndApps: Permission = { admin: 'yes', user: 'yes', agent: 'no', third_party_app: 'yes' };
/** What an access point does in its own name. */
export const agentItself: Permission = { admin: 'no', user: 'no', agent: 'itself', third_party_app: 'no' };
export const adminsAndAgentItself: Permission = { admin: 'yes', user: 'no', agent: 'itself', third_party_app: 'no' };
/** Reads one agent: an app if its permissions name it. */
export const agentReaders: Permission = { admin: 'yes', user: 'yes', agent: 'itself', third_party_app: 'read' };
/** Reads the agents it may read: an agent itself, an app those of its permissions. */
export const fleetReaders: Permission = { admin: 'yes', user: 'yes', agent: 'own', third_party_app: 'read' };
/** Reads what concerns many agents, which no agent needs. */
export const networkReaders: Permission = { admin: 'yes', user: 'yes', agent: 'no', third_party_app: 'read' };
export const jobReaders: Permission = { admin: 'yes', user: 'own', agent: 'own', third_party_app: 'own' };
/** Of commands, emulated networks and bulk changes. */
export const owners: Permission = { admin: 'yes', user: 'own', agent: 'no', third_party_app: 'own' };
export const callbacks: Permission = { ...owners, openTo: 'callback_token', ofOthers: 'callbacks' };
/** A user needs a grant, or networks of its own: decided for each access point. */
export const bulkStarters: Permission = { admin: 'yes', user: 'own', agent: 'no', third_party_app: 'commands' };
export const commandSenders: Permission = { ...bulkStarters, grant: 'operator' };
export const emulatorStarters: Permission = { ...usersOnly, third_party_app: 'emulator', grant: 'operator' };

/** Acknowledges and shelves alarms. `own`: those of access points that the user may send commands to. */
export const alarmHandlers: Permission = { ...usersOnly, user: 'own', grant: 'operator' };

/** What an app raises in its own name. */
export const alarmRaisers: Permission = { admin: 'no', user: 'no', agent: 'no', third_party_app: 'alarms' };

/** Reads what access points shall be: of users with grants, managers. */
export const configReaders: Permission = { ...usersOnly, third_party_app: 'config:read', grant: 'manager' };
/** Of one access point, which also reads its own. */
export const agentConfigReaders: Permission = { ...agentReaders, third_party_app: 'config:read' };
/** Whether how access points stand to their settings is anything for this caller; of which ones, its sight says. */
export function mayReadConfig(caller: Caller): boolean {
  const rights = rightsOf(caller);
  return caller.kind !== 'third_party_app' || (rights.limits.config !== undefined && !rights.hasExpired());
}

/** Within what they manage, which the service checks. */
export const configDrafters: Permission = { ...adminsAndManagers, third_party_app: 'config:draft' };
export const configRollers: Permission = { ...adminsAndManagers, third_party_app: 'config:roll_out' };

/**
 * Returns if the caller has permission; throws AuthenticationError without a caller, PermissionError for the wrong kind, role,
 * name or grant. `target` is the name in the request; without one, `itself` passes and validation decides.
 */
export function requirePermission(
  permission: Permission,
  caller: Caller | undefined,
  target?: string,
  now?: number,
): void {
  if (permission.openTo === 'anyone') return;
  if (!caller) throw new AuthenticationError();
  const rights = rightsOf(caller);
  if (permission.grant && rights.hasGrants) {
    if (!rights.isGranted(permission.grant)) throw new PermissionError();
    return;
  }
  const rule = rights.isAdmin ? permission.admin : permission[caller.kind];
  if (rule === 'no') throw new PermissionError();
  if (rule === 'itself' && target !== undefined && !isNamed(caller, target)) throw new PermissionError();
  if (rule !== 'yes' && rule !== 'itself' && rule !== 'own') requireRight(rights, rule, now);
}

/** Of a user, `me` is the caller's own name: usernames are e-mail addresses. */
function isNamed(caller: Caller, target: string): boolean {
  if (caller.kind !== 'user') return caller.name === target;
  return target === 'me' || target.toLowerCase() === caller.name;
}

function requireRight(rights: Rights, right: AppRight | ConfigRight, now?: number): void {
  if (rights.hasExpired(now)) {
    const { expires_at } = rights.limits;
    throw new PermissionError('permissions_expired', `The permissions of this app expired at ${expires_at}`);
  }
  const needed = configLevels.findIndex((level) => right === `config:${level}`);
  if (needed >= 0) {
    const { config } = rights.limits;
    if (config === undefined || configLevels.indexOf(config) < needed) throw new PermissionError();
    return;
  }
  const key = right as AppRight;
  const given = rights.limits[key];
  if (given === false || (given === undefined && absentMeansNone.has(key))) throw new PermissionError();
}
