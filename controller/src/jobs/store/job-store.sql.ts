// Jobs in SQL. What decides between two nodes is one statement with its condition inside.
import { ConflictError, TryLaterError } from '../../errors.ts';
import { requirePresentOwner } from '../../storage/present-owner.ts';
import {
  type SqlDatabase,
  type SqlQueries,
  type SqlRow,
  type SqlValue,
  UniqueViolation,
} from '../../storage/sql-database.ts';
import { inParts } from '../../storage/sql-rows.ts';
import type { JobFilter, JobLimits, JobRecord, JobStore, JobSummary, NewJob, WaitsFor } from './job-store.ts';
import { COUNTED, insertJob, insertJobs } from './new-jobs.sql.ts';
import { countHeld, listWaiting, oldestQueued, putBack, setAside } from './waiting-jobs.sql.ts';

const SUMMARY = `job_number, task_type, owner_kind, owner_id, owner_name, subject, state, detail, progress, created_at,
  updated_at, ended_at, expires_at, published_at, lease_holder, lease_until, attempts, last_seq, bytes`;
const COLUMNS = `${SUMMARY}, data`;

type JobRow = JobRecord & SqlRow;

export function createJobStore(db: SqlDatabase): JobStore {
  return new SqlJobStore(db);
}

class SqlJobStore implements JobStore {
  readonly #db: SqlDatabase;
  readonly #takeSql: string;

