// Jobs that nobody of Weft has begun: set aside for their owner's share, a message in a queue, or in the hands of others.
import { runList } from '../../base/storage/sql-rows.ts';
import { SqlStore } from '../../base/storage/sql-store.ts';
import { FOR_WORKERS, HEARD, type HeldJobs, type JobRecord, type WaitingJob, type WaitsFor } from './job-record.ts';

/** Nobody else publishes a job for this long once somebody has begun to. */
export const publishingHoldMs = 5_000;

/** The part of JobStore that is about jobs that wait. */
export class WaitingJobs extends SqlStore {
  /**
   * Sets open jobs aside that nobody works on: they wait for their owner's share and are found by `listWaiting`, until
   * somebody claims them. Their messages are of no more use.
   */
  async setAside(job_numbers: readonly string[], waits_for: WaitsFor, nowMs: number): Promise<void> {
    const sql = `UPDATE jobs SET waits_for = ?, lease_holder = NULL, lease_until = 0, published_at = COALESCE(published_at, ?)
      WHERE ended_at IS NULL AND lease_until <= ? AND job_number IN ({{list}})`;
    await runList(this.db, sql, job_numbers, [waits_for, nowMs, nowMs]);
  }

  /**
   * Jobs that were set aside, in fair turns: the oldest of each owner first, then the second of each, and so on. Those of
   * the owners in `without` are left out.
   */
  async listWaiting(
    waits_for: WaitsFor,
    { without, limit }: { without: readonly string[]; limit: number },
  ): Promise<WaitingJob[]> {
    const others = without.map(() => 'AND owner_id <> ?').join(' ');
    const rows = await this.db.query<WaitingJob>(
      `SELECT job_number, owner_id, created_at FROM (
         SELECT job_number, owner_id, created_at,
           ROW_NUMBER() OVER (PARTITION BY owner_id ORDER BY created_at, job_number) AS turn
         FROM jobs WHERE waits_for IS NOT NULL AND waits_for = ? AND ended_at IS NULL ${others}
       ) AS waiting ORDER BY turn, created_at, job_number LIMIT ?`,
      [waits_for, ...without, limit],
    );
    return rows.map((row) => ({ ...row }));
  }

  /** Makes a job that was set aside wait for publishing; nothing happens if somebody has it. */
  async putBack(job_number: string): Promise<void> {
    await this.db.query(
      `UPDATE jobs SET waits_for = NULL, published_at = NULL, publish_after = 0
       WHERE job_number = ? AND waits_for IS NOT NULL AND ended_at IS NULL`,
      [job_number],
    );
  }

  /** Open jobs of that kind that somebody holds, by owner and holder. */
  async countHeld(task_type: string, nowMs: number): Promise<HeldJobs[]> {
    const rows = await this.db.query<{ owner_id: string; lease_holder: string; count: number }>(
      `SELECT owner_id, lease_holder, COUNT(*) AS count FROM jobs
       WHERE lease_holder IS NOT NULL AND ended_at IS NULL AND lease_until > ? AND task_type = ?
       GROUP BY owner_id, lease_holder`,
      [nowMs, task_type],
    );
    return rows.map((row) => ({ ...row, count: Number(row.count) }));
  }

  /** The oldest job of that kind that nobody has, as far as is known: no lease, not set aside, nothing heard since it was published. */
  async oldestUntaken(
    task_type: string,
    nowMs: number,
  ): Promise<Pick<JobRecord, 'job_number' | 'published_at'> | undefined> {
    const [row] = await this.db.query<Pick<JobRecord, 'job_number' | 'published_at'>>(
      `SELECT job_number, published_at FROM jobs
       WHERE ${FOR_WORKERS} AND task_type = ? AND lease_until <= ? AND NOT (${HEARD}) ORDER BY created_at, job_number LIMIT 1`,
      [task_type, nowMs],
    );
    return row && { ...row };
  }

  /**
   * Makes open jobs of that kind, which nobody works on, wait for publishing again: their messages are lost. Left out are
   * jobs that were set aside, that were published after `sentByMs` (by another node that knew of the loss before), and that
   * were heard of since they were published and after `heardByMs`. Resolves how many.
   */
  async unpublish(
    task_type: string,
    nowMs: number,
    { sentByMs = nowMs, heardByMs = Number.MAX_SAFE_INTEGER } = {},
  ): Promise<number> {
    const open = task_type === 'send_command' ? 'ended_at IS NULL AND waits_for IS NULL' : FOR_WORKERS;
    const rows = await this.db.query(
      `UPDATE jobs SET published_at = NULL, publish_after = 0
       WHERE ${open} AND task_type = ? AND lease_until <= ?
         AND COALESCE(published_at, NULLIF(publish_after, 0) - ${publishingHoldMs}) <= ? AND (NOT (${HEARD}) OR updated_at <= ?)
       RETURNING job_number`,
      [task_type, nowMs, sentByMs, heardByMs],
    );
    return rows.length;
  }
}
