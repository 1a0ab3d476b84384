// Changes of many access points: what is to be done, and what came of it for each of them.

import { requirePresentOwner } from '../../base/storage/present-owner.ts';
import type { SqlDatabase, SqlQueries } from '../../base/storage/sql-database.ts';
import { insertRecord, runRows } from '../../base/storage/sql-rows.ts';
import { RecordTable, SqlStore } from '../../base/storage/sql-store.ts';
import type { NewJob } from '../../jobs/store/job-record.ts';
import type { JobStore } from '../../jobs/store/job-store.ts';

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

const RUN = 'job_number, owner_kind, owner_id, owner_name, selector, kind, action, total, wave_size, pause_ms, next_at';
const TARGET = 'number, ap_id, agent_id, state, detail, command_id';
const runs = new RecordTable<BulkRun>('bulk_runs', RUN);
const targetTable = new RecordTable<BulkTargetRecord>('bulk_targets', TARGET);

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class BulkStore extends SqlStore {
  readonly #jobs: Pick<JobStore, 'createAll'>;

  constructor(db: SqlDatabase, jobs: Pick<JobStore, 'createAll'>) {
    super(db);
    this.#jobs = jobs;
  }

  /**
   * The run, its targets and its job, all or nothing; durable when it resolves. Throws AuthenticationError unless the owner is
   * there, with the credentials of `owner_ver`.
   */
  async create(
    run: BulkRun,
    targets: readonly Pick<BulkTargetRecord, 'ap_id' | 'agent_id'>[],
    job: NewJob,
    { owner_ver, also }: { owner_ver: string | undefined; also: (tx: SqlQueries) => Promise<void> },
  ): Promise<void> {
    const { job_number, owner_kind, owner_id } = run;
    await this.db.transaction(async (tx) => {
      await requirePresentOwner(tx, this.db.dialect, { owner_kind, owner_id, owner_ver });
      await this.#jobs.createAll(tx, [job]);
      await insertRecord(tx, 'bulk_runs', RUN, run);
      await runRows(
        tx,
        `INSERT INTO bulk_targets (job_number, ${TARGET}) VALUES {{rows}}`,
        targets.map(({ ap_id, agent_id }, index) => [job_number, index + 1, ap_id, agent_id, 'waiting', null, null]),
      );
      await also(tx);
    });
  }

  async get(job_number: string): Promise<BulkRun | undefined> {
    return runs.get(this.db, 'WHERE job_number = ?', [job_number]);
  }

  /** Up to `limit` runs whose time has come; nobody else gets them before `nowMs + holdMs`, on whichever node. */
  async takeDue(nowMs: number, holdMs: number, limit: number): Promise<BulkRun[]> {
    const isDue = 'WHERE next_at IS NOT NULL AND next_at <= ? ORDER BY next_at LIMIT ?';
    const taken: BulkRun[] = [];
    for (const run of await runs.list(this.db, isDue, [nowMs, limit])) {
      // Of several nodes that have read it, one changes it.
      const mine = await this.db.query(
        'UPDATE bulk_runs SET next_at = ? WHERE job_number = ? AND next_at = ? RETURNING job_number',
        [nowMs + holdMs, run.job_number, run.next_at],
      );
      if (mine.length > 0) taken.push({ ...run, next_at: nowMs + holdMs });
    }
    return taken;
  }

  /** Nobody goes on with it before that; null: never. */
  async setNext(job_number: string, nextAt: number | null): Promise<void> {
    await this.db.query('UPDATE bulk_runs SET next_at = ? WHERE job_number = ?', [nextAt, job_number]);
  }

  /** Up to `limit` targets without a result, in order. */
  async waiting(job_number: string, limit: number): Promise<BulkTargetRecord[]> {
    const isNext = `WHERE job_number = ? AND state = 'waiting' ORDER BY number LIMIT ?`;
    return targetTable.list(this.db, isNext, [job_number, limit]);
  }

  /** Up to `limit` targets after that number, in order. */
  async targets(job_number: string, afterNumber: number, limit: number): Promise<BulkTargetRecord[]> {
    const isNext = 'WHERE job_number = ? AND number > ? ORDER BY number LIMIT ?';
    return targetTable.list(this.db, isNext, [job_number, afterNumber, limit]);
  }

  /** Results of targets that had none; others keep theirs. */
  async settle(job_number: string, results: readonly BulkResult[]): Promise<void> {
    await this.db.transaction(async (tx) => {
      for (const { number, state, detail, command_id } of results) {
        await tx.query(
          `UPDATE bulk_targets SET state = ?, detail = ?, command_id = ?
           WHERE job_number = ? AND number = ? AND state = 'waiting'`,
          [state, detail, command_id, job_number, number],
        );
      }
    });
  }

  /** Whoever waits gets no turn any more. */
  async stopRest(job_number: string): Promise<void> {
    await this.db.query(`UPDATE bulk_targets SET state = 'stopped' WHERE job_number = ? AND state = 'waiting'`, [
      job_number,
    ]);
  }

  async totals(job_number: string): Promise<Record<BulkResult['state'], number>> {
    const rows = await this.db.query<{ state: string; count: number }>(
      'SELECT state, COUNT(*) AS count FROM bulk_targets WHERE job_number = ? GROUP BY state',
      [job_number],
    );
    const totals = { waiting: 0, done: 0, refused: 0, stopped: 0 };
    for (const { state, count } of rows) totals[state as BulkResult['state']] = count;
    return totals;
  }
}
