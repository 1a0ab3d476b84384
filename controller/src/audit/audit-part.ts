// The audit log as a part: one service for everybody who changes something, and the routes to read it.
import type { Part, Platform } from '../part.ts';
import { auditRoutes } from './audit-routes.ts';
import { AuditService } from './audit-service.ts';
import { createAuditLog } from './audit-store.sql.ts';

export function createAuditPart({ database }: Platform) {
  const log = createAuditLog(database);
  const audit = new AuditService(log);
  return { log, audit, routes: auditRoutes(audit) } satisfies Part & Record<string, unknown>;
}
