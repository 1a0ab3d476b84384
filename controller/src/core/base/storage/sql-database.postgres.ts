// The database for more than one node: a PostgreSQL server behind a pool of connections.
import { StartError } from '../errors.ts';
import { applyMigrations, MIGRATIONS_FOLDER, schemaVersion } from './migrations.ts';
import { OpenTransaction } from './open-transaction.ts';
import { PostgresPool, type PostgresPoolOptions } from './postgres-pool.ts';
import type { PostgresSession } from './postgres-session.ts';
import type { SqlDatabase, SqlQueries, SqlRow, SqlValue } from './sql-database.ts';

export interface PostgresOptions extends PostgresPoolOptions {
  migrationsFolder?: string;
}

// Any number that is not used elsewhere in the same database.
const MIGRATION_LOCK = 7_305_001;

/** Connects with the first statement. Throws only if the address is invalid. */
export function openPostgres(url: string, options: PostgresOptions = {}): SqlDatabase {
  return new PostgresDatabase(url, options);
}

class PostgresDatabase implements SqlDatabase {
  readonly dialect = 'postgres';
  readonly #pool: PostgresPool;
  readonly #migrationsFolder: string;

  constructor(url: string, { migrationsFolder = MIGRATIONS_FOLDER, ...options }: PostgresOptions) {
    this.#pool = new PostgresPool(url, options);
    this.#migrationsFolder = migrationsFolder;
  }

  async query<Row extends SqlRow = SqlRow>(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
    return this.#pool.run((session) => session.query<Row>(sql, params));
  }

  async transaction<T>(work: (tx: SqlQueries) => Promise<T>): Promise<T> {
    const { result, tx } = await this.#pool.transaction((session) => runWork(session, work));
    tx.committed();
    return result;
  }

  async migrate(): Promise<void> {
    await applyMigrations(this.dialect, this.#migrationsFolder, (work) =>
      this.#pool.transaction(async (session) => {
        // Building an index, or waiting for a node that does, may take longer than any request.
        await session.runScript('SET LOCAL statement_timeout = 0');
        await session.runUnhurried(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
        const { result } = await runWork(session, (tx) =>
          work({
            query: (sql, params) => tx.query(sql, params),
            runScript: (sql) => session.runUnhurried(sql),
            assertAlone: () => assertAlone(tx),
          }),
        );
        return result;
      }),
    );
  }

  check(): Promise<void> {
    return this.#pool.check();
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** A node looks at the database every two seconds: connections that are silent for longer may be those of a dead machine. */
async function assertAlone(tx: SqlQueries): Promise<void> {
  const others = await tx.query<{ address: string }>(
    `SELECT DISTINCT coalesce(host(client_addr), 'this machine') AS address FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'weft%' AND application_name NOT LIKE ?
       AND (state = 'active' OR state_change > clock_timestamp() - interval '15 seconds') ORDER BY 1`,
    [`weft% ${schemaVersion}`],
  );
  if (others.length === 0) return;
  throw new StartError(
    `another version of Weft runs on this database (from ${others.map(({ address }) => address).join(', ')}), and this ` +
      'version changes its tables: stop all nodes, workers and emulators of the other version, then start this one',
  );
}

async function runWork<T>(
  session: PostgresSession,
  work: (tx: SqlQueries) => Promise<T>,
): Promise<{ result: T; tx: OpenTransaction }> {
  const tx = new OpenTransaction((sql, params) => session.query(sql, params));
  try {
    const result = await work(tx);
    tx.assertCommittable();
    return { result, tx };
  } finally {
    tx.end();
  }
}
