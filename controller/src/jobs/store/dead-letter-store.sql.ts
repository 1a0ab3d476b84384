// Dead letters in SQL.
import type { SqlDatabase, SqlRow } from '../../storage/sql-database.ts';
import type { DeadLetterRecord, DeadLetterStore } from './dead-letter-store.ts';

const COLUMNS = 'id, queue, reason, job_number, received_at, body';

export function createDeadLetterStore(db: SqlDatabase): DeadLetterStore {
  return new SqlDeadLetterStore(db);
}

class SqlDeadLetterStore implements DeadLetterStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  async record({ id, queue, reason, job_number, received_at, body }: DeadLetterRecord): Promise<void> {
    await this.#db.query(
      `INSERT INTO dead_letters (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET queue = excluded.queue, reason = excluded.reason,
         job_number = excluded.job_number, received_at = excluded.received_at, body = excluded.body`,
      [id, queue, reason, job_number, received_at, body],
    );
  }

  async list(limit: number): Promise<DeadLetterRecord[]> {
    const rows = await this.#db.query<DeadLetterRecord & SqlRow>(
      `SELECT ${COLUMNS} FROM dead_letters ORDER BY received_at DESC, id DESC LIMIT ?`,
      [limit],
    );
    return rows.map((row) => ({ ...row }));
  }

  async countSince(ms: number): Promise<number> {
    const [row] = await this.#db.query<{ count: number }>(
      'SELECT COUNT(*) AS count FROM dead_letters WHERE received_at >= ?',
      [ms],
    );
    return row?.count ?? 0;
  }

  async prune(beforeMs: number, keep: number): Promise<void> {
    await this.#db.query('DELETE FROM dead_letters WHERE received_at < ?', [beforeMs]);
    await this.#db.query(
      `DELETE FROM dead_letters WHERE (received_at, id) < (
         SELECT received_at, id FROM dead_letters ORDER BY received_at DESC, id DESC LIMIT 1 OFFSET ?)`,
      [keep - 1],
    );
  }
}
