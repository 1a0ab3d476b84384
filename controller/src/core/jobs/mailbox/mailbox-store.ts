// The messages of jobs, kept in order until the job is forgotten.
// The job's row counts them: whoever raises its number has the right to that number.
import type { EnvelopeType, JobEnvelope } from '@weft/contract';
import { type SqlQueries, type SqlRow, type SqlValue, UniqueViolation } from '../../base/storage/sql-database.ts';
import { insertRecord, runRows } from '../../base/storage/sql-rows.ts';
import { type InMs, SqlStore } from '../../base/storage/sql-store.ts';
import type { EndState } from '../store/job-record.ts';
import { pack, unpack } from './result-budget.ts';

export interface MessageRecord extends InMs<Omit<JobEnvelope, 'data'>, 'ts'> {
  /** The text of a JSON array. */
  data: string;
  /** The sender's own number, by which a repeat is known. */
  chunk: number | null;
}

export interface JobEnd {
  state: EndState;
  detail: string | null;
  keepUntil: number;
  /** Because nothing more came: what comes later is still stored, and leaves the job as it is unless it ends it. */
  quietly?: boolean;
}

export interface NewMessage {
  job_number: string;
  type: EnvelopeType;
  data: string;
  ts: number;
  chunk: number | null;
  /** The message is the last one, and the job has this state from now on. */
  ends?: JobEnd;
  /** Stored also if the job has ended quietly; else such a job counts as ended. */
  mayBeLate?: boolean;
  progress?: number | null;
  /** Data messages beyond these are refused; the bytes are those of `data`, in UTF-8. */
  maxMessages?: number;
  maxBytes?: number;
}

/** The result of a message: stored as `seq`, or stored before, or refused and why. */
export type AppendOutcome =
  | { outcome: 'stored' | 'repeated'; message: MessageRecord }
  | { outcome: 'unknown_job' | 'ended' | 'full' };

const COLUMNS = 'job_number, seq, type, data, final, ts, chunk';
/** Of one page, however small they are. */
const maxMessagesPerPage = 1000;

/** Numbers the messages of many jobs at once. PostgreSQL must be told the types of the values. */
const APPEND_ALL = `UPDATE jobs SET last_seq = last_seq + v.column2, bytes = bytes + v.column3, attempts = 0,
    state = v.column4, updated_at = v.column5, detail = COALESCE(v.column6, detail), ended_at = v.column7,
    expires_at = COALESCE(v.column8, expires_at), stored_bytes = COALESCE(stored_bytes, bytes) + v.column3
  FROM (VALUES {{rows}}) AS v WHERE job_number = v.column1 AND ended_at IS NULL RETURNING job_number, owner_id, last_seq`;
const APPEND_ALL_ROW = `(CAST(? AS TEXT), CAST(? AS INTEGER), CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS BIGINT),
  CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT))`;

type MessageRow = Omit<MessageRecord, 'final'> & { final: number } & SqlRow;

/** Every method throws TryLaterError (503) while the database is unreachable; then nothing was changed. */
export class MailboxStore extends SqlStore {
  /** Told what each message takes, as it is stored. */
  onStored: (owner_id: string, bytes: number) => void = () => {};

  /**
   * Gives the message the next number of its job and stores both in one transaction; durable when it resolves. An open
   * job becomes `running`, or what `ends` says; one that has ended quietly stays as it is without `ends`. Its attempts count from 0 again. A chunk of that type that is there
   * already is not stored again, whatever it holds and even if the job has ended or is full, and shows that its sender lives.
   */
  async append(message: NewMessage): Promise<AppendOutcome> {
    try {
      const packed = await pack(message.data);
      const { owner_id, ...outcome } = await (this.db.dialect === 'postgres'
        ? appendAtOnce(this.db, message, packed)
        : this.db.transaction((tx) => appendIn(tx, message, packed)));
      if (owner_id !== undefined) this.onStored(owner_id, Buffer.byteLength(packed));
      return outcome;
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error;
      // Another node has stored the same chunk since this one looked.
      const first = await findChunk(this.db, message);
      if (!first) throw error;
      return { outcome: 'repeated', message: first };
    }
  }

