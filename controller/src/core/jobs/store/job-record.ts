// A job as it is stored, and how a new one is inserted.
import type { JobState } from '@weft/contract';
import { ConflictError } from '../../base/errors.ts';
import { presentOwner } from '../../base/storage/present-owner.ts';
import { type SqlDatabase, type SqlQueries, type SqlRow, UniqueViolation } from '../../base/storage/sql-database.ts';
import { runRows } from '../../base/storage/sql-rows.ts';

/** The states in which nothing more happens. */
export type EndState = Exclude<JobState, 'queued' | 'running'>;

/** What a job waits for that was set aside: a slot for its owner among jobs, subscriptions, or emulated networks. */
export type WaitsFor = 'job' | 'subscription' | 'run';

export interface JobRecord {
  job_number: string;
  /** A task type of the contract, or `adopted`: opened by an administrator, published to nobody. */
  task_type: string;
  owner_kind: 'user' | 'agent' | 'third_party_app';
  owner_id: string;
  owner_name: string;
  /** The ap_id of the one agent that it is about, if it is about one. */
  subject: string | null;
  state: JobState;
  /** JSON text, or ciphertext of it. */
  data: string;
  detail: string | null;
  progress: number | null;
  created_at: number;
  updated_at: number;
  ended_at: number | null;
  /** While open: when it expires. Once ended: when it is forgotten. */
  expires_at: number;
  published_at: number | null;
  lease_holder: string | null;
  lease_until: number;
  /** How often a worker has begun since the last message. */
  attempts: number;
  last_seq: number;
  bytes: number;
}

/** Without what was asked for, which may be large. */
export type JobSummary = Omit<JobRecord, 'data'>;

export type NewJob = Pick<
  JobRecord,
  'job_number' | 'task_type' | 'owner_kind' | 'owner_id' | 'owner_name' | 'data' | 'created_at' | 'expires_at'
> & {
  subject?: string | null;
  /** Null: to be published; a time: needs no publishing. */
  published_at: number | null;
  /** Nobody but the creator publishes it before. */
  publish_after: number;
};

/** How many jobs there may be; nodes that create at the same instant may pass a limit by as many. */
export interface JobLimits {
  /** Of one owner that have not ended; commands, which have a limit of their own, do not count. */
  maxOpen: number;
  /** That wait to be published. */
  maxUnpublished: number;
  /** Only for an owner who exists and is not disabled; whoever ends it at the same time finds the job. Default: for any. */
  requireOwner?: boolean;
  /** Whether the owner may still ask for it, by its record inside of the transaction; throws if not. Implies `requireOwner`. */
  check?: (tx: SqlQueries) => Promise<void>;
}

export type WaitingJob = Pick<JobRecord, 'job_number' | 'owner_id' | 'created_at'>;

export interface HeldJobs {
  owner_id: string;
  lease_holder: string;
  count: number;
}

export interface JobFilter {
  /** Default: of all callers. */
  owner?: Pick<JobRecord, 'owner_kind' | 'owner_id'>;
  state?: JobState;
  /** Only those older than this job. */
  before?: Pick<JobRecord, 'created_at' | 'job_number'>;
  limit: number;
}

export const SUMMARY = `job_number, task_type, owner_kind, owner_id, owner_name, subject, state, detail, progress, created_at,
  updated_at, ended_at, expires_at, published_at, lease_holder, lease_until, attempts, last_seq, bytes`;
export const COLUMNS = `${SUMMARY}, data`;

export type JobRow = JobRecord & SqlRow;

export function throwJobExists(error: unknown): never {
  if (error instanceof UniqueViolation) throw new ConflictError('job_exists', 'A job with this number exists');
  throw error;
}

const INSERT = `INSERT INTO jobs (job_number, task_type, owner_kind, owner_id, owner_name, subject, state, created_at,
  updated_at, expires_at, published_at, publish_after, lease_until, attempts, last_seq, bytes, data)`;
/** Jobs that an owner may have `maxOpen` of. */
export const COUNTED = "ended_at IS NULL AND task_type <> 'send_command'";

/** Word for word in every query about jobs for workers, or it would find no index. */
export const FOR_WORKERS = `ended_at IS NULL AND waits_for IS NULL
  AND task_type IN ('agent_details', 'agent_data', 'emulator_spinup')`;
/** Something has come for the job since its message was sent: without a lease, somebody else's worker has it in hand. */
export const HEARD = 'last_seq > 0 AND updated_at >= COALESCE(published_at, updated_at + 1)';
/** How an empty part is stored, which says only that its worker lives. */
export const emptyData = '[]';
/** A part with something in it has come for the job: it is longer than an empty one. */
export const DELIVERED = `bytes > ${emptyData.length} * last_seq`;

/** Whether a worker has it that is not Weft's. */
export function isInOtherHands(job: JobRecord | undefined): boolean {
  return job?.lease_holder === null && job.last_seq > 0 && job.updated_at >= (job.published_at ?? Number.MAX_VALUE);
}

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
