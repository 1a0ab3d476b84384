// The event log as a part: one log for every feature that appends, and its retention. Its routes are in timeline/, which knows
// what each caller may see.
import type { AuditLog } from '../audit/audit-store.ts';
import type { Events } from '../events.ts';
import type { Part, Platform } from '../part.ts';
import { createEventLog } from './event-log.sql.ts';
import { EventRetention } from './event-retention.ts';

interface Deps extends Pick<Platform, 'config' | 'database' | 'onChange'> {
  auditLog: AuditLog;
}

export function createEventLogPart({ config, database, auditLog, onChange }: Deps, events: Events) {
  const eventLog = createEventLog(database, { auditLog, onLogged: events.logged.emit });
  const retention = new EventRetention({ log: eventLog, keptMs: config.eventRetentionDays * 86_400_000, onChange });
  return {
    eventLog,
    start: () => retention.start(),
    stop: () => retention.stop(),
  } satisfies Part & Record<string, unknown>;
}
