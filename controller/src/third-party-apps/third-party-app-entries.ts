// The audit entries for changes of third-party apps.
import { AppPermissions } from '@weft/contract';
import type { NewAuditEntry } from '../audit/audit-entry.ts';
import { changedKeys, keyNames, shownValues } from '../audit/change-detail.ts';
import type { Actor } from '../caller.ts';
import type { ThirdPartyAppRecord } from './third-party-app-store.ts';

export function appCreated(actor: Actor, app: ThirdPartyAppRecord): NewAuditEntry {
  const permissions = describePermissions({}, app.permissions);
  return { actor, action: 'app_created', target: toTarget(app), detail: { permissions } };
}

/** Undefined if nothing changed. */
export function appUpdated(
  actor: Actor,
  before: ThirdPartyAppRecord,
  after: ThirdPartyAppRecord,
): NewAuditEntry | undefined {
  const hasNewPermissions = changedKeys(before.permissions, after.permissions).length > 0;
  const fields = [...(before.ver === after.ver ? [] : ['api_key']), ...(hasNewPermissions ? ['permissions'] : [])];
  if (fields.length === 0) return undefined;
  const permissions = describePermissions(before.permissions, after.permissions);
  const detail = { fields, ...(hasNewPermissions && { permissions }) };
  return { actor, action: 'app_updated', target: toTarget(after), detail };
}

export function appRemoved(actor: Actor, app: ThirdPartyAppRecord): NewAuditEntry {
  return { actor, action: 'app_removed', target: toTarget(app), detail: {} };
}

/** The differences. Of unknown keys only the names are logged, because their values may be secret. */
function describePermissions(before: Record<string, unknown>, after: Record<string, unknown>) {
  const keys = changedKeys(before, after);
  const known = keys.filter((key) => Object.hasOwn(AppPermissions.properties, key));
  const other = keys.filter((key) => !known.includes(key));
  return {
    before: shownValues(before, known),
    after: shownValues(after, known),
    ...(other.length > 0 && { other: keyNames(other) }),
  };
}

function toTarget({ app_name }: ThirdPartyAppRecord) {
  return { kind: 'third_party_app', name: app_name };
}
