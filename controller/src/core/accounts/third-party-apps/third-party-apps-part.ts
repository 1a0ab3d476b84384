// Third-party apps as a part.

import { oldSecretAdvice } from '../../base/secret-file.ts';
import type { Part, Platform } from '../../part.ts';
import type { AuditService } from '../audit/audit-service.ts';
import type { CallerChanges } from '../audit/caller-changes.ts';
import type { SecurityLog } from '../audit/security-log.ts';
import { thirdPartyAppRoutes } from './third-party-app-routes.ts';
import { ThirdPartyAppService } from './third-party-app-service.ts';
import { ThirdPartyAppStore } from './third-party-app-store.ts';

interface ThirdPartyAppsPartDeps extends Platform {
  audit: AuditService;
  changes: CallerChanges;
  security: SecurityLog;
}

export function createThirdPartyAppsPart(deps: ThirdPartyAppsPartDeps) {
  const { config, database, keyring, audit, changes, security } = deps;
  const apps = new ThirdPartyAppService({
    apps: new ThirdPartyAppStore(database),
    keyring,
    changes,
    audit,
    security,
    maxApps: config.maxApps,
  });
  return {
    apps,
    routes: thirdPartyAppRoutes(apps),
    prepare: () => apps.reencrypt(oldSecretAdvice(config)),
  } satisfies Part & Record<string, unknown>;
}
