// Requests to a running network, for the process that runs it, and its answers.
import type { EmulatorRequest } from '@weft/contract';
import type { Actor } from '../base/caller.ts';
import { TotalShare } from '../base/shares/total-share.ts';
import { insertRecord } from '../base/storage/sql-rows.ts';
import { SqlStore } from '../base/storage/sql-store.ts';

export interface NewRequest extends EmulatorRequest {
  job_number: string;
  expires_at: number;
}

const rows = `SELECT asked_kind AS kind, asked_by AS id FROM emulator_requests
  WHERE job_number = ? AND expires_at > ? AND answer IS NULL AND emulator_requests.kind = ?`;
/** As many as the process that runs the network lets wait. */
const shares: Partial<Record<EmulatorRequest['kind'], TotalShare>> = {
  what_if: new TotalShare('too_many_what_ifs', 'what-ifs of this network', 8, rows, 10),
  coverage: new TotalShare('too_many_coverages', 'radio maps of this network', 16, rows, 10),
};

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class EmulatorRequestStore extends SqlStore {
  /** Throws TryLaterError `too_many_what_ifs` or `too_many_coverages`. */
  async create(request: NewRequest, nowMs: number, by: Actor): Promise<void> {
    const row = { ...request, asked_kind: by.kind, asked_by: by.id, is_taken: false };
    const columns = 'id, job_number, kind, body, asked_kind, asked_by, expires_at, is_taken';
    await this.db.transaction(async (tx) => {
      await shares[request.kind]?.take(tx, by, [request.job_number, nowMs, request.kind]);
      await insertRecord(tx, 'emulator_requests', columns, row);
    });
  }

  /** Takes the requests of the run that were not taken and have not expired; each is taken once, on any node. */
  async take(job_number: string, nowMs: number): Promise<EmulatorRequest[]> {
    const rows = await this.db.query<{ id: string; kind: string; body: string }>(
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

  /** Stores the answer, a JSON text, if the request belongs to the run and has no answer yet. */
  async answer(job_number: string, id: string, answer: string): Promise<void> {
    await this.db.query(
      'UPDATE emulator_requests SET answer = ? WHERE id = ? AND job_number = ? AND answer IS NULL AND is_taken = 1',
      [answer, id, job_number],
    );
  }

  /** The JSON text; undefined while there is none. */
  async answerOf(id: string): Promise<string | undefined> {
    const sql = 'SELECT answer FROM emulator_requests WHERE id = ?';
    const [row] = await this.db.query<{ answer: string | null }>(sql, [id]);
    return row?.answer ?? undefined;
  }

  /** Resolves true if it was taken. */
  async remove(id: string): Promise<boolean> {
    const sql = 'DELETE FROM emulator_requests WHERE id = ? RETURNING is_taken';
    return (await this.db.query<{ is_taken: number }>(sql, [id]))[0]?.is_taken === 1;
  }

  /** Deletes expired requests. */
  async prune(nowMs: number): Promise<void> {
    await this.db.query('DELETE FROM emulator_requests WHERE expires_at <= ?', [nowMs]);
  }
}
