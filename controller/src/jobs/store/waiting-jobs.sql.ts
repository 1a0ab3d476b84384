// Jobs that nobody has begun: set aside for their owner's share, or still a message in a queue.
import type { SqlQueries } from '../../storage/sql-database.ts';
import { inParts } from '../../storage/sql-rows.ts';
import type { HeldJobs, JobRecord, WaitingJob, WaitsFor } from './job-store.ts';

export async function setAside(
  db: SqlQueries,
  job_numbers: readonly string[],
  waits_for: WaitsFor,
  nowMs: number,
): Promise<void> {
  for (const part of inParts(job_numbers)) {
    await db.query(
      `UPDATE jobs SET waits_for = ?, lease_holder = NULL, lease_until = 0, published_at = COALESCE(published_at, ?)
       WHERE ended_at IS NULL AND lease_until <= ? AND job_number IN (${part.marks})`,
      [waits_for, nowMs, nowMs, ...part.values],
    );
  }
}

export async function listWaiting(
  db: SqlQueries,
  waits_for: WaitsFor,
  { without, limit }: { without: readonly string[]; limit: number },
): Promise<WaitingJob[]> {
  const others = without.map(() => 'AND owner_id <> ?').join(' ');
  const rows = await db.query<WaitingJob>(
    `SELECT job_number, owner_id, created_at FROM (
       SELECT job_number, owner_id, created_at,
         ROW_NUMBER() OVER (PARTITION BY owner_id ORDER BY created_at, job_number) AS turn
       FROM jobs WHERE waits_for IS NOT NULL AND waits_for = ? AND ended_at IS NULL ${others}
     ) AS waiting ORDER BY turn, created_at, job_number LIMIT ?`,
    [waits_for, ...without, limit],
  );
  return rows.map((row) => ({ ...row }));
}

export async function putBack(db: SqlQueries, job_number: string): Promise<void> {
  await db.query(
    `UPDATE jobs SET waits_for = NULL, published_at = NULL, publish_after = 0
     WHERE job_number = ? AND waits_for IS NOT NULL AND ended_at IS NULL`,
    [job_number],
  );
}

export async function countHeld(db: SqlQueries, task_type: string, nowMs: number): Promise<HeldJobs[]> {
  const rows = await db.query<{ owner_id: string; lease_holder: string; count: number }>(
    `SELECT owner_id, lease_holder, COUNT(*) AS count FROM jobs
     WHERE lease_holder IS NOT NULL AND ended_at IS NULL AND lease_until > ? AND task_type = ?
     GROUP BY owner_id, lease_holder`,
    [nowMs, task_type],
  );
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

export async function oldestQueued(db: SqlQueries): Promise<Pick<JobRecord, 'job_number' | 'created_at'> | undefined> {
  const [row] = await db.query<Pick<JobRecord, 'job_number' | 'created_at'>>(
    `SELECT job_number, created_at FROM jobs
     WHERE state = 'queued' AND waits_for IS NULL AND task_type IN ('agent_details', 'agent_data')
     ORDER BY created_at, job_number LIMIT 1`,
  );
  return row && { ...row };
}
