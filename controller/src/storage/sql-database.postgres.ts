// The database for more than one node: a PostgreSQL server behind a pool of connections. READ COMMITTED, with
// the server's synchronous_commit (on), so that commits are durable.
import { setTimeout as pause } from 'node:timers/promises';
import { backOffMs } from '@weft/contract/back-off';
import { Client, type CustomTypesConfig, Pool, types } from 'pg';
import { applyMigrations, MIGRATIONS_FOLDER } from './migrations.ts';
import { OpenTransaction } from './open-transaction.ts';
import { isRetryable, toStoreError, unavailable, whyUnavailable } from './postgres-errors.ts';
import { PostgresSession } from './postgres-session.ts';
import type { SqlDatabase, SqlQueries, SqlRow, SqlValue } from './sql-database.ts';

export interface PostgresOptions {
  maxConnections?: number;
  /** How long to wait for a connection, new or from the pool. */
  connectTimeoutMs?: number;
  statementTimeoutMs?: number;
  migrationsFolder?: string;
}

const ATTEMPTS = 5;
const pauses = { firstMs: 10, longestMs: 1_000 };
// Any number that is not used elsewhere in the same database.
const MIGRATION_LOCK = 7_305_001;
const INT8 = 20;
const NUMERIC = 1700;

const numbersAsNumbers: CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === INT8 || oid === NUMERIC ? Number : types.getTypeParser(oid, format)),
};

/** Connects with the first statement. Throws only if the address is invalid. */
export function openPostgres(url: string, options: PostgresOptions = {}): SqlDatabase {
  return new PostgresDatabase(url, options);
}

class PostgresDatabase implements SqlDatabase {
  readonly dialect = 'postgres';
  readonly #pool: Pool;
  readonly #place: string;
  readonly #migrationsFolder: string;
  #closing: Promise<void> | undefined;

  constructor(url: string, options: PostgresOptions) {
    const statementTimeoutMs = options.statementTimeoutMs ?? 10_000;
    this.#place = describePlace(url);
    this.#migrationsFolder = options.migrationsFolder ?? MIGRATIONS_FOLDER;
    this.#pool = new Pool({
      connectionString: url,
      application_name: 'weft',
      max: options.maxConnections ?? 10,
      connectionTimeoutMillis: options.connectTimeoutMs ?? 3_000,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      statement_timeout: statementTimeoutMs,
      // The server times out first; this is for a server that does not answer at all.
      query_timeout: statementTimeoutMs + 2_000,
      // A node that freezes inside a transaction must not keep its row locks forever.
      idle_in_transaction_session_timeout: statementTimeoutMs,
      types: numbersAsNumbers,
    });
    // Without a listener a connection that breaks while idle, or between two statements, would end the process. The
    // pool drops it; the next statement reports it if the problem persists.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  async query<Row extends SqlRow = SqlRow>(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
    return retrying(() => this.#withSession((session) => session.query<Row>(sql, params)));
  }

  async transaction<T>(work: (tx: SqlQueries) => Promise<T>): Promise<T> {
    const { result, tx } = await retrying(() => this.#transactionOnce((session) => runWork(session, work)));
    tx.committed();
    return result;
  }

  async migrate(): Promise<void> {
    await applyMigrations(this.dialect, this.#migrationsFolder, (work) =>
      retrying(() =>
        this.#transactionOnce(async (session) => {
          // Building an index, or waiting for a node that does, may take longer than any request.
          await session.runScript('SET LOCAL statement_timeout = 0');
          await session.runUnhurried(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
          const { result } = await runWork(session, (tx) =>
            work({
              query: (sql, params) => tx.query(sql, params),
              runScript: (sql) => session.runUnhurried(sql),
            }),
          );
          return result;
        }),
      ),
    );
  }

  async check(): Promise<void> {
    let rows: { read_only: string }[];
    try {
      rows = await this.query<{ read_only: string }>(`SELECT current_setting('transaction_read_only') AS read_only`);
    } catch (error) {
      throw unavailable(`PostgreSQL at ${this.#place} is unavailable: ${whyUnavailable(error)}`, error);
    }
    if (rows[0]?.read_only === 'on') throw unavailable(`PostgreSQL at ${this.#place} is read-only`);
  }

  close(): Promise<void> {
    this.#closing ??= this.#pool.end();
    return this.#closing;
  }

  async #transactionOnce<T>(work: (session: PostgresSession) => Promise<T>): Promise<T> {
    return this.#withSession(async (session) => {
      await session.runScript('BEGIN ISOLATION LEVEL READ COMMITTED');
      let result: T;
      try {
        result = await work(session);
      } catch (error) {
        await session.rollBack();
        throw error;
      }
      // If the connection breaks here, it is unknown whether the server committed. The caller gets "try
      // later", and may find at the retry that the first attempt took effect.
      await session.runScript('COMMIT');
      return result;
    });
  }

  async #withSession<T>(work: (session: PostgresSession) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw toStoreError(error);
    });
    const session = new PostgresSession(client);
    try {
      return await work(session);
    } finally {
      session.release();
    }
  }
}

/** Retries after a conflict with another transaction. */
async function retrying<T>(step: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      if (attempt === ATTEMPTS) throw unavailable('The database is too busy right now', error);
      await pause(backOffMs(attempt, pauses));
    }
  }
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

/** Host and database, never the password; not even in the error for an invalid address. */
function describePlace(url: string): string {
  let client: Client;
  try {
    client = new Client({ connectionString: url });
  } catch {
    throw new Error('The PostgreSQL address is invalid; its format is postgres://user:password@host:5432/name');
  }
  return `${client.host}:${client.port}/${client.database ?? ''}`;
}
