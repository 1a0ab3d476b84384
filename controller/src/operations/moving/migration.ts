// Moves an installation from a data folder (SQLite, embedded telemetry) to PostgreSQL. Telemetry is copied while the server
// runs. Once the server has stopped, what is new since then and all accounts follow, both sides are compared, and the old
// folder is closed before the new database is opened: at no moment could both take posts. It may end at any moment and run again.
import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { TaskType } from '@weft/contract';
import type { AuditVerification } from '../../core/accounts/audit/audit-store.ts';
import type { Config } from '../../core/base/config.ts';
import { StartError } from '../../core/base/errors.ts';
import type { Keyring } from '../../core/base/secrets.ts';
import { lockDataFolder } from '../../core/base/storage/data-folder.ts';
import { PostgresPool } from '../../core/base/storage/postgres-pool.ts';
import type { PostgresSession } from '../../core/base/storage/postgres-session.ts';
import type { SqlDatabase } from '../../core/base/storage/sql-database.ts';
import { encryptDeviceKey, readOrCreateDeviceKey } from '../../core/devices/privacy/device-key.ts';
import { LocalTelemetry } from './local-telemetry.ts';
import { countContent, type MigrationMark, markName, readMark, readState, writeMark } from './migration-state.ts';
import { copyTables, type TableReport } from './table-copy.ts';
import { copyTelemetry, type TelemetryPass, type TelemetryTotals } from './telemetry-copy.ts';

const lookEveryMs = 100;
/** While it waits for the server to stop, so that little is left to copy then. */
const passEveryMs = 60_000;
/** Of single statements, such as the hashes of a whole table. */
const statementTimeoutMs = 30 * 60_000;

/** How whoever runs it follows it, and ends it early. */
export interface MoveHooks {
  onStage: (text: string) => void;
  onProgress: (share: number | undefined, text: string) => void;
  signal?: AbortSignal | undefined;
}

export interface MigrationOptions extends MoveHooks {
  /** The data folder of the embedded stores. */
  from: string;
  /** The settings of the cluster. */
  config: Config;
  keyring: Keyring;
  /** The database of accounts in `from`, and the new one. Both are closed by their owner. */
  local: SqlDatabase;
  target: SqlDatabase;
  /** Moves everything of the journal of `from` into blocks. Called while no server runs. */
  sealTelemetry: () => Promise<void>;
  verifyAudit: () => Promise<AuditVerification>;
}

export interface MigrationReport {
  completed_at: string;
  tables: TableReport[];
  telemetry: TelemetryTotals;
  audit: { entries: number; head: string };
  files: FileReport[];
  /** How long the old server was stopped and the new one not yet allowed to start. */
  closed_ms: number;
}

/** Resolves undefined if it was complete before. Throws StartError for what an operator can put right. */
export async function migrate(options: MigrationOptions): Promise<MigrationReport | undefined> {
  const pools = {
    accounts: new PostgresPool(options.config.databaseUrl!, { statementTimeoutMs, maxConnections: 2 }),
    telemetry: new PostgresPool(options.config.telemetryUrl!, { statementTimeoutMs, maxConnections: 2 }),
  };
  try {
    const mark = await begin(options, pools.telemetry);
    if (mark === undefined) return undefined;
    const lock = await copyUntilStopped(options, pools.telemetry);
    try {
      return await finish(options, pools, mark);
    } finally {
      lock.release();
    }
  } finally {
    await pools.accounts.close();
    await pools.telemetry.close();
  }
}

/** The mark of this copy; undefined if it is complete. */
async function begin({ from, target }: MigrationOptions, telemetry: PostgresPool): Promise<MigrationMark | undefined> {
  await target.migrate();
  const known = readMark(from);
  const state = await readState(target);
  if (state !== undefined && state.source !== known?.id) {
    throw new StartError('another installation was copied into this database: use an empty one');
  }
  if (known !== undefined && known.completed_at !== null) {
    if (state === undefined) throw new StartError(`${from} was moved to another database at ${known.completed_at}`);
    if (state.completed_at !== null) return undefined;
  }
  if (state === undefined && (await countContent(target, telemetry)) > 0) {
    throw new StartError('the new database is in use already: use an empty one');
  }
  const mark = known ?? { id: randomUUID(), begun_at: new Date().toISOString(), completed_at: null };
  if (known === undefined) writeMark(from, mark);
  await target.query('INSERT INTO data_migration (id, source, begun_at) VALUES (1, ?, ?) ON CONFLICT DO NOTHING', [
    mark.id,
    Date.parse(mark.begun_at),
  ]);
  return mark;
}

/** Copies telemetry until the folder is free, and locks it then. */
async function copyUntilStopped(options: MigrationOptions, pool: PostgresPool): Promise<{ release(): void }> {
  const { from, onStage, signal } = options;
  let hasAsked = false;
  for (let copiedAt = Number.NEGATIVE_INFINITY; ; await pause(lookEveryMs, undefined, { signal })) {
    const isDue = performance.now() - copiedAt > passEveryMs;
    // The first copy is made before the lock is taken: a server that runs goes on meanwhile, one that starts can start.
    if (isDue) {
      if (!hasAsked) onStage('Copying telemetry. A server may keep running.');
      await copyPass(options, pool);
      copiedAt = performance.now();
    }
    const lock = tryLock(from);
    if (lock) return lock;
    if (!hasAsked) onStage('Copied. Stop the server now: what is new since then follows once it has stopped.');
    hasAsked = true;
  }
}

