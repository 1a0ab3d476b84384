// The event log as a part: one log for every feature that appends, and its retention. Its routes are in timeline/, which knows
// what each caller may see.
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import packageJson from '../../package.json' with { type: 'json' };
import type { AuditLog } from '../audit/audit-store.ts';
import type { Events } from '../events.ts';
import type { Part, Platform } from '../part.ts';
import { PeriodicTask } from '../periodic-task.ts';
import { eventOf } from './audited-events.ts';
import { EventLog } from './event-log.ts';
import { StorageWatch } from './storage-watch.ts';

interface Deps extends Omit<Platform, 'log'> {
  auditLog: AuditLog;
}

export function createEventLogPart(deps: Deps, events: Events) {
  const { config, database, auditLog, onChange, onError } = deps;
  const eventLog = new EventLog(database, {
    auditLog,
    onLogged: events.logged.emit,
    siteOf: (ap_id) => events.siteOf.ask(ap_id)?.site,
  });
  events.audited.add((tx, entries) =>
    eventLog.append(
      tx,
      entries.flatMap((entry) => eventOf(entry) ?? []),
    ),
  );
  const retention = new EventRetention({ log: eventLog, keptMs: config.eventRetentionDays * 86_400_000, onChange });
  const storage = new StorageWatch({
    database,
    eventLog,
    node: hostname(),
    isDiskLow: () => deps.diskSpace.isLow,
    stores: {
      database: () => database.check(),
      telemetry: () => deps.telemetryStore.check(),
      broker: () => deps.broker.check(),
    },
    onError,
  });
  return {
    eventLog,
    async start() {
      const { roles } = config;
      const data = { version: packageJson.version, roles };
      const text = `Weft ${packageJson.version} started on ${hostname()}`;
      await database
        .transaction((tx) =>
          eventLog.append(tx, [{ kind: 'node.started', subject_kind: 'node', subject: hostname(), text, data }]),
        )
        .catch((error) => onError(error, 'the start could not be logged as an event'));
      retention.start();
      storage.start();
    },
    async stop() {
      await Promise.all([retention.stop(), storage.stop()]);
    },
  } satisfies Part & Record<string, unknown>;
}

// Removes events that are too old, in bounded steps. Every node does it, without coordination.
const everyMs = 60_000;
const stepRows = 500;
const betweenStepsMs = 20;
const deviceKeptMs = 24 * 3_600_000;

export interface EventRetentionOptions {
  log: Pick<EventLog, 'prune'>;
  keptMs: number;
  /** Called when it begins to fail, and when it works again. */
  onChange: (message: string, error?: unknown) => void;
  now?: () => number;
}

export class EventRetention extends PeriodicTask {
  readonly #options: EventRetentionOptions;

  constructor(options: EventRetentionOptions) {
    const { onChange } = options;
    super({ everyMs, jitter: 0.1, what: 'the removal of old events', run: () => this.#prune(), onChange });
    this.#options = options;
  }

  async #prune(): Promise<void> {
    const { log, keptMs, now = Date.now } = this.#options;
    const nowMs = now();
    const before = { events: nowMs - keptMs, devices: nowMs - Math.min(keptMs, deviceKeptMs) };
    while (!this.isStopped && (await log.prune(before, stepRows))) await pause(betweenStepsMs);
  }
}
