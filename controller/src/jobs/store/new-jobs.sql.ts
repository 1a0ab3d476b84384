// New jobs in SQL.
import { presentOwner } from '../../storage/present-owner.ts';
import type { SqlDatabase, SqlQueries } from '../../storage/sql-database.ts';
import { runRows } from '../../storage/sql-rows.ts';
import type { JobLimits, NewJob } from './job-store.ts';

const INSERT = `INSERT INTO jobs (job_number, task_type, owner_kind, owner_id, owner_name, subject, state, created_at,
  updated_at, expires_at, published_at, publish_after, lease_until, attempts, last_seq, bytes, data)`;
/** Jobs that an owner may have `maxOpen` of. */
export const COUNTED = "ended_at IS NULL AND task_type <> 'send_command'";

/** Resolves false if there is no room for it, or its owner must be there and is not. */
export async function insertJob(
  tx: SqlQueries,
  dialect: SqlDatabase['dialect'],
  job: NewJob,
  limits?: JobLimits,
): Promise<boolean> {
  const { maxOpen = Number.MAX_SAFE_INTEGER, maxUnpublished = Number.MAX_SAFE_INTEGER, requireOwner } = limits ?? {};
  const owner = requireOwner ? `FROM (${presentOwner(job.owner_kind, dialect)}) AS owner` : '';
  const rows = await tx.query(
    `${INSERT}
         SELECT ?, ?, ?, ?, ?, ?, 'queued', CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT),
           CAST(? AS BIGINT), 0, 0, 0, 0, ? ${owner}
         WHERE (SELECT COUNT(*) FROM jobs WHERE owner_id = ? AND ${COUNTED}) < ?
           AND (SELECT COUNT(*) FROM jobs WHERE published_at IS NULL AND ended_at IS NULL) < ?
         RETURNING job_number`,
    [
      ...[job.job_number, job.task_type, job.owner_kind, job.owner_id, job.owner_name, job.subject ?? null],
      ...[job.created_at, job.created_at, job.expires_at, job.published_at, job.publish_after, job.data],
      ...(requireOwner ? [job.owner_id] : []),
      job.owner_id,
      maxOpen,
      // What needs no publishing takes no place among what waits.
      job.published_at === null ? maxUnpublished : Number.MAX_SAFE_INTEGER,
    ],
  );
  return rows.length > 0;
}

export async function insertJobs(tx: SqlQueries, jobs: readonly NewJob[]): Promise<void> {
  await runRows(
    tx,
    `${INSERT} VALUES {{rows}}`,
    jobs.map((job) => [
      ...[job.job_number, job.task_type, job.owner_kind, job.owner_id, job.owner_name, job.subject ?? null],
      ...['queued', job.created_at, job.created_at, job.expires_at, job.published_at, job.publish_after],
      ...[0, 0, 0, 0, job.data],
    ]),
  );
}
