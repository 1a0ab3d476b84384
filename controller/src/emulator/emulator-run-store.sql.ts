// Runs in SQL. Agents and jobs are written by their own stores, in the transaction of the run.
import type { AgentRecord, AgentStore } from '../agents/agent-store.ts';
import type { EndState, JobRecord, JobStore, NewJob } from '../jobs/store/job-store.ts';
import { generateSecret } from '../secrets.ts';
import { requirePresentOwner } from '../storage/present-owner.ts';
import type { SqlDatabase, SqlQueries, SqlRow, SqlValue } from '../storage/sql-database.ts';
import { runRows } from '../storage/sql-rows.ts';
import {
  type CreateRunOptions,
  type EmulatorRunRecord,
  type EmulatorRunStore,
  type EndedRun,
  type NewRun,
  type RunEnd,
  type RunFilter,
  type RunUsage,
  runOf,
} from './emulator-run-store.ts';

type Row = Omit<EmulatorRunRecord, 'by_type' | 'state' | 'owner_kind'> & {
  by_type: string;
  state: string | null;
  owner_kind: string;
};

const COLUMNS = `job_number, owner_kind, owner_id, owner_name, access_points, devices, by_type, seed, model, speed, model_start,
  duration, created_at, ends_at, state, detail, remove_at, latest`;

export function createEmulatorRunStore(
  db: SqlDatabase,
  agents: Pick<AgentStore, 'createAll' | 'createNamed' | 'revokeAll'>,
  jobs: Pick<JobStore, 'createAll'>,
): EmulatorRunStore {
  return new SqlEmulatorRunStore(db, agents, jobs);
}

class SqlEmulatorRunStore implements EmulatorRunStore {
  readonly #db: SqlDatabase;
  readonly #agents: Pick<AgentStore, 'createAll' | 'createNamed' | 'revokeAll'>;
  readonly #jobs: Pick<JobStore, 'createAll'>;

  constructor(
    db: SqlDatabase,
    agents: Pick<AgentStore, 'createAll' | 'createNamed' | 'revokeAll'>,
    jobs: Pick<JobStore, 'createAll'>,
  ) {
    this.#db = db;
    this.#agents = agents;
    this.#jobs = jobs;
  }

