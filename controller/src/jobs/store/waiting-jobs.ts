// Jobs that nobody has begun: set aside for their owner's share, or still a message in a queue.
import { runList } from '../../storage/sql-rows.ts';
import { SqlStore } from '../../storage/sql-store.ts';
import type { HeldJobs, JobRecord, WaitingJob, WaitsFor } from './job-record.ts';

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

  /** The oldest job for workers whose message nobody has taken: neither begun, nor set aside, nor ended. */
  async oldestQueued(): Promise<Pick<JobRecord, 'job_number' | 'task_type' | 'created_at'> | undefined> {
    const [row] = await this.db.query<Pick<JobRecord, 'job_number' | 'task_type' | 'created_at'>>(
      `SELECT job_number, task_type, created_at FROM jobs
       WHERE state = 'queued' AND waits_for IS NULL AND task_type IN ('agent_details', 'agent_data')
       ORDER BY created_at, job_number LIMIT 1`,
    );
    return row && { ...row };
  }
}
