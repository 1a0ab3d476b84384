// The event log as a part: one log for every feature that appends, and its retention. Its routes are in timeline/, which knows
// what each caller may see.
import packageJson from '../../../../package.json' with { type: 'json' };
import type { Events } from '../../events.ts';
import type { Network } from '../../network/network.ts';
import type { Part, Platform } from '../../part.ts';
import type { AuditLog } from '../audit/audit-store.ts';
import { eventOf } from './audited-events.ts';
import { EventLog } from './event-log.ts';
import { StorageWatch } from './storage-watch.ts';

const dayMs = 86_400_000;
const stepRows = 500;

interface Deps extends Omit<Platform, 'log'> {
  auditLog: AuditLog;
  network: Pick<Network, 'get'>;
}

export function createEventLogPart(deps: Deps, events: Events) {
  const { config, database, node, auditLog, retention, onError } = deps;
  const eventLog = new EventLog(database, {
    auditLog,
    onLogged: events.logged.emit,
    siteOf: (ap_id) => deps.network.get(ap_id)?.site,
  });
  events.audited.add((tx, entries) =>
    eventLog.append(
      tx,
      entries.flatMap((entry) => eventOf(entry) ?? []),
    ),
  );
  const keptMs = config.eventRetentionDays * dayMs;
  const deviceKeptMs = Math.min(keptMs, dayMs);
  const remove = (before: { events?: number; devices?: number }) =>
    eventLog.prune({ events: 0, devices: 0, ...before }, stepRows);
  retention.add(
    { name: 'events', keptMs, remove: (nowMs) => remove({ events: nowMs - keptMs }) },
    { name: 'events of devices', keptMs: deviceKeptMs, remove: (nowMs) => remove({ devices: nowMs - deviceKeptMs }) },
  );
  const storage = new StorageWatch({
    database,
    eventLog,
    node,
    isDiskLow: () => deps.diskSpace.isLow,
    stores: {
      database: () => database.check(),
      telemetry: () => deps.telemetryStore.check(),
      broker: () => deps.broker.check(),
    },
    onError,
  });
  const lastStart = "SELECT data FROM event_log WHERE kind = 'node.started' ORDER BY id DESC LIMIT 1";
  const whatChanged =
    'CHANGELOG.md says what changed; emulated networks of an older version of the model end, and are events run.failed';
  return {
    eventLog,
    async start() {
      const { roles } = config;
      const { version } = packageJson;
      await database
        .transaction(async (tx) => {
          const [last] = await tx.query<{ data: string }>(lastStart);
          const before: unknown = last && JSON.parse(last.data).version;
          const upgraded = typeof before === 'string' && before !== version ? ` after ${before}` : '';
          const text = `Weft ${version} started on ${node}${upgraded}`;
          const data = { version, roles, ...(upgraded !== '' && { version_before: before }) };
          await eventLog.append(tx, [{ kind: 'node.started', subject_kind: 'node', subject: node, text, data }]);
          if (upgraded !== '') deps.onChange(`upgraded from ${before} to ${version}: ${whatChanged}`);
        })
        .catch((error) => onError(error, 'the start could not be logged as an event'));
      storage.start();
    },
    stop: () => storage.stop(),
  } satisfies Part & Record<string, unknown>;
}