  async create(
    run: NewRun,
    agents: readonly AgentRecord[],
    job: NewJob,
    { requireOwner = false, stems, check, also }: CreateRunOptions = {},
  ): Promise<void> {
    await this.#db.transaction(async (tx) => {
      if (requireOwner) await requirePresentOwner(tx, this.#db.dialect, run);
      await check?.(tx);
      if (stems) await this.#agents.createNamed(tx, agents, stems);
      else await this.#agents.createAll(tx, agents);
      await this.#jobs.createAll(tx, [job]);
      const values: SqlValue[] = [
        ...[run.job_number, run.owner_kind, run.owner_id, run.owner_name, run.access_points, run.devices],
        ...[JSON.stringify(run.by_type), run.seed, run.model, run.speed, run.model_start, run.duration, run.created_at],
        ...[run.ends_at, null, null, null, null],
      ];
      await tx.query(`INSERT INTO emulator_runs (${COLUMNS}) VALUES (${values.map(() => '?').join(', ')})`, values);
      await runRows(
        tx,
        'INSERT INTO emulator_agents (job_number, ap_id) VALUES {{rows}}',
        agents.map(({ ap_id }) => [run.job_number, ap_id]),
      );
      await also?.(tx, { after: { ...run, state: null, detail: null, remove_at: null, latest: null } });
    });
  }

  async get(job_number: string): Promise<EmulatorRunRecord | undefined> {
    return (await this.#select('job_number = ?', [job_number]))[0];
  }

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
    return this.#select(`${conditions.join(' AND ')} ORDER BY created_at DESC, job_number DESC LIMIT ?`, [
      ...params,
      limit,
    ]);
  }

  listOpen(limit: number): Promise<EmulatorRunRecord[]> {
    return this.#select('state IS NULL ORDER BY ends_at, job_number LIMIT ?', [limit]);
  }

  async usageOf(owner_id: string): Promise<RunUsage> {
    const [row] = await this.#db.query<Record<'runs' | 'access_points' | 'device_seconds', number> & SqlRow>(
      `SELECT COUNT(*) AS runs, CAST(COALESCE(SUM(access_points), 0) AS BIGINT) AS access_points,
         CAST(COALESCE(SUM(devices * duration), 0) AS BIGINT) AS device_seconds, MIN(ends_at) AS next_end
       FROM emulator_runs WHERE owner_id = ? AND state IS NULL`,
      [owner_id],
    );
    return {
      runs: Number(row!.runs),
      accessPoints: Number(row!.access_points),
      deviceSeconds: Number(row!.device_seconds),
      nextEndMs: row!.next_end === null ? null : Number(row!.next_end),
    };
  }

  async agentsOf(job_number: string, limit: number): Promise<string[]> {
    const rows = await this.#db.query<{ ap_id: string }>(
      'SELECT ap_id FROM emulator_agents WHERE job_number = ? ORDER BY ap_id LIMIT ?',
      [job_number, limit],
    );
    return rows.map(({ ap_id }) => ap_id);
  }

  async listOwned(
    tx: SqlQueries,
    { owner_kind, owner_id }: Pick<EmulatorRunRecord, 'owner_kind' | 'owner_id'>,
  ): Promise<EmulatorRunRecord[]> {
    return this.#select(
      'state IS NULL AND owner_id = ? AND owner_kind = ? ORDER BY created_at, job_number',
      [owner_id, owner_kind],
      tx,
    );
  }

  async end(
    tx: SqlQueries,
    job_number: string,
    { state, detail, latest, nowMs, removeAtMs }: RunEnd,
  ): Promise<EndedRun | undefined> {
    const [row] = await tx.query<Row>(
      `UPDATE emulator_runs SET state = ?, detail = ?, latest = ?, ends_at = ?, remove_at = ?
       WHERE job_number = ? AND state IS NULL RETURNING ${COLUMNS}`,
      [state, detail, latest, nowMs, removeAtMs, job_number],
    );
    if (!row) return undefined;
    const names = await tx.query<{ ap_id: string }>('SELECT ap_id FROM emulator_agents WHERE job_number = ?', [
      job_number,
    ]);
    const agents = await this.#agents.revokeAll(
      tx,
      names.map(({ ap_id }) => ap_id),
      generateSecret(),
    );
    return { run: toRecord(row), agents };
  }

  listRemovable(nowMs: number, limit: number): Promise<EmulatorRunRecord[]> {
    return this.#select('remove_at IS NOT NULL AND remove_at <= ? ORDER BY remove_at, job_number LIMIT ?', [
      nowMs,
      limit,
    ]);
  }

  async agentRemoved(ap_id: string): Promise<void> {
    const job_number = runOf(ap_id);
    if (job_number === undefined) return;
    await this.#db.query('DELETE FROM emulator_agents WHERE job_number = ? AND ap_id = ?', [job_number, ap_id]);
  }

  async remove(job_number: string): Promise<void> {
    await this.#db.transaction(async (tx) => {
      const rows = await tx.query(
        'DELETE FROM emulator_runs WHERE job_number = ? AND state IS NOT NULL RETURNING job_number',
        [job_number],
      );
      if (rows.length > 0) await tx.query('DELETE FROM emulator_agents WHERE job_number = ?', [job_number]);
    });
  }

  async #select(where: string, params: SqlValue[], queries: SqlQueries = this.#db): Promise<EmulatorRunRecord[]> {
    return (await queries.query<Row>(`SELECT ${COLUMNS} FROM emulator_runs WHERE ${where}`, params)).map(toRecord);
  }
}

function toRecord(row: Row): EmulatorRunRecord {
  return {
    ...row,
    owner_kind: row.owner_kind as JobRecord['owner_kind'],
    state: row.state as EndState | null,
    by_type: JSON.parse(row.by_type) as Record<string, number>,
  };
}
