// Opens what all parts stand on: the data folder, the secret, and the backends that the settings name.
import { hostname } from 'node:os';
import {
  openBroker,
  openDatabase,
  openDatabaseProbe,
  openKeyring,
  openTelemetry,
  requireOldSecret,
} from './backends.ts';
import type { Config } from './core/base/config.ts';
import { StartError, TryLaterError } from './core/base/errors.ts';
import { NodeFence } from './core/base/node-fence.ts';
import { NodeNews } from './core/base/node-news.ts';
import { type PasswordCost, PasswordHasher, passwordTurns } from './core/base/password-hasher.ts';
import { Shares } from './core/base/shares/shares.ts';
import { lockDataFolder, prepareDataFolder, removeOldQueue } from './core/base/storage/data-folder.ts';
import { DiskSpace } from './core/base/storage/disk-space.ts';
import { reasonOf } from './core/base/storage/preparation.ts';
import type { SqlDatabase } from './core/base/storage/sql-database.ts';
import { countWrites, WriteOutcomes } from './core/base/storage/write-outcomes.ts';
import type { Events } from './core/events.ts';
import type { Logger } from './core/http/request/log.ts';
import type { Platform } from './core/part.ts';
import { Retention } from './core/retention/retention.ts';
import { refuseMovedFolder } from './operations/moving/migration-state.ts';

export interface PlatformOptions {
  config: Config;
  log: Logger;
  events: Events;
  ownUrl: () => string;
  /** Told when a backend can promise nothing any more: the process should end. */
  onFatal: (error: Error) => void;
  /** What hashing a password costs, for tests of everything else. */
  passwordCost?: PasswordCost | undefined;
}

export interface OpenPlatform extends Platform {
  /** Tells parts from now on what other processes change. Not before there are tables: parts would look for them. */
  watchOthers(): void;
  /** How many failures were logged from which Weft recovers by itself. */
  readonly recoveredFailures: number;
  close(): Promise<void>;
}

/** Throws StartError if it cannot be opened. PostgreSQL and RabbitMQ may be unreachable. */
export async function openPlatform(options: PlatformOptions): Promise<OpenPlatform> {
  const { config, log, events, ownUrl, onFatal, passwordCost } = options;
  prepareDataFolder(config.dataDir);
  refuseMovedFolder(config);
  const lock = config.databaseUrl === undefined ? lockDataFolder(config.dataDir) : undefined;
  removeOldQueue(config.dataDir);
  const writes = new WriteOutcomes({
    onRefused: ({ code, refused, writes }) => log.error({ code, refused, writes }, 'storage refuses writes'),
  });
  const database = countWrites(openDatabase(config), writes);
  const keyring = await requireOldSecret(config, database)
    .then(() => openKeyring(config))
    .catch(async (error) => {
      await database.close();
      lock?.release();
      throw error;
    });
  const telemetryStore = await openTelemetry(config, log, onFatal).catch(async (error) => {
    await database.close();
    lock?.release();
    throw new StartError(`the telemetry in ${config.dataDir} cannot be opened: ${error.message}`, { cause: error });
  });
  const diskSpace = new DiskSpace({
    folder: config.dataDir,
    reserveBytes: config.diskReserveMb * 1024 * 1024,
    onChange: (message, isLow) => log[isLow ? 'warn' : 'info'](message),
  });
  await diskSpace.measure();
  diskSpace.start();
  // Last: what it tells from its first moment on must find those who listen, who are created once this has returned.
  const broker = openBroker(config, log, events.queueLost.emit);
  const news = new NodeNews({ broker, databaseUrl: config.amqpUrl && config.databaseUrl });
  const shares = new Shares();
  const probe = config.amqpUrl === undefined ? undefined : openDatabaseProbe(config);
  const fence =
    probe &&
    new NodeFence({
      reachDatabase: () => readTime(probe),
      reachBroker: () => broker.check(),
      broadcast: (text) => news.broadcast(text),
      onChange: (message) => log.warn(message),
    });
  if (fence) {
    news.listen(
      (text) => {
        fence.heard(text);
        shares.heard(text);
      },
      () => {},
    );
    shares.connect((text) => news.broadcast(text));
    fence.start();
    // What time it is, before anybody asks.
    fence.soon();
  }
  let stopWatching: (() => void) | undefined;
  let failures = 0;
  const warn = (error: unknown, message: string) => {
    failures++;
    log.warn(shown(error), message);
  };
  return {
    config,
    database,
    telemetryStore,
    broker,
    news,
    node: config.databaseUrl === undefined ? hostname() : `${hostname()}:${config.port}`,
    keyring,
    hasher: new PasswordHasher(shares.turns('password_checks', passwordTurns), passwordCost),
    retention: new Retention(),
    shares,
    writes,
    diskSpace,
    freshMs: database.watchOthers ? 60_000 : 500,
    isCutOff: () => fence?.reason !== undefined,
    fenceReason: () => fence?.reason,
    now: () => fence?.databaseNow ?? Date.now(),
    ownUrl,
    log,
    onError: warn,
    onChange: (message, error) => (error ? warn(error, message) : log.info(message)),
    get recoveredFailures() {
      return failures;
    },
    watchOthers() {
      stopWatching = database.watchOthers?.(events.recordsChanged.emit);
    },
    async close() {
      stopWatching?.();
      await fence?.stop();
      await probe?.close();
      await diskSpace.stop();
      await news.close();
      await broker.close();
      await telemetryStore.close();
      await database.close();
      lock?.release();
    },
  };
}

async function readTime(database: SqlDatabase): Promise<number> {
  const [row] = await database.query<{ ms: number }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');
  return row!.ms;
}

/** A backend that is unavailable is one line: where in the code that was noticed helps nobody. */
function shown(error: unknown): { reason: string } | { err: unknown } {
  return error instanceof TryLaterError ? { reason: reasonOf(error) } : { err: error };
}
