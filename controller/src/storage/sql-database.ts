// One way to talk to either SQL database, so that each store is written once and runs on both. Statements use `?` for
// parameters and the common subset of SQLite and PostgreSQL; the contract suites hold every store to the same promises
// on both.

export type SqlValue = string | number | null;
export type SqlRow = Record<string, SqlValue>;

export interface SqlQueries {
  /** Runs one statement and resolves its rows (RETURNING included). Integers come as numbers. */
  query<Row extends SqlRow = SqlRow>(sql: string, params?: readonly SqlValue[]): Promise<Row[]>;
}

/**
 * Throws TryLaterError (503, `database_unavailable`) when the database cannot be reached, is full or is shutting down;
 * then the statement had no effect, but for one case that nobody can tell: a connection lost while the server was
 * answering. UniqueViolation when a unique key is taken.
 */
export interface SqlDatabase extends SqlQueries {
  readonly dialect: 'sqlite' | 'postgres';
  /**
   * Runs `work` in one transaction: all of its statements are durable when this resolves, or none took effect when it
   * throws. Transactions that update the same row run one after the other. `work` must use the queries it is given,
   * and do nothing else that counts: on PostgreSQL it runs again when it lost against another transaction. After a
   * statement has failed, the whole transaction fails with that error.
   */
  transaction<T>(work: (tx: SqlQueries) => Promise<T>): Promise<T>;
  /** Applies every migration not yet applied; safe when several nodes start at once. */
  migrate(): Promise<void>;
  /** Throws if the database cannot serve right now; the message says why, without secrets. */
  check(): Promise<void>;
  /**
   * Calls back soon (a quarter of a second) after another process has changed the database; returns how to end that.
   * Undefined where the database cannot tell.
   */
  watchOthers?(onChange: () => void): () => void;
  close(): Promise<void>;
}

/**
 * Handed to a store's method that changes one record: runs inside the transaction of the change, after it took effect and
 * only then, so that both are durable or neither. What it throws undoes the change. It is told the record as it was and as
 * it is: no `before` for one that is new, no `after` for one that is gone. Like the work of any transaction it may run
 * again, and must do nothing that counts but its queries.
 */
export type InSameTransaction<Item> = (tx: SqlQueries, changed: { before?: Item; after?: Item }) => Promise<void>;

/** A unique key is taken. Stores turn it into a ConflictError of their own. */
export class UniqueViolation extends Error {
  override name = 'UniqueViolation';
}
