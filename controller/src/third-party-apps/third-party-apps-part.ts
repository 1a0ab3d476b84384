// Third-party apps as a part.
import type { AuditService } from '../audit/audit-service.ts';
import type { SecurityLog } from '../audit/security-log.ts';
import type { Events } from '../events.ts';
import type { Part, Platform } from '../part.ts';
import { thirdPartyAppRoutes } from './third-party-app-routes.ts';
import { ThirdPartyAppService } from './third-party-app-service.ts';
import { createThirdPartyAppStore } from './third-party-app-store.sql.ts';

export function createThirdPartyAppsPart(
  platform: Platform & { audit: AuditService; security: SecurityLog },
  events: Events,
) {
  const { config, database, keyring, audit, security } = platform;
  const apps = new ThirdPartyAppService({
    apps: createThirdPartyAppStore(database),
    keyring,
    callerChanged: events.callerChanged.emit,
    audit,
    security,
    maxApps: config.quotas.apps,
  });
  return {
    apps,
    routes: thirdPartyAppRoutes(apps),
    prepare: () => apps.reencrypt(),
  } satisfies Part & Record<string, unknown>;
}
