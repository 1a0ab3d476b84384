// What callers still own: for ending it with them.
import type { SqlQueries, SqlRow, SqlValue } from '../../base/storage/sql-database.ts';
import { runList } from '../../base/storage/sql-rows.ts';
import { SqlStore } from '../../base/storage/sql-store.ts';
import type { JobRecord } from './job-record.ts';

export type OwnedJob = Pick<JobRecord, 'job_number' | 'task_type' | 'subject' | 'owner_kind' | 'owner_id'>;
export type JobOwner = Pick<JobRecord, 'owner_kind' | 'owner_id' | 'owner_name'>;

const JOB = 'job_number, task_type, subject, owner_kind, owner_id';
const OWNER = 'owner_kind, owner_id, owner_name';
/** Commands and runs have rows of their own, and those who keep these end both. */
const PLAIN = "ended_at IS NULL AND task_type NOT IN ('send_command', 'emulator_spinup')";
/** One entry of the index for each open job, and no more. */
const OWNERS = 'SELECT DISTINCT owner_id FROM jobs WHERE ended_at IS NULL';

/** Every method throws TryLaterError (503) while the database is unreachable. */
export class OwnedJobs extends SqlStore {
  /** The open jobs of that owner, oldest first, without those that end with their command or their run. */
  listOpen(tx: SqlQueries, { owner_kind, owner_id }: Pick<JobOwner, 'owner_kind' | 'owner_id'>): Promise<OwnedJob[]> {
    return list(tx, 'owner_id = ? AND owner_kind = ?', [owner_id, owner_kind]);
  }

  /** The same for jobs about an agent, whoever owns them. */
  listAbout(tx: SqlQueries, subject: string): Promise<OwnedJob[]> {
    return list(tx, 'subject IS NOT NULL AND subject = ?', [subject]);
  }

  /** Those of these ids that own an open job of any kind. */
  async ownersAmong(tx: SqlQueries, owner_ids: readonly string[]): Promise<Set<string>> {
    const sql = 'SELECT DISTINCT owner_id FROM jobs WHERE ended_at IS NULL AND owner_id IN ({{list}})';
    const rows = await runList<{ owner_id: string }>(tx, sql, owner_ids);
    return new Set(rows.map(({ owner_id }) => owner_id));
  }

  /** Owners of open jobs, of any kind, who do not exist any more or are disabled; up to `limit`. */
  async listEndedOwners(limit: number): Promise<JobOwner[]> {
    const rows = await this.db.query<{ owner_id: string }>(
      `SELECT owner_id FROM (${OWNERS}) AS owners
       WHERE NOT EXISTS (SELECT 1 FROM users WHERE id = owner_id AND disabled_at IS NULL)
         AND NOT EXISTS (SELECT 1 FROM agents WHERE id = owner_id)
         AND NOT EXISTS (SELECT 1 FROM third_party_apps WHERE id = owner_id)
       ORDER BY owner_id LIMIT ?`,
      [limit],
    );
    const found: JobOwner[] = [];
    for (const { owner_id } of rows) {
      const [owner] = await this.db.query<JobOwner & SqlRow>(
        `SELECT ${OWNER} FROM jobs WHERE ended_at IS NULL AND owner_id = ? LIMIT 1`,
        [owner_id],
      );
      if (owner) found.push({ ...owner });
    }
    return found;
  }

  /** The apps, and the users with grants, that own open jobs: their rights may end without a change of their own. */
  async listLimited(): Promise<JobOwner[]> {
    const hasOpen = 'EXISTS (SELECT 1 FROM jobs WHERE ended_at IS NULL AND owner_id = id)';
    const rows = await this.db.query<JobOwner & SqlRow>(
      `SELECT 'third_party_app' AS owner_kind, id AS owner_id, app_name AS owner_name FROM third_party_apps WHERE ${hasOpen}
       UNION ALL
       SELECT 'user' AS owner_kind, id AS owner_id, username AS owner_name FROM users WHERE grants <> '[]' AND ${hasOpen}`,
    );
    return rows.map(({ owner_kind, owner_id, owner_name }) => ({ owner_kind, owner_id, owner_name }));
  }
}

async function list(tx: SqlQueries, where: string, params: SqlValue[]): Promise<OwnedJob[]> {
  const rows = await tx.query<OwnedJob & SqlRow>(
    `SELECT ${JOB} FROM jobs WHERE ${PLAIN} AND ${where} ORDER BY created_at, job_number`,
    params,
  );
  return rows.map((row) => ({ ...row }));
}