  /**
   * The same for many, inside the caller's transaction, and resolves those that were stored: messages to jobs that are
   * unknown or have ended are left out. Chunks and limits count for nothing, and they are not compressed; of each job only
   * the last message may end it.
   */
  async appendAll(tx: SqlQueries, messages: readonly NewMessage[]): Promise<MessageRecord[]> {
    const byJob = Map.groupBy(messages, ({ job_number }) => job_number);
    const jobs = await runRows<{ job_number: string; owner_id: string; last_seq: number }>(
      tx,
      APPEND_ALL,
      [...byJob.values()].map(toJobValues),
      APPEND_ALL_ROW,
    );
    const stored = jobs.flatMap(({ job_number, owner_id, last_seq }) => {
      const own = byJob.get(job_number)!;
      this.onStored(owner_id, bytesOf(own));
      return own.map(({ type, data, ts, ends }, index): MessageRecord => {
        const seq = last_seq - own.length + 1 + index;
        return { job_number, seq, type, data, final: ends !== undefined, ts, chunk: null };
      });
    });
    const rows = stored.map(({ job_number, seq, type, data, final, ts, chunk }) => {
      return [job_number, seq, type, data, Number(final), ts, chunk, Buffer.byteLength(data)];
    });
    await runRows(tx, `INSERT INTO job_messages (${COLUMNS}, bytes) VALUES {{rows}}`, rows);
    return stored;
  }

  /** In order, after that number; at least one if there is any, and no more than fit into `maxBytes`. */
  async list(job_number: string, afterSeq: number, maxBytes: number): Promise<MessageRecord[]> {
    const sizes = await this.db.query<{ seq: number; bytes: number }>(
      'SELECT seq, bytes FROM job_messages WHERE job_number = ? AND seq > ? ORDER BY seq LIMIT ?',
      [job_number, afterSeq, maxMessagesPerPage],
    );
    let room = maxBytes;
    let last = sizes[0]?.seq;
    if (last === undefined) return [];
    for (const { seq, bytes } of sizes) {
      room -= bytes;
      if (room < 0) break;
      last = seq;
    }
    const rows = await this.db.query<MessageRow>(
      `SELECT ${COLUMNS} FROM job_messages WHERE job_number = ? AND seq > ? AND seq <= ? ORDER BY seq`,
      [job_number, afterSeq, last],
    );
    return Promise.all(rows.map(toRecord));
  }

  /** The newest message that has a chunk number; in the caller's transaction, if one is given. */
  async lastChunk(job_number: string, queries: SqlQueries = this.db): Promise<MessageRecord | undefined> {
    const [row] = await queries.query<MessageRow>(
      `SELECT ${COLUMNS} FROM job_messages WHERE job_number = ? AND chunk IS NOT NULL ORDER BY seq DESC LIMIT 1`,
      [job_number],
    );
    return row && toRecord(row);
  }
}

function toJobValues(messages: readonly NewMessage[]): SqlValue[] {
  const { job_number, ts, ends } = messages.at(-1)!;
  const bytes = bytesOf(messages);
  const state = ends?.state ?? 'running';
  const ended_at = ends ? ts : null;
  return [job_number, messages.length, bytes, state, ts, ends?.detail ?? null, ended_at, ends?.keepUntil ?? null];
}

function bytesOf(messages: readonly NewMessage[]): number {
  return messages.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
}

/** The next number of a job that takes messages and has room; none if it is there already, or there is no such job. */
const NUMBER = `UPDATE jobs SET last_seq = last_seq + 1, bytes = bytes + ?,
    stored_bytes = COALESCE(stored_bytes, bytes) + ?, attempts = 0,
    state = COALESCE(?, CASE WHEN ended_at IS NULL THEN 'running' ELSE state END), updated_at = ?,
    progress = COALESCE(?, progress), detail = COALESCE(?, detail), ended_at = COALESCE(?, ended_at),
    expires_at = COALESCE(?, expires_at), ended_quietly = COALESCE(?, ended_quietly)
  WHERE job_number = ? AND (ended_at IS NULL OR ended_quietly = ?) AND last_seq < CAST(? AS BIGINT) AND bytes <= ?
    AND NOT EXISTS (SELECT 1 FROM job_messages WHERE job_number = ? AND type = ? AND chunk = ?)
  RETURNING last_seq, owner_id`;

