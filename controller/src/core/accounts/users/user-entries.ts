// The audit entries for changes of users.

import { type Actor, anonymous } from '../../base/caller.ts';
import type { NewAuditEntry } from '../audit/audit-entry.ts';
import type { UserRecord } from './user-record.ts';

/** What changes nothing but whether the account is there, or may sign in. */
export function userEntry(actor: Actor, user: UserRecord, action: string): NewAuditEntry {
  return { actor, action, target: toTarget(user), detail: { roles: user.roles } };
}

/** Undefined if nothing changed. */
export function userUpdated(actor: Actor, before: UserRecord, after: UserRecord): NewAuditEntry | undefined {
  const hasNewRoles = before.roles.join() !== after.roles.join();
  const fields = [
    ...(before.password_hash === after.password_hash ? [] : ['password']),
    ...(hasNewRoles ? ['roles'] : []),
  ];
  if (fields.length === 0) return undefined;
  const detail = { fields, ...(hasNewRoles && { roles: { before: before.roles, after: after.roles } }) };
  return { actor, action: 'user_updated', target: toTarget(after), detail };
}

/** Undefined if nothing changed. */
export function grantsChanged(actor: Actor, before: UserRecord, after: UserRecord): NewAuditEntry | undefined {
  if (JSON.stringify(before.grants) === JSON.stringify(after.grants)) return undefined;
  const detail = { before: before.grants, after: after.grants };
  return { actor, action: 'user_grants_changed', target: toTarget(after), detail };
}

/** By the holder of the mail: nothing more is proved. */
export function passwordReset(user: { username: string }): NewAuditEntry {
  return { actor: anonymous, action: 'password_reset', target: toTarget(user), detail: { fields: ['password'] } };
}

function toTarget({ username }: { username: string }) {
  return { kind: 'user', name: username };
}
