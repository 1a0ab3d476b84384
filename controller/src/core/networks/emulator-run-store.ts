// Runs of emulated networks: the request, the end, and the agents.
// Agents and jobs are written by their own stores, in the transaction of the run.
import type { EmulatorRun } from '@weft/contract';
import type { AgentRecord } from '../accounts/agents/agent-record.ts';
import type { AgentStore } from '../accounts/agents/agent-store.ts';
import { generateSecret } from '../base/secrets.ts';
import { requirePresentOwner } from '../base/storage/present-owner.ts';
import type { InSameTransaction, SqlDatabase, SqlQueries, SqlRow, SqlValue } from '../base/storage/sql-database.ts';
import { insertRecord, runRows } from '../base/storage/sql-rows.ts';
import { type InMs, RecordTable, SqlStore } from '../base/storage/sql-store.ts';
import type { EndState, JobRecord, NewJob } from '../jobs/store/job-record.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import { runDigits, runOf } from '../network/agent-facts.ts';

type StoredRun = InMs<
  Omit<EmulatorRun, 'state' | 'progress' | 'owner' | 'is_over' | 'latest' | 'websocket'>,
  'model_start' | 'created_at' | 'ends_at' | 'remove_at'
>;

export interface EmulatorRunRecord extends StoredRun {
  owner_kind: JobRecord['owner_kind'];
  owner_id: string;
  owner_name: string;
  /** How it ended; null while it runs. */
  state: EndState | null;
  /** The last progress report as JSON text; null while it runs. */
  latest: string | null;
}

export type NewRun = Omit<EmulatorRunRecord, 'state' | 'detail' | 'remove_at' | 'latest'>;

export interface RunEnd {
  state: EndState;
  detail: string | null;
  latest: string | null;
  nowMs: number;
  removeAtMs: number;
}

/** The run as it is now, and its agents that were not removed before. */
export interface EndedRun {
  run: EmulatorRunRecord;
  agents: Pick<AgentRecord, 'id' | 'ap_id'>[];
}

/** What one owner has of emulated networks. */
export interface RunUsage {
  runs: number;
  accessPoints: number;
  /** Access points of runs that have ended, which are not removed yet. */
  kept: number;
  /** Devices times seconds of model time. */
  deviceSeconds: number;
  /** When the next of them should end; null without any. */
  nextEndMs: number | null;
}

export interface CreateRunOptions {
  /** The beginnings of the agents' display names, one for each; default: they have none. */
  stems?: readonly string[];
  requireOwner?: boolean;
  check?: (tx: SqlQueries) => Promise<void>;
  also?: InSameTransaction<EmulatorRunRecord>;
}

export interface RunFilter {
  /** Default: all owners. */
  owner?: Pick<EmulatorRunRecord, 'owner_kind' | 'owner_id'>;
  /** Only those older than this run. */
  before?: Pick<EmulatorRunRecord, 'created_at' | 'job_number'>;
  limit: number;
}

const COLUMNS =
  'job_number, owner_kind, owner_id, owner_name, access_points, devices, by_type, seed, model, speed, model_start, duration, created_at, ends_at, state, detail, remove_at, latest';
