// Jobs: who asked for what, how far it has come, and who works on it. A job row is its own outbox entry: it is durable
// before anything is published.
// What decides between two nodes is one statement with its condition inside.
import { TryLaterError } from '../../base/errors.ts';
import { requirePresentOwner } from '../../base/storage/present-owner.ts';
import type { SqlDatabase, SqlQueries, SqlValue } from '../../base/storage/sql-database.ts';
import { runList } from '../../base/storage/sql-rows.ts';
import { RecordTable } from '../../base/storage/sql-store.ts';
import {
  COLUMNS,
  COUNTED,
  DELIVERED,
  FOR_WORKERS,
  HEARD,
  insertJob,
  insertJobs,
  type JobFilter,
  type JobLimits,
  type JobRecord,
  type JobRow,
  type JobSummary,
  type NewJob,
  SUMMARY,
  throwJobExists,
} from './job-record.ts';
import { WaitingJobs } from './waiting-jobs.ts';

const table = new RecordTable<JobRecord>('jobs', COLUMNS);
const summaries = new RecordTable<JobSummary>('jobs', SUMMARY);

/** Every method throws TryLaterError (503) while the database is unreachable; then nothing was changed. */
export class JobStore extends WaitingJobs {
  readonly #takeSql: string;
  readonly #retakeMs: number;

  /** Once nothing has been heard for `retakeMs` of a job in the hands of others, whoever asks may have it. */
  constructor(db: SqlDatabase, { retakeMs = 3_600_000 } = {}) {
    super(db);
    this.#retakeMs = retakeMs;
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

  /**
   * Durable when it resolves; the state is `queued`. Throws ConflictError `job_exists` if the number is taken, and
   * TryLaterError if there is no room: 429 `too_many_jobs` of this owner, 503 `outbox_full`. AuthenticationError if the owner
   * must be there and is not.
   */
  async create(job: NewJob, limits?: JobLimits): Promise<void> {
    const { requireOwner, check, maxOpen = Number.MAX_SAFE_INTEGER } = limits ?? {};
    const isCreated = await (check
      ? this.db.transaction(async (tx) => {
          await requirePresentOwner(tx, this.db.dialect, job);
          await check(tx);
          return insertJob(tx, this.db.dialect, job, limits);
        })
      : insertJob(this.db, this.db.dialect, job, limits)
    ).catch(throwJobExists);
    if (isCreated) return;
    if (requireOwner) await requirePresentOwner(this.db, this.db.dialect, job);
    throw await this.#noRoom(job.owner_id, maxOpen);
  }

  /** The same for many, without limits, inside the caller's transaction: they stand or fall with it. */
  createAll(tx: SqlQueries, jobs: readonly NewJob[]): Promise<void> {
    return insertJobs(tx, jobs);
  }

  async get(job_number: string): Promise<JobRecord | undefined> {
    return table.get(this.db, 'WHERE job_number = ?', [job_number]);
  }

  /** Newest first. */
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
    const newest = `${where} ORDER BY created_at DESC, job_number DESC LIMIT ?`;
    return summaries.list(this.db, newest, [...params, limit]);
  }

  /** Jobs of the owner that have not ended, commands not counted. */
  async countOpen(owner_id: string): Promise<number> {
    return this.countRows(`jobs WHERE owner_id = ? AND ${COUNTED}`, [owner_id]);
  }

  /** Jobs that wait to be published. */
  async countUnpublished(): Promise<number> {
    return this.countRows('jobs WHERE published_at IS NULL AND ended_at IS NULL');
  }

