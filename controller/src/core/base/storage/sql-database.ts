// One interface to both SQL databases, so that each store is written once and runs on both. Statements use `?` for
// parameters and the common subset of SQLite and PostgreSQL; the contract suites test every store
// on both.

export type SqlValue = string | number | null;
export type SqlRow = Record<string, SqlValue>;

export interface SqlQueries {
  /** Runs one statement and resolves its rows (also of RETURNING). Integers are numbers. */
  query<Row extends SqlRow = SqlRow>(sql: string, params?: readonly SqlValue[]): Promise<Row[]>;
}

/**
 * Throws TryLaterError (503, `database_unavailable`) when the database cannot be reached, is full or is shutting down;
 * then the statement had no effect, except in one case that cannot be detected: a connection lost while the server was
 * answering. UniqueViolation when a unique key is taken.
 */
export interface SqlDatabase extends SqlQueries {
  readonly dialect: 'sqlite' | 'postgres';
  /**
   * Runs `work` in one transaction: all of its statements are durable when this resolves, or none took effect when it
   * throws. Transactions that update the same row are serialised. `work` must use the given queries,
   * and have no other side effects: on PostgreSQL it is retried after a conflict with another transaction. After a
   * statement has failed, the whole transaction fails with that error.
   */
  transaction<T>(work: (tx: SqlQueries) => Promise<T>): Promise<T>;
  /** Applies missing migrations; safe if several nodes start at once. */
  migrate(): Promise<void>;
  /** Throws if the database is unavailable; the message gives the reason, without secrets. */
  check(): Promise<void>;
  /**
   * Calls back soon (a quarter of a second) after another process has changed the database; returns a function that ends this.
   * Undefined if the database does not support it.
   */
  watchOthers?(onChange: () => void): () => void;
  close(): Promise<void>;
}

/**
 * Passed to a store's method that changes one record: runs in the transaction of the change, after it took effect and
 * only then, so that both are durable or neither. If it throws, the change is rolled back. It receives the record before and
 * after the change: no `before` for a new record, no `after` for a deleted one. Like the work of any transaction it may be
 * retried, and must have no side effects but its queries.
 */
export type InSameTransaction<Item> = (tx: SqlQueries, changed: { before?: Item; after?: Item }) => Promise<void>;

/** A unique key is taken. Stores convert it to a ConflictError. */
export class UniqueViolation extends Error {
  override name = 'UniqueViolation';
}
