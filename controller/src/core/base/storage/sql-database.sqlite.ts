// The embedded database: one SQLite file, one connection, no server. Statements are prepared once and run one at a
// time; those outside a transaction wait for the open one, because they would otherwise become part of it.
// Transactions that wait at the same time share a commit; a failing one is rolled back alone.
import { chmodSync, closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { backOffMs } from '@weft/contract/back-off';
import { PeriodicTask } from '../periodic-task.ts';
import { forAll, SharedThread } from '../time-slices.ts';
import { applyMigrations, MIGRATIONS_FOLDER, type MigrationSession } from './migrations.ts';
import { OpenTransaction } from './open-transaction.ts';
import type { SqlDatabase, SqlQueries, SqlRow, SqlValue } from './sql-database.ts';
import { isBusy, toStoreError, unavailable, whyUnavailable } from './sqlite-errors.ts';

interface SqliteOptions {
  /** How long a statement waits for a writer in another process. Default: 5 s. */
  busyTimeoutMs?: number;
  migrationsFolder?: string;
}

type Work = (tx: SqlQueries) => Promise<unknown>;
type Outcome = { value: unknown; tx: OpenTransaction } | { error: unknown };

/** How long the log grows before it is copied into the database file: 16 MiB. A page that many commits change is copied once. */
const checkpointPages = 4000;
/** The pages of the indexes that every command changes fit in. */
const cacheKiB = 16 * 1024;

/**
 * What a statement of many rows, or a savepoint, needs to undo itself: in files it would be a third of all writes, and outside of
 * the data folder. Migrations may sort whole tables, and get files.
 */
const tempInMemory = 'PRAGMA temp_store = MEMORY';
const tempInFiles = 'PRAGMA temp_store = FILE';

/** Maximum transactions per commit, so that later ones do not wait too long. */
const maxSharedCommit = 64;
const pauses = { firstMs: 1, longestMs: 25 };

/** Does not open the file: an error is thrown by the first statement, and opening is retried by the next. */
export function openSqlite(file: string, options: SqliteOptions = {}): SqlDatabase {
  return new SqliteDatabase(file, options);
}

class SqliteDatabase implements SqlDatabase {
  readonly dialect = 'sqlite';
  readonly #file: string;
  readonly #busyTimeoutMs: number;
  readonly #migrationsFolder: string;
  readonly #statements = new Map<string, StatementSync>();
  #connection: DatabaseSync | undefined;
  #isClosed = false;
  #lastInLine: Promise<unknown> = Promise.resolve();
  readonly #thread = new SharedThread();
  readonly #waiting: { work: Work; resolve: (value: unknown) => void; reject: (error: unknown) => void }[] = [];

  constructor(file: string, options: SqliteOptions) {
    this.#file = file;
    this.#busyTimeoutMs = options.busyTimeoutMs ?? 5_000;
    this.#migrationsFolder = options.migrationsFolder ?? MIGRATIONS_FOLDER;
  }

  async query<Row extends SqlRow = SqlRow>(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
    return this.#inLine(() => this.#whenFree(() => this.#run(sql, params) as Row[]));
  }

  transaction<T>(work: (tx: SqlQueries) => Promise<T>): Promise<T> {
    const turn = new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
    });
    if (this.#waiting.length === 1) this.#runSoon();
    return turn;
  }

  /** All transactions that wait at this time share the commit, which is the expensive part. */
  #runSoon(): void {
    // Of several callers: none of them may be waited for in the name of another, or end with one that leaves.
    void forAll(() => this.#inLine(() => this.#runWaiting())).catch(() => {});
  }

  /** Never throws. */
  async #runWaiting(): Promise<void> {
    const batch = this.#waiting.splice(0, maxSharedCommit);
    if (this.#waiting.length > 0) this.#runSoon();
    const outcomes: Outcome[] = [];
    try {
      await this.#whenFree(() => this.#connect().exec('BEGIN IMMEDIATE'));
      for (const { work } of batch) outcomes.push(await this.#runOne(work, batch.length === 1));
      const isUndone = outcomes.length === 1 && 'error' in outcomes[0]!;
      if (!isUndone) this.#connect().exec('COMMIT');
    } catch (error) {
      this.#rollBack();
      const storeError = toStoreError(error);
      for (const { reject } of batch) reject(storeError);
      return;
    }
    for (const [index, outcome] of outcomes.entries()) {
      if ('error' in outcome) batch[index]!.reject(outcome.error);
      else {
        outcome.tx.committed();
        batch[index]!.resolve(outcome.value);
      }
    }
  }

  /**
   * Throws only if the whole transaction was rolled back although others share it. One that is alone needs no savepoint, for
   * which SQLite would copy each page before its first change into a file of its own.
   */
  async #runOne(work: Work, isAlone: boolean): Promise<Outcome> {
    const connection = this.#connect();
    if (!isAlone) connection.exec('SAVEPOINT work');
    const tx = new OpenTransaction(async (sql, params) => {
      try {
        return this.#run(sql, params);
      } catch (error) {
        throw toStoreError(error);
      }
    });
    try {
      const value = await work(tx);
      tx.assertCommittable();
      if (!isAlone) connection.exec('RELEASE work');
      return { value, tx };
    } catch (error) {
      // SQLite rolls back by itself after some errors, such as a full disk: then all of them are undone.
      if (!connection.isTransaction) throw error;
      connection.exec(isAlone ? 'ROLLBACK' : 'ROLLBACK TO work; RELEASE work');
      return { error: toStoreError(error) };
    } finally {
      tx.end();
    }
  }

  async migrate(): Promise<void> {
    // Opening a file that another process creates at this moment finds it busy.
    await this.#inLine(() => this.#whenFree(() => this.#connect().exec(tempInFiles)));
    await applyMigrations(this.dialect, this.#migrationsFolder, (work) =>
      this.transaction((tx) => {
        const session: MigrationSession = {
          query: (sql, params) => tx.query(sql, params),
          runScript: async (sql) => this.#connect().exec(sql),
        };
        return work(session);
      }),
    );
    await this.#inLine(() => this.#whenFree(() => this.#connect().exec(tempInMemory)));
  }

  async check(): Promise<void> {
    try {
      if (this.#connection && this.#isOnDisk && !existsSync(this.#file)) throw new Error('the file was deleted');
      await this.transaction((tx) => tx.query('SELECT 1 AS one'));
    } catch (error) {
      throw unavailable(`The SQLite database ${this.#file} is unavailable: ${whyUnavailable(error)}`, error);
    }
  }

  watchOthers(onChange: () => void): () => void {
    let last: SqlValue | undefined;
    const look = () => {
      // SQLite counts commits of other connections. While a transaction is open, the check is skipped until the next time.
      if (this.#isClosed || this.#connection?.isTransaction) return;
      try {
        const [row] = this.#run('PRAGMA data_version', []);
        // The first check counts as a change, because earlier changes are unknown.
        if (row?.data_version !== last) onChange();
        last = row?.data_version;
      } catch {
        onChange();
      }
    };
    const looks = new PeriodicTask({ everyMs: 250, what: 'the look for commits of others', run: look });
    looks.start();
    return () => void looks.stop();
  }

  async close(): Promise<void> {
    await this.#inLine(() => {
      this.#isClosed = true;
      this.#disconnect();
    });
  }

  get #isOnDisk(): boolean {
    return this.#file !== ':memory:';
  }

  #run(sql: string, params: readonly SqlValue[]): SqlRow[] {
    const connection = this.#connect();
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement.all(...params) as SqlRow[];
  }

  #connect(): DatabaseSync {
    if (this.#isClosed) throw unavailable('The database is shutting down');
    this.#connection ??= this.#isOnDisk ? openFile(this.#file) : new DatabaseSync(this.#file);
    return this.#connection;
  }

  #disconnect(): void {
    this.#statements.clear();
    this.#connection?.close();
    this.#connection = undefined;
  }

  #rollBack(): void {
    // SQLite rolls back by itself after some errors, such as a full disk.
    if (!this.#connection?.isTransaction) return;
    try {
      this.#connection.exec('ROLLBACK');
    } catch {
      this.#disconnect();
    }
  }

  /** Runs work serially, in the order of arrival, whether or not the previous one succeeded. */
  #inLine<T>(work: () => T | Promise<T>): Promise<T> {
    // Nothing here waits for a server: one caller's thousand statements would keep everybody else out until their end.
    const turn = this.#lastInLine.then(() => this.#thread.run(work));
    this.#lastInLine = turn.catch(() => undefined);
    return turn.catch((error: unknown) => {
      throw toStoreError(error);
    });
  }

  /** Waits for writers in other processes without blocking this one, unlike SQLite's busy handler. A statement rejected
   * as busy had no effect, so it can be retried. */
  async #whenFree<T>(step: () => T): Promise<T> {
    const deadline = performance.now() + this.#busyTimeoutMs;
    for (let failures = 0; ; failures++) {
      try {
        return step();
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw error;
        await pause(backOffMs(failures, pauses));
      }
    }
  }
}

function openFile(file: string): DatabaseSync {
  createPrivately(file);
  const connection = new DatabaseSync(file, { timeout: 0, enableForeignKeyConstraints: true });
  try {
    connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    connection.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}; PRAGMA cache_size = -${cacheKiB};`);
    connection.exec(tempInMemory);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** SQLite gives `-wal` and `-shm` the mode of the main file, so its mode is set before it has content. */
function createPrivately(file: string): void {
  if (!existsSync(file)) {
    try {
      closeSync(openSync(file, 'wx', 0o600));
      syncFolder(dirname(file));
    } catch {
      // Another process was first, or the folder is missing: opening reports it.
    }
  }
  // Never opened here when it exists: closing such a descriptor would drop the locks of other connections.
  for (const name of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(name)) chmodSync(name, 0o600);
}

/** The name of a new file is durable only when its folder is flushed. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
