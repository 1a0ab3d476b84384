import type { EmulatorRequest } from '@weft/contract';
import type { SqlDatabase } from '../storage/sql-database.ts';
import type { EmulatorRequestStore, NewRequest } from './emulator-request-store.ts';

export function createEmulatorRequestStore(db: SqlDatabase): EmulatorRequestStore {
  return new SqlEmulatorRequestStore(db);
}

class SqlEmulatorRequestStore implements EmulatorRequestStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  async create({ id, job_number, kind, body, expires_at }: NewRequest): Promise<void> {
    await this.#db.query(
      'INSERT INTO emulator_requests (id, job_number, kind, body, expires_at, is_taken) VALUES (?, ?, ?, ?, ?, 0)',
      [id, job_number, kind, JSON.stringify(body), expires_at],
    );
  }

  async take(job_number: string, nowMs: number): Promise<EmulatorRequest[]> {
    const rows = await this.#db.query<{ id: string; kind: string; body: string }>(
      `UPDATE emulator_requests SET is_taken = 1 WHERE job_number = ? AND is_taken = 0 AND expires_at > ?
       RETURNING id, kind, body`,
      [job_number, nowMs],
    );
    return rows.map(({ id, kind, body }) => ({
      id,
      kind: kind as EmulatorRequest['kind'],
      body: JSON.parse(body) as EmulatorRequest['body'],
    }));
  }

  async answer(job_number: string, id: string, answer: string): Promise<void> {
    await this.#db.query(
      'UPDATE emulator_requests SET answer = ? WHERE id = ? AND job_number = ? AND answer IS NULL AND is_taken = 1',
      [answer, id, job_number],
    );
  }

  async answerOf(id: string): Promise<string | undefined> {
    const [row] = await this.#db.query<{ answer: string | null }>('SELECT answer FROM emulator_requests WHERE id = ?', [
      id,
    ]);
    return row?.answer ?? undefined;
  }

  async remove(id: string): Promise<void> {
    await this.#db.query('DELETE FROM emulator_requests WHERE id = ?', [id]);
  }

  async prune(nowMs: number): Promise<void> {
    await this.#db.query('DELETE FROM emulator_requests WHERE expires_at <= ?', [nowMs]);
  }
}
