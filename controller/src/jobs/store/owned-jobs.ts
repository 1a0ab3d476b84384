// What callers still own: for ending it with them.
import type { SqlQueries } from '../../storage/sql-database.ts';
import type { JobRecord } from './job-store.ts';

export type OwnedJob = Pick<JobRecord, 'job_number' | 'task_type' | 'subject' | 'owner_kind' | 'owner_id'>;
export type JobOwner = Pick<JobRecord, 'owner_kind' | 'owner_id' | 'owner_name'>;

/** Every method throws TryLaterError (503) while the database is out of reach. */
export interface OwnedJobs {
  /** The open jobs of that owner, oldest first, without those that end with their command or their run. */
  listOpen(tx: SqlQueries, owner: Pick<JobOwner, 'owner_kind' | 'owner_id'>): Promise<OwnedJob[]>;
  /** The same for jobs about an agent, whoever owns them. */
  listAbout(tx: SqlQueries, subject: string): Promise<OwnedJob[]>;
  /** Those of these ids that own an open job of any kind. */
  ownersAmong(tx: SqlQueries, owner_ids: readonly string[]): Promise<Set<string>>;
  /** Owners of open jobs, of any kind, who do not exist any more or are disabled; up to `limit`. */
  listEndedOwners(limit: number): Promise<JobOwner[]>;
  /** The apps, and the users with grants, that own open jobs: their rights may end without a change of their own. */
  listLimited(): Promise<JobOwner[]>;
}
