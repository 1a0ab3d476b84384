// What all stores in SQL share. A store is written once, for both databases.
import type { SqlDatabase, SqlValue } from './sql-database.ts';

export abstract class SqlStore {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /** How many rows there are; `from` is what follows FROM. */
  protected async countRows(from: string, params: readonly SqlValue[] = []): Promise<number> {
    const [row] = await this.db.query<{ count: number }>(`SELECT COUNT(*) AS count FROM ${from}`, params);
    return row?.count ?? 0;
  }
}
