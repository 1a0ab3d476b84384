// The queries for the work of one transaction. Enforces the same rules on both databases: after a failed statement
// nothing more runs and nothing is committed, and nothing runs once the transaction is over.
import type { SqlQueries, SqlRow, SqlValue } from './sql-database.ts';

type RunStatement = (sql: string, params: readonly SqlValue[]) => Promise<SqlRow[]>;

export class OpenTransaction implements SqlQueries {
  readonly #run: RunStatement;
  #failure: { error: unknown } | undefined;
  readonly #commitListeners: (() => void)[] = [];
  #isOver = false;

  constructor(run: RunStatement) {
    this.#run = run;
  }

  async query<Row extends SqlRow = SqlRow>(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
    if (this.#isOver) throw new Error('A statement was run after its transaction had ended');
    if (this.#failure) throw this.#failure.error;
    try {
      return (await this.#run(sql, params)) as Row[];
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }

  afterCommit(listener: () => void): void {
    this.#commitListeners.push(listener);
  }

  /** To be called once everything is durable. */
  committed(): void {
    for (const listener of this.#commitListeners) listener();
  }

  /** Accepts no more statements. */
  end(): void {
    this.#isOver = true;
  }

  /** Throws the error if a statement failed, even if the work caught it: PostgreSQL would answer the
   * COMMIT of such a transaction with a silent rollback. */
  assertCommittable(): void {
    if (this.#failure) throw this.#failure.error;
  }
}

/**
 * Calls back once the transaction is durable, and never if it is rolled back; at once for queries outside of a transaction. The
 * listener must not throw.
 */
export function afterCommit(tx: SqlQueries, listener: () => void): void {
  if (tx instanceof OpenTransaction) tx.afterCommit(listener);
  else listener();
}
