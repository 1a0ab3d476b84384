// Selects the backend of every store and external service, by the settings.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Broker, type BrokerEvent, openAmqpBroker, openMemoryBroker } from '@weft/broker';
import { TaskType } from '@weft/contract';
import { type Config, isClickHouse } from './core/base/config.ts';
import { StartError } from './core/base/errors.ts';
import { createOutboxMailer } from './core/base/mail/mailer.outbox.ts';
import { createSmtpMailer } from './core/base/mail/mailer.smtp.ts';
import type { Mailer } from './core/base/mail/mailer.ts';
import { grantsByDisplayName } from './core/base/rights/display-name-grants.ts';
import { hasNoSecret, oldSecretAdvice, readOrCreateSecret } from './core/base/secret-file.ts';
import { Keyring } from './core/base/secrets.ts';
import { prepareDataFolder } from './core/base/storage/data-folder.ts';
import { PostgresPool } from './core/base/storage/postgres-pool.ts';
import { openPostgres } from './core/base/storage/sql-database.postgres.ts';
import { openSqlite } from './core/base/storage/sql-database.sqlite.ts';
import type { SqlDatabase } from './core/base/storage/sql-database.ts';
import type { Logger } from './core/http/request/log.ts';
import { openClickHouseTelemetry } from './core/telemetry/store/clickhouse/telemetry-store.clickhouse.ts';
import { openPostgresTelemetry } from './core/telemetry/store/postgres/telemetry-store.postgres.ts';
import { openEmbeddedTelemetry } from './core/telemetry/store/telemetry-store.embedded.ts';
import type { TelemetryStore } from './core/telemetry/store/telemetry-store.ts';

const dayMs = 86_400_000;

export function openKeyring(config: Config): Keyring {
  return new Keyring(config.secret ?? readOrCreateSecret(config.dataDir), config.previousSecrets);
}

/** Throws StartError rather than make up a secret where keys of apps are stored under one, as after `weft restore`. */
export async function requireOldSecret(config: Config, database: SqlDatabase): Promise<void> {
  if (!hasNoSecret(config)) return;
  // A new database has no tables yet.
  const apps = await database.query<{ app_name: string }>('SELECT app_name FROM third_party_apps').catch(() => []);
  if (apps.length === 0) return;
  const names = apps.map(({ app_name }) => app_name).join(', ');
  throw new StartError(
    `the api keys of ${names} were stored under a secret that is not here: ${oldSecretAdvice(config)}`,
  );
}

export function openDatabase(config: Config): SqlDatabase {
  return config.databaseUrl === undefined
    ? openSqlite(join(config.dataDir, 'weft.db'))
    : openPostgres(config.databaseUrl, { maxConnections: config.databasePool });
}

/** A connection of its own, to see whether the database can be reached at all, however busy the others are. */
export function openDatabaseProbe({ databaseUrl }: Config): SqlDatabase | undefined {
  return databaseUrl === undefined ? undefined : openPostgres(databaseUrl, { maxConnections: 1 });
}

export function openMailer(config: Config, onWritten: (file: string) => void = () => {}): Mailer {
  return config.smtpUrl === undefined
    ? createOutboxMailer(join(config.dataDir, 'outbox'), config.mailFrom, onWritten)
    : createSmtpMailer(config.smtpUrl, config.mailFrom);
}

/** `onFatal` is called when durability is lost and the process must end. */
export async function openTelemetry(
  config: Config,
  log: Logger,
  onFatal: (error: Error) => void,
): Promise<TelemetryStore> {
  const rawRetentionMs = config.telemetryRetentionDays * dayMs;
  const rollupRetentionMs = config.rollupRetentionDays * dayMs;
  const onChange = (message: string, err?: unknown) => log[err === undefined ? 'info' : 'warn']({ err }, message);
  if (config.telemetryUrl !== undefined && isClickHouse(config.telemetryUrl)) {
    return openClickHouse(config.telemetryUrl, config, onChange);
  }
  if (config.telemetryUrl !== undefined) {
    const maxConnections = config.databasePool;
    return openPostgresTelemetry({
      url: config.telemetryUrl,
      rawRetentionMs,
      rollupRetentionMs,
      maxConnections,
      onChange,
    });
  }
  const folder = join(config.dataDir, 'telemetry');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return await openEmbeddedTelemetry({
    folder,
    rawRetentionMs,
    rollupRetentionMs,
    onDamage: (message, isUnfinishedEnd) => log[isUnfinishedEnd ? 'warn' : 'error']({ folder }, message),
    onFatal,
  });
}

function openClickHouse(url: string, config: Config, onChange?: (message: string, error?: unknown) => void) {
  const rawRetentionMs = config.telemetryRetentionDays * dayMs;
  const rollupRetentionMs = config.rollupRetentionDays * dayMs;
  return openClickHouseTelemetry({ url, rawRetentionMs, rollupRetentionMs, engine: config.clickHouseEngine, onChange });
}

