// Messages that nobody could work on, kept for the operator. They come without secrets.
import type { SqlRow } from '../../storage/sql-database.ts';
import { SqlStore } from '../../storage/sql-store.ts';

export interface DeadLetterRecord {
  /** Names the message; the same one may die again. */
  id: string;
  queue: string;
  /** As the broker puts it: `rejected`, `delivery_limit`, `expired` or `maxlen`. */
  reason: string;
  /** Null: the message did not say. */
  job_number: string | null;
  body: string;
  received_at: number;
}

const COLUMNS = 'id, queue, reason, job_number, received_at, body';

/** Every method throws TryLaterError (503) while the database is unreachable; then nothing was changed. */
export class DeadLetterStore extends SqlStore {
  /** Durable when it resolves; replaces a letter of the same id. */
  async record({ id, queue, reason, job_number, received_at, body }: DeadLetterRecord): Promise<void> {
    await this.db.query(
      `INSERT INTO dead_letters (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET queue = excluded.queue, reason = excluded.reason,
         job_number = excluded.job_number, received_at = excluded.received_at, body = excluded.body`,
      [id, queue, reason, job_number, received_at, body],
    );
  }

  /** Newest first. */
  async list(limit: number): Promise<DeadLetterRecord[]> {
    const rows = await this.db.query<DeadLetterRecord & SqlRow>(
      `SELECT ${COLUMNS} FROM dead_letters ORDER BY received_at DESC, id DESC LIMIT ?`,
      [limit],
    );
    return rows.map((row) => ({ ...row }));
  }

  /** How many were received from this moment on. */
  async countSince(ms: number): Promise<number> {
    return this.countRows('dead_letters WHERE received_at >= ?', [ms]);
  }

  /** Forgets those received before `beforeMs`, and all but the newest `keep`. */
  async prune(beforeMs: number, keep: number): Promise<void> {
    await this.db.query('DELETE FROM dead_letters WHERE received_at < ?', [beforeMs]);
    await this.db.query(
      `DELETE FROM dead_letters WHERE (received_at, id) < (
         SELECT received_at, id FROM dead_letters ORDER BY received_at DESC, id DESC LIMIT 1 OFFSET ?)`,
      [keep - 1],
    );
  }
}