const table = new RecordTable<EmulatorRunRecord>('emulator_runs', COLUMNS, { json: ['by_type'] });

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class EmulatorRunStore extends SqlStore {
  readonly #agents: Pick<AgentStore, 'createAll' | 'createNamed' | 'revokeAll'>;
  readonly #jobs: Pick<JobStore, 'createAll'>;

  constructor(
    db: SqlDatabase,
    agents: Pick<AgentStore, 'createAll' | 'createNamed' | 'revokeAll'>,
    jobs: Pick<JobStore, 'createAll'>,
  ) {
    super(db);
    this.#agents = agents;
    this.#jobs = jobs;
  }

  /**
   * The run, its agents and its job, all or nothing; durable when it resolves. With `requireOwner` it throws
   * AuthenticationError unless the owner exists and is not disabled; whoever ends it at the same time finds the run. What
   * `check` throws inside of the transaction is thrown.
   */
  async create(
    run: NewRun,
    agents: readonly AgentRecord[],
    job: NewJob,
    { requireOwner = false, stems, check, also }: CreateRunOptions = {},
  ): Promise<void> {
    await this.db.transaction(async (tx) => {
      if (requireOwner) await requirePresentOwner(tx, this.db.dialect, run);
      await check?.(tx);
      if (stems) await this.#agents.createNamed(tx, agents, stems);
      else await this.#agents.createAll(tx, agents);
      await this.#jobs.createAll(tx, [job]);
      const after: EmulatorRunRecord = { ...run, state: null, detail: null, remove_at: null, latest: null };
      await insertRecord(tx, 'emulator_runs', COLUMNS, after);
      await runRows(
        tx,
        'INSERT INTO emulator_agents (job_number, ap_id) VALUES {{rows}}',
        agents.map(({ ap_id }) => [run.job_number, ap_id]),
      );
      await also?.(tx, { after });
    });
  }

  async get(job_number: string): Promise<EmulatorRunRecord | undefined> {
    return table.get(this.db, 'WHERE job_number = ?', [job_number]);
  }

  /** Newest first. */
  list({ owner, before, limit }: RunFilter): Promise<EmulatorRunRecord[]> {
    const conditions = ['1 = 1'];
    const params: SqlValue[] = [];
    if (owner) {
      conditions.push('owner_id = ? AND owner_kind = ?');
      params.push(owner.owner_id, owner.owner_kind);
    }
    if (before) {
      conditions.push('(created_at, job_number) < (?, ?)');
      params.push(before.created_at, before.job_number);
    }
    return table.list(this.db, `WHERE ${conditions.join(' AND ')} ORDER BY created_at DESC, job_number DESC LIMIT ?`, [
      ...params,
      limit,
    ]);
  }

  /** Up to `limit` runs that have not ended, those that should end first come first. */
  listOpen(limit: number): Promise<EmulatorRunRecord[]> {
    return table.list(this.db, 'WHERE state IS NULL ORDER BY ends_at, job_number LIMIT ?', [limit]);
  }

  /** What the runs of that owner that have not ended come to, and what is left of the others. */
  async usageOf(owner_id: string): Promise<RunUsage> {
    const [row] = await this.db.query<Record<'runs' | 'access_points' | 'device_seconds', number> & SqlRow>(
      `SELECT COUNT(*) AS runs, CAST(COALESCE(SUM(access_points), 0) AS BIGINT) AS access_points,
         CAST(COALESCE(SUM(devices * duration), 0) AS BIGINT) AS device_seconds, MIN(ends_at) AS next_end
       FROM emulator_runs WHERE owner_id = ? AND state IS NULL`,
      [owner_id],
    );
    const kept = await this.countRows(
      `emulator_agents JOIN emulator_runs USING (job_number) WHERE owner_id = ? AND state IS NOT NULL`,
      [owner_id],
    );
    return {
      runs: Number(row!.runs),
      accessPoints: Number(row!.access_points),
      kept,
      deviceSeconds: Number(row!.device_seconds),
      nextEndMs: row!.next_end === null ? null : Number(row!.next_end),
    };
  }

  /** The names of the run's agents that have not been removed, up to `limit`, in order. */
  async agentsOf(job_number: string, limit: number): Promise<string[]> {
    const rows = await this.db.query<{ ap_id: string }>(
      'SELECT ap_id FROM emulator_agents WHERE job_number = ? ORDER BY ap_id LIMIT ?',
      [job_number, limit],
    );
    return rows.map(({ ap_id }) => ap_id);
  }

  /** The runs of that owner that have not ended, oldest first, in the caller's transaction. */
  async listOwned(
    tx: SqlQueries,
    { owner_kind, owner_id }: Pick<EmulatorRunRecord, 'owner_kind' | 'owner_id'>,
  ): Promise<EmulatorRunRecord[]> {
    const open = 'WHERE state IS NULL AND owner_id = ? AND owner_kind = ? ORDER BY created_at, job_number';
    return table.list(tx, open, [owner_id, owner_kind]);
  }

  /** Ends a run and revokes the credentials of its agents, in the caller's transaction; undefined if it was not running. */
  async end(
    tx: SqlQueries,
    job_number: string,
    { state, detail, latest, nowMs, removeAtMs }: RunEnd,
  ): Promise<EndedRun | undefined> {
    const end = { state, detail, latest, ends_at: nowMs, remove_at: removeAtMs };
    const run = await table.change(tx, end, 'WHERE job_number = ? AND state IS NULL', [job_number]);
    if (!run) return undefined;
    const names = await tx.query<{ ap_id: string }>('SELECT ap_id FROM emulator_agents WHERE job_number = ?', [
      job_number,
    ]);
    const agents = await this.#agents.revokeAll(
      tx,
      names.map(({ ap_id }) => ap_id),
      generateSecret(),
    );
    return { run, agents };
  }

  /** What time it is in a network that runs. */
  async noteModelTime(job_number: string, modelMs: number): Promise<void> {
    await this.db.query('UPDATE emulator_runs SET model_time = ? WHERE job_number = ? AND state IS NULL', [
      modelMs,
      job_number,
    ]);
  }

  /** Ended runs whose agents are due for deletion, oldest first. */
  listRemovable(nowMs: number, limit: number): Promise<EmulatorRunRecord[]> {
    const due = 'WHERE remove_at IS NOT NULL AND remove_at <= ? ORDER BY remove_at, job_number LIMIT ?';
    return table.list(this.db, due, [nowMs, limit]);
  }

  /** An agent of the run was deleted. */
  async agentRemoved(ap_id: string): Promise<void> {
    const start = runOf(ap_id);
    if (start === undefined) return;
    const where = 'job_number >= ? AND job_number < ? AND ap_id = ?';
    await this.db.query(`DELETE FROM emulator_agents WHERE ${where}`, [start, `${start}~`, ap_id]);
  }

  /** Whether agents of another run, which may have ended, are named after a number that begins like this one. */
  async isNameTaken(job_number: string): Promise<boolean> {
    const start = job_number.slice(0, runDigits);
    const where = 'job_number >= ? AND job_number < ?';
    const rows = await this.db.query(`SELECT 1 FROM emulator_agents WHERE ${where} LIMIT 1`, [start, `${start}~`]);
    return rows.length > 0;
  }

  /** Deletes an ended run. */
  async remove(job_number: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      const rows = await tx.query(
        'DELETE FROM emulator_runs WHERE job_number = ? AND state IS NOT NULL RETURNING job_number',
        [job_number],
      );
      if (rows.length > 0) await tx.query('DELETE FROM emulator_agents WHERE job_number = ?', [job_number]);
    });
  }
}