function numberValues(message: NewMessage, bytes: number, storedBytes: number): SqlValue[] {
  const { job_number, type, ts, chunk, ends, progress = null } = message;
  const { maxMessages = Number.MAX_SAFE_INTEGER, maxBytes = Number.MAX_SAFE_INTEGER } = message;
  const end = [
    ends?.detail ?? null,
    ends ? ts : null,
    ends?.keepUntil ?? null,
    ends ? Number(ends.quietly ?? false) : null,
  ];
  return [
    ...[bytes, storedBytes, ends?.state ?? null, ts, progress, ...end, job_number, message.mayBeLate ? 1 : null],
    ...[maxMessages, maxBytes - bytes, job_number, type, chunk],
  ];
}

async function appendIn(tx: SqlQueries, message: NewMessage, packed: string): Promise<AppendOutcome & Owned> {
  const bytes = Buffer.byteLength(message.data);
  const [job] = await tx.query<{ last_seq: number; owner_id: string }>(
    NUMBER,
    numberValues(message, bytes, Buffer.byteLength(packed)),
  );
  if (!job) return whyNot(tx, message);
  const stored = toStored(message, job.last_seq);
  await insertRecord(tx, 'job_messages', `${COLUMNS}, bytes` as const, { ...stored, data: packed, bytes });
  return { outcome: 'stored', message: stored, owner_id: job.owner_id };
}

/** The same in one statement, for which one journey to the server is enough. */
async function appendAtOnce(db: SqlQueries, message: NewMessage, packed: string): Promise<AppendOutcome & Owned> {
  const { job_number, type, data, ts, chunk, ends } = message;
  const bytes = Buffer.byteLength(data);
  const numbers = numberValues(message, bytes, Buffer.byteLength(packed));
  const [row] = await db.query<{ seq: number; owner_id: string }>(
    `WITH job AS (${NUMBER})
     INSERT INTO job_messages (${COLUMNS}, bytes)
     SELECT CAST(? AS TEXT), last_seq, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS INTEGER), CAST(? AS BIGINT),
       CAST(? AS BIGINT), CAST(? AS BIGINT) FROM job
     RETURNING seq, (SELECT owner_id FROM job) AS owner_id`,
    [...numbers, job_number, type, packed, Number(ends !== undefined), ts, chunk, bytes],
  );
  return row ? { outcome: 'stored', message: toStored(message, row.seq), owner_id: row.owner_id } : whyNot(db, message);
}

function toStored({ job_number, type, data, ts, chunk, ends }: NewMessage, seq: number): MessageRecord {
  return { job_number, seq, type, data, final: ends !== undefined, ts, chunk };
}

/** Of a message that was stored. */
interface Owned {
  owner_id?: string;
}

async function whyNot(tx: SqlQueries, message: NewMessage): Promise<AppendOutcome> {
  const first = await findChunk(tx, message);
  if (first) {
    // Who repeats is alive.
    const touch = 'UPDATE jobs SET updated_at = ? WHERE job_number = ? AND ended_at IS NULL';
    await tx.query(touch, [message.ts, message.job_number]);
    return { outcome: 'repeated', message: first };
  }
  const [job] = await tx.query<{ ended_at: number | null; ended_quietly: number }>(
    'SELECT ended_at, ended_quietly FROM jobs WHERE job_number = ?',
    [message.job_number],
  );
  if (!job) return { outcome: 'unknown_job' };
  const isOpen = job.ended_at === null || (message.mayBeLate && job.ended_quietly === 1);
  return { outcome: isOpen ? 'full' : 'ended' };
}

async function findChunk(db: SqlQueries, message: NewMessage): Promise<MessageRecord | undefined> {
  if (message.chunk === null) return undefined;
  const [row] = await db.query<MessageRow>(
    `SELECT ${COLUMNS} FROM job_messages WHERE job_number = ? AND type = ? AND chunk = ?`,
    [message.job_number, message.type, message.chunk],
  );
  return row && toRecord(row);
}

async function toRecord(row: MessageRow): Promise<MessageRecord> {
  const { job_number, seq, type, final, ts, chunk } = row;
  return { job_number, seq, type, data: await unpack(row.data), final: final === 1, ts, chunk };
}
