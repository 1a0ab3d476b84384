// The audit log as a part: one service for everybody who changes something, and the routes to read it.
import type { Events } from '../../events.ts';
import type { Network } from '../../network/network.ts';
import type { Part, Platform } from '../../part.ts';
import { auditRoutes } from './audit-routes.ts';
import { AuditService } from './audit-service.ts';
import { AuditLog } from './audit-store.ts';
import { CallerChanges } from './caller-changes.ts';
import { SecurityLog } from './security-log.ts';

export function createAuditPart(platform: Platform & { network: Network }, events: Events) {
  const { config, database, keyring, log: serverLog, network, onError } = platform;
  const log = new AuditLog(database, { key: keyring, also: events.audited.run });
  const audit = new AuditService(log, network);
  const changes = new CallerChanges(log, events.callerChanged);
  const security = new SecurityLog({
    database,
    auditLog: log,
    periodMs: config.securityEventSeconds * 1000,
    log: serverLog,
    onError,
  });
  return {
    log,
    audit,
    changes,
    security,
    routes: auditRoutes(audit),
    authenticator: {
      refused: (caller, operation, address) =>
        security.note({
          actor: caller,
          action: 'request_refused',
          target: { kind: 'operation', name: operation },
          address,
        }),
    },
    start: () => security.start(),
    stop: () => security.stop(),
  } satisfies Part & Record<string, unknown>;
}
