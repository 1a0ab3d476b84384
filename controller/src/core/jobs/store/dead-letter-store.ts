// Messages that nobody could work on, kept for the operator. They come without secrets.
import { putRecord } from '../../base/storage/sql-rows.ts';
import { RecordTable, SqlStore } from '../../base/storage/sql-store.ts';

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
const table = new RecordTable<DeadLetterRecord>('dead_letters', COLUMNS);

/** Every method throws TryLaterError (503) while the database is unreachable; then nothing was changed. */
export class DeadLetterStore extends SqlStore {
  /** Durable when it resolves; replaces a letter of the same id. */
  async record(letter: DeadLetterRecord): Promise<void> {
    await putRecord(this.db, 'dead_letters', COLUMNS, letter);
  }

  /** Newest first. */
  async list(limit: number): Promise<DeadLetterRecord[]> {
    return table.list(this.db, 'ORDER BY received_at DESC, id DESC LIMIT ?', [limit]);
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
