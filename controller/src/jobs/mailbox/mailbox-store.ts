// The messages of jobs, kept in order until the job is forgotten.
import type { EnvelopeType } from '@weft/contract';
import type { SqlQueries } from '../../storage/sql-database.ts';
import type { EndState } from '../store/job-store.ts';

export interface MessageRecord {
  job_number: string;
  seq: number;
  type: EnvelopeType;
  /** The text of a JSON array. */
  data: string;
  final: boolean;
  ts: number;
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

/** What became of a message: stored as `seq`, or stored before, or refused and why. */
export type AppendOutcome =
  | { outcome: 'stored' | 'repeated'; message: MessageRecord }
  | { outcome: 'unknown_job' | 'ended' | 'full' };

/** Every method throws TryLaterError (503) while the database is out of reach; then nothing was changed. */
export interface MailboxStore {
  /**
   * Gives the message the next number of its job and stores both in one transaction; durable when it resolves. An open
   * job becomes `running`, or what `ends` says; one that has ended quietly stays as it is without `ends`. Its attempts count from 0 again. A chunk of that type that is there
   * already is not stored again, whatever it holds and even if the job has ended or is full.
   */
  append(message: NewMessage): Promise<AppendOutcome>;
  /**
   * The same for many, inside the caller's transaction, and resolves those that were stored: messages to jobs that are
   * unknown or have ended are left out. Chunks and limits count for nothing; of each job only the last message may end
   * it.
   */
  appendAll(tx: SqlQueries, messages: readonly NewMessage[]): Promise<MessageRecord[]>;
  /** In order, after that number; at least one if there is any, and no more than fit into `maxBytes`. */
  list(job_number: string, afterSeq: number, maxBytes: number): Promise<MessageRecord[]>;
  /** The newest message that has a chunk number; in the caller's transaction, if one is given. */
  lastChunk(job_number: string, tx?: SqlQueries): Promise<MessageRecord | undefined>;
}
