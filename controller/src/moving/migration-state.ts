// The row that says whether an installation is being copied into this database, or has been.
import type { PostgresPool } from '../storage/postgres-pool.ts';
import type { SqlQueries } from '../storage/sql-database.ts';

export interface MigrationState {
  source: string;
  completed_at: number | null;
}

export async function readState(database: SqlQueries): Promise<MigrationState | undefined> {
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