  /**
   * Up to `limit` open jobs of that kind whose turn to be published has come, oldest first; nobody else gets them
   * before `nowMs + holdMs`, on whichever node.
   */
  async takeUnpublished(task_type: string, nowMs: number, holdMs: number, limit: number): Promise<JobRecord[]> {
    const rows = await this.db.query<JobRow>(this.#takeSql, [task_type, nowMs, limit, nowMs + holdMs]);
    const jobs = rows.map((row) => ({ ...row }));
    return jobs.sort((a, b) => a.created_at - b.created_at || (a.job_number < b.job_number ? -1 : 1));
  }

  /**
   * Those that have ended meanwhile included; unknown numbers are ignored, and so are jobs whose messages have been
   * found to be lost and that nobody has taken since.
   */
  async markPublished(job_numbers: readonly string[], nowMs: number): Promise<void> {
    const sql = `UPDATE jobs SET published_at = ? WHERE published_at IS NULL AND publish_after > 0
      AND job_number IN ({{list}})`;
    await runList(this.db, sql, job_numbers, [nowMs]);
  }

  /**
   * Makes `holder` the one who works on an open job, if nobody else is (`lease_until` has passed, or it is the same
   * holder; and no worker of others has posted since its message was sent, but for one long silent); counts an attempt, makes it `running`, and published if it was not. Resolves the record as it is now, or
   * undefined if it was not to be had.
   */
  async claim(job_number: string, holder: string, nowMs: number, leaseMs: number): Promise<JobRecord | undefined> {
    return table.update(
      this.db,
      `lease_holder = ?, lease_until = ?, attempts = attempts + 1, state = 'running', updated_at = ?,
         published_at = COALESCE(published_at, ?), waits_for = NULL
       WHERE job_number = ? AND ended_at IS NULL AND (lease_until <= ? OR lease_holder = ?)
         AND (lease_holder IS NOT NULL OR waits_for IS NOT NULL OR NOT (${HEARD}) OR updated_at <= ?)`,
      [holder, nowMs + leaseMs, nowMs, nowMs, job_number, nowMs, holder, nowMs - this.#retakeMs],
    );
  }

  /** Those that are still the holder's; with the others, ended or somebody else's now, it must stop. */
  async renew(job_numbers: readonly string[], holder: string, nowMs: number, leaseMs: number): Promise<Set<string>> {
    const sql = `UPDATE jobs SET lease_until = ? WHERE lease_holder = ? AND ended_at IS NULL AND job_number IN ({{list}})
      RETURNING job_number`;
    const rows = await runList<{ job_number: string }>(this.db, sql, job_numbers, [nowMs + leaseMs, holder]);
    return new Set(rows.map(({ job_number }) => job_number));
  }

  /** Gives open jobs back at once: they count as abandoned, and not as an attempt; others' are left alone. */
  async release(job_numbers: readonly string[], holder: string): Promise<void> {
    const sql = `UPDATE jobs SET lease_until = 0, attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE 0 END
      WHERE lease_holder = ? AND ended_at IS NULL AND job_number IN ({{list}})`;
    await runList(this.db, sql, job_numbers, [holder]);
  }

  /** Gives back the open jobs of every holder: for a start that knows them all to be dead. */
  async releaseAll(): Promise<void> {
    await this.db.query('UPDATE jobs SET lease_until = 0 WHERE lease_holder IS NOT NULL AND ended_at IS NULL');
  }

  /** Makes open jobs of that kind whose lease has run out wait for publishing again; resolves how many. */
  async republishAbandoned(task_type: string, nowMs: number): Promise<number> {
    const rows = await this.db.query(
      `UPDATE jobs SET published_at = NULL, publish_after = 0, lease_holder = NULL, lease_until = 0
       WHERE task_type = ? AND ended_at IS NULL AND lease_holder IS NOT NULL AND lease_until <= ? RETURNING job_number`,
      [task_type, nowMs],
    );
    return rows.length;
  }

  /** Open jobs that somebody began and whose lease has run out, longest first. */
  async listAbandoned(nowMs: number, limit: number): Promise<JobRecord[]> {
    const abandoned = `WHERE lease_holder IS NOT NULL AND ended_at IS NULL AND lease_until <= ?
      ORDER BY lease_until, job_number LIMIT ?`;
    return table.list(this.db, abandoned, [nowMs, limit]);
  }

  /** The numbers of open jobs whose time is over, longest first. */
  async listOverdue(nowMs: number, limit: number): Promise<string[]> {
    return this.#numbers('ended_at IS NULL AND expires_at <= ? ORDER BY expires_at, job_number LIMIT ?', [
      nowMs,
      limit,
    ]);
  }

  /**
   * Open jobs for workers that have delivered more than empty parts, and nothing at all since that time; which no worker
   * of Weft has begun, set aside or given up; and which are due by `expires_at`. Longest first.
   */
  async listQuiet({ sinceMs, expiresByMs, limit }: { sinceMs: number; expiresByMs: number; limit: number }) {
    const quiet = `WHERE ${FOR_WORKERS} AND lease_holder IS NULL AND ${HEARD} AND ${DELIVERED}
      AND updated_at <= ? AND expires_at <= ?
      ORDER BY updated_at, job_number LIMIT ?`;
    return table.list(this.db, quiet, [sinceMs, expiresByMs, limit]);
  }

  /**
   * Forgets ended jobs whose time is over, their messages first, at most `limit` rows; resolves whether there may be
   * more. `onRemoved` is told what each has taken.
   */
  async prune(nowMs: number, limit: number, onRemoved?: (owner_id: string, bytes: number) => void): Promise<boolean> {
    const due = await this.#numbers(
      'ended_at IS NOT NULL AND expires_at <= ? ORDER BY expires_at, job_number LIMIT ?',
      [nowMs, limit],
    );
    let room = limit;
    for (const job_number of due) {
      const removed = await this.db.query(
        `DELETE FROM job_messages WHERE job_number = ? AND seq IN (
           SELECT seq FROM job_messages WHERE job_number = ? ORDER BY seq LIMIT ?) RETURNING seq`,
        [job_number, job_number, room],
      );
      room -= removed.length;
      if (room <= 0) return true;
      const [gone] = await this.db.query<{ owner_id: string; bytes: number }>(
        'DELETE FROM jobs WHERE job_number = ? RETURNING owner_id, COALESCE(stored_bytes, bytes) AS bytes',
        [job_number],
      );
      if (gone) onRemoved?.(gone.owner_id, gone.bytes);
      room -= 1;
      if (room <= 0) return true;
    }
    return due.length === limit;
  }

  /** Job number → newest seq and whether it has ended, of those that exist. */
  async positions(job_numbers: readonly string[]): Promise<Map<string, { last_seq: number; hasEnded: boolean }>> {
    const sql = 'SELECT job_number, last_seq, ended_at FROM jobs WHERE job_number IN ({{list}})';
    const rows = await runList<Pick<JobRow, 'job_number' | 'last_seq' | 'ended_at'>>(this.db, sql, job_numbers);
    return new Map(
      rows.map(({ job_number, last_seq, ended_at }) => [job_number, { last_seq, hasEnded: ended_at !== null }]),
    );
  }

  async #noRoom(owner_id: string, maxOpen: number): Promise<TryLaterError> {
    return (await this.countOpen(owner_id)) >= maxOpen
      ? new TryLaterError(429, 'too_many_jobs', `At most ${maxOpen} of your jobs may be open at once`, 10)
      : new TryLaterError(503, 'outbox_full', 'Too many jobs wait for the message broker; try again later', 5);
  }

  async #numbers(where: string, params: SqlValue[]): Promise<string[]> {
    const rows = await this.db.query<{ job_number: string }>(`SELECT job_number FROM jobs WHERE ${where}`, params);
    return rows.map(({ job_number }) => job_number);
  }
}