  constructor(db: SqlDatabase) {
    this.#db = db;
    // Two nodes that take at once: on SQLite one waits for the other, on PostgreSQL each takes what is left.
    const lock = db.dialect === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : '';
    // Materialized, because PostgreSQL may otherwise run the inner query more than once and take more than the limit.
    this.#takeSql = `WITH due AS MATERIALIZED (
        SELECT job_number FROM jobs
        WHERE task_type = ? AND published_at IS NULL AND ended_at IS NULL AND publish_after <= ?
        ORDER BY created_at, job_number LIMIT ? ${lock}
      )
      UPDATE jobs SET publish_after = ? WHERE job_number IN (SELECT job_number FROM due) RETURNING ${COLUMNS}`;
  }

  async create(job: NewJob, limits?: JobLimits): Promise<void> {
    const { requireOwner, check, maxOpen = Number.MAX_SAFE_INTEGER } = limits ?? {};
    const isCreated = await (check
      ? this.#db.transaction(async (tx) => {
          await requirePresentOwner(tx, this.#db.dialect, job);
          await check(tx);
          return insertJob(tx, this.#db.dialect, job, limits);
        })
      : insertJob(this.#db, this.#db.dialect, job, limits)
    ).catch(throwJobExists);
    if (isCreated) return;
    if (requireOwner) await requirePresentOwner(this.#db, this.#db.dialect, job);
    throw await this.#noRoom(job.owner_id, maxOpen);
  }

  createAll(tx: SqlQueries, jobs: readonly NewJob[]): Promise<void> {
    return insertJobs(tx, jobs);
  }

  async get(job_number: string): Promise<JobRecord | undefined> {
    const [row] = await this.#db.query<JobRow>(`SELECT ${COLUMNS} FROM jobs WHERE job_number = ?`, [job_number]);
    return row && { ...row };
  }

  async list({ owner, state, before, limit }: JobFilter): Promise<JobSummary[]> {
    const conditions: string[] = [];
    const params: SqlValue[] = [];
    const require = (condition: string, ...values: SqlValue[]) => {
      conditions.push(condition);
      params.push(...values);
    };
    if (owner) require('owner_id = ? AND owner_kind = ?', owner.owner_id, owner.owner_kind);
    if (state !== undefined) require('state = ?', state);
    if (before) require('(created_at, job_number) < (?, ?)', before.created_at, before.job_number);
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const rows = await this.#db.query<JobSummary & SqlRow>(
      `SELECT ${SUMMARY} FROM jobs ${where} ORDER BY created_at DESC, job_number DESC LIMIT ?`,
      [...params, limit],
    );
    return toCopies(rows);
  }

  async countOpen(owner_id: string): Promise<number> {
    return this.#count(`owner_id = ? AND ${COUNTED}`, [owner_id]);
  }

  async countUnpublished(): Promise<number> {
    return this.#count('published_at IS NULL AND ended_at IS NULL', []);
  }

  async takeUnpublished(task_type: string, nowMs: number, holdMs: number, limit: number): Promise<JobRecord[]> {
    const rows = await this.#db.query<JobRow>(this.#takeSql, [task_type, nowMs, limit, nowMs + holdMs]);
    return toCopies(rows).sort((a, b) => a.created_at - b.created_at || (a.job_number < b.job_number ? -1 : 1));
  }

  async markPublished(job_numbers: readonly string[], nowMs: number): Promise<void> {
    for (const part of inParts(job_numbers)) {
      await this.#db.query(
        `UPDATE jobs SET published_at = ? WHERE published_at IS NULL AND publish_after > 0
         AND job_number IN (${part.marks})`,
        [nowMs, ...part.values],
      );
    }
  }

  async unpublish(task_type: string, nowMs: number): Promise<number> {
    const rows = await this.#db.query(
      `UPDATE jobs SET published_at = NULL, publish_after = 0
       WHERE task_type = ? AND ended_at IS NULL AND waits_for IS NULL AND lease_until <= ? RETURNING job_number`,
      [task_type, nowMs],
    );
    return rows.length;
  }

  async claim(job_number: string, holder: string, nowMs: number, leaseMs: number): Promise<JobRecord | undefined> {
    const [row] = await this.#db.query<JobRow>(
      `UPDATE jobs SET lease_holder = ?, lease_until = ?, attempts = attempts + 1, state = 'running', updated_at = ?,
         published_at = COALESCE(published_at, ?), waits_for = NULL
       WHERE job_number = ? AND ended_at IS NULL AND (lease_until <= ? OR lease_holder = ?)
       RETURNING ${COLUMNS}`,
      [holder, nowMs + leaseMs, nowMs, nowMs, job_number, nowMs, holder],
    );
    return row && { ...row };
  }

  async renew(job_numbers: readonly string[], holder: string, nowMs: number, leaseMs: number): Promise<Set<string>> {
    const renewed = new Set<string>();
    for (const part of inParts(job_numbers)) {
      const rows = await this.#db.query<{ job_number: string }>(
        `UPDATE jobs SET lease_until = ? WHERE lease_holder = ? AND ended_at IS NULL AND job_number IN (${part.marks})
         RETURNING job_number`,
        [nowMs + leaseMs, holder, ...part.values],
      );
      for (const { job_number } of rows) renewed.add(job_number);
    }
    return renewed;
  }

  async release(job_numbers: readonly string[], holder: string): Promise<void> {
    for (const part of inParts(job_numbers)) {
      await this.#db.query(
        `UPDATE jobs SET lease_until = 0, attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE 0 END
         WHERE lease_holder = ? AND ended_at IS NULL AND job_number IN (${part.marks})`,
        [holder, ...part.values],
      );
    }
  }

  async releaseAll(): Promise<void> {
    await this.#db.query('UPDATE jobs SET lease_until = 0 WHERE lease_holder IS NOT NULL AND ended_at IS NULL');
  }

  setAside(job_numbers: readonly string[], waits_for: WaitsFor, nowMs: number): Promise<void> {
    return setAside(this.#db, job_numbers, waits_for, nowMs);
  }

  listWaiting(waits_for: WaitsFor, filter: { without: readonly string[]; limit: number }) {
    return listWaiting(this.#db, waits_for, filter);
  }

  putBack(job_number: string): Promise<void> {
    return putBack(this.#db, job_number);
  }

  countHeld(task_type: string, nowMs: number) {
    return countHeld(this.#db, task_type, nowMs);
  }

  oldestQueued() {
    return oldestQueued(this.#db);
  }

  async republishAbandoned(task_type: string, nowMs: number): Promise<number> {
    const rows = await this.#db.query(
      `UPDATE jobs SET published_at = NULL, publish_after = 0, lease_holder = NULL, lease_until = 0
       WHERE task_type = ? AND ended_at IS NULL AND lease_holder IS NOT NULL AND lease_until <= ? RETURNING job_number`,
      [task_type, nowMs],
    );
    return rows.length;
  }

  async listAbandoned(nowMs: number, limit: number): Promise<JobRecord[]> {
    const rows = await this.#db.query<JobRow>(
      `SELECT ${COLUMNS} FROM jobs WHERE lease_holder IS NOT NULL AND ended_at IS NULL AND lease_until <= ?
       ORDER BY lease_until, job_number LIMIT ?`,
      [nowMs, limit],
    );
    return toCopies(rows);
  }

  async listOverdue(nowMs: number, limit: number): Promise<string[]> {
    return this.#numbers('ended_at IS NULL AND expires_at <= ? ORDER BY expires_at, job_number LIMIT ?', [
      nowMs,
      limit,
    ]);
  }

  async listQuiet({ sinceMs, expiresByMs, limit }: { sinceMs: number; expiresByMs: number; limit: number }) {
    const rows = await this.#db.query<JobRow>(
      `SELECT ${COLUMNS} FROM jobs WHERE ended_at IS NULL AND lease_holder IS NULL AND last_seq > 0
         AND task_type IN ('agent_details', 'agent_data') AND waits_for IS NULL AND updated_at <= ? AND expires_at <= ?
       ORDER BY updated_at, job_number LIMIT ?`,
      [sinceMs, expiresByMs, limit],
    );
    return toCopies(rows);
  }

  async listAbout(subject: string): Promise<string[]> {
    return this.#numbers('ended_at IS NULL AND subject IS NOT NULL AND subject = ? ORDER BY job_number', [subject]);
  }

  async prune(nowMs: number, limit: number): Promise<boolean> {
    const due = await this.#numbers(
      'ended_at IS NOT NULL AND expires_at <= ? ORDER BY expires_at, job_number LIMIT ?',
      [nowMs, limit],
    );
    let room = limit;
    for (const job_number of due) {
      const removed = await this.#db.query(
        `DELETE FROM job_messages WHERE job_number = ? AND seq IN (
           SELECT seq FROM job_messages WHERE job_number = ? ORDER BY seq LIMIT ?) RETURNING seq`,
        [job_number, job_number, room],
      );
      room -= removed.length;
      if (room <= 0) return true;
      await this.#db.query('DELETE FROM jobs WHERE job_number = ?', [job_number]);
      room -= 1;
      if (room <= 0) return true;
    }
    return due.length === limit;
  }

  async positions(job_numbers: readonly string[]): Promise<Map<string, { last_seq: number; hasEnded: boolean }>> {
    const positions = new Map<string, { last_seq: number; hasEnded: boolean }>();
    for (const part of inParts(job_numbers)) {
      const rows = await this.#db.query<{ job_number: string; last_seq: number; ended_at: number | null }>(
        `SELECT job_number, last_seq, ended_at FROM jobs WHERE job_number IN (${part.marks})`,
        part.values,
      );
      for (const { job_number, last_seq, ended_at } of rows) {
        positions.set(job_number, { last_seq, hasEnded: ended_at !== null });
      }
    }
    return positions;
  }

  async #noRoom(owner_id: string, maxOpen: number): Promise<TryLaterError> {
    return (await this.countOpen(owner_id)) >= maxOpen
      ? new TryLaterError(429, 'too_many_jobs', `At most ${maxOpen} of your jobs may be open at once`, 10)
      : new TryLaterError(503, 'outbox_full', 'Too many jobs wait for the message broker; try again later', 5);
  }

  async #count(where: string, params: SqlValue[]): Promise<number> {
    const [row] = await this.#db.query<{ count: number }>(`SELECT COUNT(*) AS count FROM jobs WHERE ${where}`, params);
    return row?.count ?? 0;
  }

  async #numbers(where: string, params: SqlValue[]): Promise<string[]> {
    const rows = await this.#db.query<{ job_number: string }>(`SELECT job_number FROM jobs WHERE ${where}`, params);
    return rows.map(({ job_number }) => job_number);
  }
}

const toCopies = <Row>(rows: readonly Row[]): Row[] => rows.map((row) => ({ ...row }));

function throwJobExists(error: unknown): never {
  if (error instanceof UniqueViolation) throw new ConflictError('job_exists', 'A job with this number exists');
  throw error;
}
