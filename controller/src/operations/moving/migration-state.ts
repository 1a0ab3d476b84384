// What says how far `weft migrate` is: a row in the new database, and a mark in the data folder that it copies from. Once the copy
// is complete, no server with the embedded stores starts on the folder any more: what it stored would be nowhere else.

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../core/base/config.ts';
import { StartError } from '../../core/base/errors.ts';
import type { PostgresPool } from '../../core/base/storage/postgres-pool.ts';
import type { SqlQueries } from '../../core/base/storage/sql-database.ts';

export async function readState(
  database: SqlQueries,
): Promise<{ source: string; completed_at: number | null } | undefined> {
  const [row] = await database.query<{ source: string; completed_at: number | null }>(
    'SELECT source, completed_at FROM data_migration',
  );
  return row;
}

/** Throws an Error that says what to do, so that no server stores anything beside a copy that is not complete. */
export async function refuseUnfinishedMigration(database: SqlQueries): Promise<void> {
  const state = await readState(database);
  if (state === undefined || state.completed_at !== null) return;
  throw new Error('weft migrate has not finished copying into this database: run it again to its end');
}

/** How many rows there are that a new database does not have. */
export async function countContent(accounts: SqlQueries, telemetry: PostgresPool): Promise<number> {
  const tables = ['users', 'agents', 'third_party_apps', 'sites', 'audit_log'];
  let rows = 0;
  for (const table of tables) rows += (await accounts.query<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))[0]!.n;
  const [found] = await telemetry.run((session) =>
    session.query<{ name: string | null }>(`SELECT to_regclass('telemetry_sources')::text AS name`),
  );
  if (found?.name === null) return rows;
  const [sources] = await telemetry.run((session) =>
    session.query<{ n: number }>('SELECT count(*) AS n FROM telemetry_sources'),
  );
  return rows + sources!.n;
}

export const markName = 'migration.json';

export interface MigrationMark {
  id: string;
  begun_at: string;
  completed_at: string | null;
}

export function readMark(dataDir: string): MigrationMark | undefined {
  let text: string;
  try {
    text = readFileSync(join(dataDir, markName), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return JSON.parse(text) as MigrationMark;
}

/** Durable when it returns; never half written. */
export function writeMark(dataDir: string, mark: MigrationMark): void {
  const file = join(dataDir, markName);
  const unfinished = `${file}.new`;
  const handle = openSync(unfinished, 'w', 0o600);
  writeSync(handle, `${JSON.stringify(mark, null, 2)}\n`);
  fsyncSync(handle);
  closeSync(handle);
  renameSync(unfinished, file);
  const folder = openSync(dataDir, 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** Throws StartError if these settings store something in a data folder whose content has moved. */
export function refuseMovedFolder(config: Pick<Config, 'dataDir' | 'databaseUrl' | 'telemetryUrl'>): void {
  if (config.databaseUrl !== undefined && config.telemetryUrl !== undefined) return;
  const mark = readMark(config.dataDir);
  if (mark === undefined || mark.completed_at === null) return;
  throw new StartError(
    `the content of ${config.dataDir} was moved to PostgreSQL at ${mark.completed_at}: set WEFT_DATABASE_URL and ` +
      `WEFT_TELEMETRY_URL, or delete ${join(config.dataDir, markName)} to go on with what was there then`,
  );
}
