// The audit entries for changes of sites.
import type { NewAuditEntry } from '../audit/audit-entry.ts';
import type { Actor } from '../caller.ts';
import type { SiteRecord } from './site-store.ts';

const fields = ['path', 'name', 'geolocation', 'time_zone', 'notes'] as const;

export function siteCreated(actor: Actor, site: SiteRecord): NewAuditEntry {
  const { name, time_zone } = site;
  return { actor, action: 'site_created', target: toTarget(site), detail: { name, time_zone } };
}

/** Undefined if nothing changed. */
export function siteUpdated(actor: Actor, before: SiteRecord, after: SiteRecord): NewAuditEntry | undefined {
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  if (changed.length === 0) return undefined;
  const detail = {
    fields: changed,
    ...(before.path !== after.path && { path: { before: before.path, after: after.path } }),
  };
  return { actor, action: 'site_updated', target: toTarget(after), detail };
}

export function siteRemoved(actor: Actor, site: SiteRecord): NewAuditEntry {
  return { actor, action: 'site_removed', target: toTarget(site), detail: {} };
}

function toTarget({ path }: SiteRecord) {
  return { kind: 'site', name: path };
}