/** Moves everything of the telemetry in this data folder from its journal into blocks. No server may run on it. */
export async function sealEmbeddedTelemetry(config: Config, onDamage: (message: string) => void): Promise<void> {
  const folder = join(config.dataDir, 'telemetry');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const failed = Promise.withResolvers<never>();
  const store = await openEmbeddedTelemetry({
    folder,
    rawRetentionMs: config.telemetryRetentionDays * dayMs,
    rollupRetentionMs: config.rollupRetentionDays * dayMs,
    onDamage,
    onFatal: failed.reject,
  });
  await Promise.race([store.sealAll(), failed.promise]);
  await store.close();
}

/** A message that was started this often without a result becomes a dead letter. */
const deliveryLimit = 4;
const eventTexts: Record<BrokerEvent['kind'], ['info' | 'warn', string]> = {
  connected: ['info', 'the broker is connected'],
  lost: ['warn', 'the broker is unavailable; jobs wait'],
  blocked: ['warn', 'the broker accepts no messages for now; jobs wait'],
  unblocked: ['info', 'the broker accepts messages again'],
  queue_lost: ['info', 'a queue was declared again; jobs that waited in it are published again'],
  dead_letter: ['warn', 'a message has become a dead letter'],
};

/** `onLost` is called for a queue that had to be created again, so that its messages are unknown. */
export function openBroker({ amqpUrl }: Config, log: Logger, onLost: (queue: string, agoMs?: number) => void): Broker {
  const isEmbedded = amqpUrl === undefined;
  const options = {
    queues: TaskType.enum,
    deliveryLimit,
    onEvent: ({ kind, detail, queue, agoMs }: BrokerEvent) => {
      const [level, text] = eventTexts[kind];
      // Every start has new queues in memory.
      log[level === 'info' && isEmbedded ? 'debug' : level]({ detail, queue }, text);
      if (kind === 'queue_lost' && queue !== undefined) onLost(queue, agoMs);
    },
  };
  return isEmbedded ? openMemoryBroker(options) : openAmqpBroker({ ...options, url: amqpUrl });
}

/** Of a check of `weft doctor`. */
export interface CheckResult {
  name: string;
  ok: boolean;
  detail: string;
  /** What to do. */
  advice?: string;
}

/** For `weft doctor`. The embedded telemetry store is skipped, because only the server may open it. */
export async function checkBackends(config: Config): Promise<CheckResult[]> {
  const database = config.databaseUrl === undefined ? 'SQLite database' : 'PostgreSQL database';
  const mail = `no mail server set: mail goes to ${join(config.dataDir, 'outbox')}`;
  const reports = [
    report(database, 'answers', 'See the settings WEFT_DATABASE_URL and WEFT_DATA_DIR', async () => {
      prepareDataFolder(config.dataDir);
      await checkAndClose(openDatabase(config));
    }),
    checkGrants(config),
    report(
      'Mail',
      config.smtpUrl === undefined ? mail : 'the mail server answers',
      'See the setting WEFT_SMTP_URL',
      () => openMailer(config).check(),
    ),
  ];
  if (config.amqpUrl !== undefined) {
    const { amqpUrl } = config;
    const check = () => checkAndClose(openAmqpBroker({ url: amqpUrl, queues: TaskType.enum, deliveryLimit }));
    reports.push(report('RabbitMQ', 'answers', 'See the setting WEFT_AMQP_URL', check));
  }
  const { telemetryUrl } = config;
  if (telemetryUrl !== undefined && isClickHouse(telemetryUrl)) {
    const open = () => openClickHouse(telemetryUrl, config);
    const advice = 'See the setting WEFT_TELEMETRY_URL';
    reports.push(report('Telemetry in ClickHouse', 'answers', advice, () => checkAndClose(open())));
  } else if (telemetryUrl !== undefined) {
    const check = () => checkAndClose(new PostgresPool(telemetryUrl));
    reports.push(report('Telemetry in PostgreSQL', 'answers', 'See the setting WEFT_TELEMETRY_URL', check));
  }
  return Promise.all(reports);
}

/** Names in grants and permissions are ap_ids: one that was meant as a display name grants nothing. */
async function checkGrants(config: Config): Promise<CheckResult> {
  const name = 'Grants by name';
  const database = openDatabase(config);
  try {
    const found = await grantsByDisplayName(database);
    if (found.length === 0) return { name, ok: true, detail: 'none means a display name' };
    const advice = 'Names in rights are ap_ids. Name the access points by ap_id, site or tag instead.';
    return { name, ok: true, detail: found.join('; '), advice };
  } catch {
    return { name, ok: true, detail: 'not known yet' };
  } finally {
    await database.close();
  }
}

async function checkAndClose(backend: { check(): Promise<void>; close(): Promise<void> }): Promise<void> {
  try {
    await backend.check();
  } finally {
    await backend.close();
  }
}

async function report(name: string, good: string, advice: string, check: () => Promise<void>): Promise<CheckResult> {
  try {
    await check();
    return { name, ok: true, detail: good };
  } catch (error) {
    return { name, ok: false, detail: (error as Error).message, advice };
  }
}