function tryLock(folder: string): { release(): void } | undefined {
  try {
    return lockDataFolder(folder);
  } catch (error) {
    if (error instanceof StartError) return undefined;
    throw error;
  }
}

async function copyPass(
  { from, onProgress, signal }: MigrationOptions,
  pool: PostgresPool,
): Promise<TelemetryPass | undefined> {
  const file = join(from, 'telemetry', 'telemetry.db');
  if (!existsSync(file)) return undefined;
  const local = new LocalTelemetry(file);
  try {
    return await copyTelemetry(local, pool, (done, all) => {
      signal?.throwIfAborted();
      onProgress(done / all, `Telemetry: ${done} of ${all} agents`);
    });
  } finally {
    local.close();
  }
}

/** With the folder locked: nothing changes on either side. */
async function finish(
  options: MigrationOptions,
  pools: { accounts: PostgresPool; telemetry: PostgresPool },
  mark: MigrationMark,
): Promise<MigrationReport> {
  const { from, config, local, target, onStage, onProgress } = options;
  const begunAt = performance.now();
  onStage('No server runs. Copying what is new, and all accounts.');
  await local.migrate();
  await options.sealTelemetry();
  const pass = (await copyPass(options, pools.telemetry))!;
  for (const key of Object.keys(pass.from) as (keyof TelemetryTotals)[]) {
    if (pass.from[key] === pass.to[key]) continue;
    throw new StartError(`telemetry differs after the copy: ${key} ${pass.from[key]} there, ${pass.to[key]} here`);
  }
  const tables = await copyAccounts(options, pools.accounts, (table) => onProgress(undefined, `Table ${table}`));
  const audit = await options.verifyAudit();
  if (!audit.isWhole) throw new StartError(`the audit log is broken at entry ${audit.seq}: ${audit.reason}`);
  if (audit.seals.unknown > 0) {
    throw new StartError('the audit log has seals of another secret: set WEFT_SECRET to that of the old installation');
  }
  const files = copyFiles(from, config.dataDir);
  const completed = { ...mark, completed_at: new Date().toISOString() };
  // In this order: from here on the old folder takes nothing more, and only then the new database does.
  writeMark(from, completed);
  await target.query('UPDATE data_migration SET completed_at = ?', [Date.parse(completed.completed_at)]);
  return {
    completed_at: completed.completed_at,
    tables,
    telemetry: pass.to,
    audit: { entries: audit.count, head: audit.head },
    files,
    closed_ms: Math.round(performance.now() - begunAt),
  };
}

async function copyAccounts(
  { from, keyring }: MigrationOptions,
  pool: PostgresPool,
  onTable: (table: string) => void,
): Promise<TableReport[]> {
  const database = new DatabaseSync(join(from, 'weft.db'), { timeout: 5_000 });
  try {
    // Keeps `weft user` from changing what has been read.
    database.exec('BEGIN IMMEDIATE');
    return await pool.transaction(async (session) => {
      const tables = await copyTables(database, session, onTable);
      await session.query('DELETE FROM device_key');
      await session.query('INSERT INTO device_key (id, key_encrypted) VALUES (1, ?)', [
        encryptDeviceKey(readOrCreateDeviceKey(from), keyring),
      ]);
      await publishAgain(session);
      return tables;
    });
  } finally {
    database.close();
  }
}

/** The messages of jobs are in the broker of the old server: those that are not done get new ones. */
async function publishAgain(session: PostgresSession): Promise<void> {
  await session.query(
    `UPDATE jobs SET published_at = NULL, publish_after = 0
     WHERE ended_at IS NULL AND waits_for IS NULL AND task_type = ANY(?::text[])`,
    [TaskType.enum],
  );
}

/** What has moved to the databases, and what belongs to the process that runs. */
const leftBehind = /^(weft\.db.*|broker\.db.*|telemetry|lock.*)$/;

interface FileReport {
  path: string;
  sha256: string;
}

/** Each file is durable and complete under its name, or not there; copying again replaces it. */
function copyFiles(from: string, to: string): FileReport[] {
  if (resolve(from) === resolve(to)) return [];
  const paths = filesBelow(from).filter((path) => !leftBehind.test(path.split('/')[0]!) && !path.startsWith(markName));
  return paths.map((path) => {
    const bytes = readFileSync(join(from, path));
    const file = join(to, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const handle = openSync(`${file}.moving`, 'w', 0o600);
    writeSync(handle, bytes);
    fsyncSync(handle);
    closeSync(handle);
    renameSync(`${file}.moving`, file);
    const sha256 = sha256Of(bytes);
    if (sha256Of(readFileSync(file)) !== sha256) throw new Error(`${file} differs from ${join(from, path)}`);
    return { path, sha256 };
  });
}

function filesBelow(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) return below === '' && leftBehind.test(path) ? [] : filesBelow(folder, path);
    return entry.isFile() ? [path] : [];
  });
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
