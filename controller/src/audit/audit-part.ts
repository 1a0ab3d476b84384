// The audit log as a part: one service for everybody who changes something, and the routes to read it.
import type { Events } from '../events.ts';
import type { Part, Platform } from '../part.ts';
import { auditRoutes } from './audit-routes.ts';
import { AuditService } from './audit-service.ts';
import { createAuditLog } from './audit-store.sql.ts';
import { CallerChanges } from './caller-changes.ts';

export function createAuditPart({ database }: Platform, events: Events) {
  const log = createAuditLog(database);
  const audit = new AuditService(log);
  const changes = new CallerChanges(log, events.callerChanged);
  return { log, audit, changes, routes: auditRoutes(audit) } satisfies Part & Record<string, unknown>;
}
