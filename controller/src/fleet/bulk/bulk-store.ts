// Changes of many access points: what is to be done, and what came of it for each of them.
import type { NewJob } from '../../jobs/store/job-store.ts';
import type { SqlQueries } from '../../storage/sql-database.ts';

export interface BulkRun {
  job_number: string;
  owner_kind: 'user' | 'agent' | 'third_party_app';
  owner_id: string;
  owner_name: string;
  selector: string;
  kind: 'command' | 'labels' | 'remove';
  /** Encrypted JSON. */
  action: string;
  total: number;
  wave_size: number;
  pause_ms: number;
  /** Null once nothing is left to do. */
  next_at: number | null;
}

export interface BulkResult {
  /** Counts from 1. */
  number: number;
  state: 'waiting' | 'done' | 'refused' | 'stopped';
  detail: string | null;
  command_id: string | null;
}

export interface BulkTargetRecord extends BulkResult {
  ap_id: string;
  agent_id: string;
}

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export interface BulkStore {
  /**
   * The run, its targets and its job, all or nothing; durable when it resolves. Throws AuthenticationError unless the owner is
   * there, with the credentials of `owner_ver`.
   */
  create(
    run: BulkRun,
    targets: readonly Pick<BulkTargetRecord, 'ap_id' | 'agent_id'>[],
    job: NewJob,
    options: { owner_ver: string | undefined; also: (tx: SqlQueries) => Promise<void> },
  ): Promise<void>;
  get(job_number: string): Promise<BulkRun | undefined>;
  /** Up to `limit` runs whose time has come; nobody else gets them before `nowMs + holdMs`, on whichever node. */
  takeDue(nowMs: number, holdMs: number, limit: number): Promise<BulkRun[]>;
  /** Nobody goes on with it before that; null: never. */
  setNext(job_number: string, nextAt: number | null): Promise<void>;
  /** Up to `limit` targets without a result, in order. */
  waiting(job_number: string, limit: number): Promise<BulkTargetRecord[]>;
  /** Up to `limit` targets after that number, in order. */
  targets(job_number: string, afterNumber: number, limit: number): Promise<BulkTargetRecord[]>;
  /** Results of targets that had none; others keep theirs. */
  settle(job_number: string, results: readonly BulkResult[]): Promise<void>;
  /** Whoever waits gets no turn any more. */
  stopRest(job_number: string): Promise<void>;
  totals(job_number: string): Promise<Record<BulkResult['state'], number>>;
}
