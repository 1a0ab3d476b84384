// The queries handed to the work of one transaction. Holds both databases to the same rules: after a failed statement
// nothing more runs and nothing is committed, and nothing runs once the transaction is over.
import type { SqlQueries, SqlRow, SqlValue } from './sql-database.ts';

type RunStatement = (sql: string, params: readonly SqlValue[]) => Promise<SqlRow[]>;

export class OpenTransaction implements SqlQueries {
  readonly #run: RunStatement;
  #failure: { error: unknown } | undefined;
  #isOver = false;

  constructor(run: RunStatement) {
    this.#run = run;
  }

  async query<Row extends SqlRow = SqlRow>(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
    if (this.#isOver) throw new Error('A statement came after its transaction had ended');
    if (this.#failure) throw this.#failure.error;
    try {
      return (await this.#run(sql, params)) as Row[];
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }

  /** Takes no more statements. */
  end(): void {
    this.#isOver = true;
  }

  /** Throws what went wrong if a statement failed, even where the work swallowed it: PostgreSQL would answer the
   * COMMIT of such a transaction with a silent rollback. */
  assertCommittable(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
