// Runs of emulated networks: the request, the end, and the agents.
import type { AgentRecord } from '../agents/agent-store.ts';
import type { EndState, JobRecord, NewJob } from '../jobs/store/job-store.ts';
import type { InSameTransaction, SqlQueries } from '../storage/sql-database.ts';

export interface EmulatorRunRecord {
  job_number: string;
  owner_kind: JobRecord['owner_kind'];
  owner_id: string;
  owner_name: string;
  access_points: number;
  devices: number;
  by_type: Record<string, number>;
  seed: number;
  /** The version of the model. */
  model: number;
  speed: number;
  /** Milliseconds since 1970, like every time here. */
  model_start: number;
  /** Seconds of model time. */
  duration: number;
  created_at: number;
  /** When it should end, or has ended. */
  ends_at: number;
  /** How it ended; null while it runs. */
  state: EndState | null;
  detail: string | null;
  /** When its agents are deleted; null while it runs. */
  remove_at: number | null;
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

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export interface EmulatorRunStore {
  /**
   * The run, its agents and its job, all or nothing; durable when it resolves. With `requireOwner` it throws
   * AuthenticationError unless the owner exists and is not disabled; whoever ends it at the same time finds the run. What
   * `check` throws inside of the transaction is thrown.
   */
  create(run: NewRun, agents: readonly AgentRecord[], job: NewJob, options?: CreateRunOptions): Promise<void>;
  get(job_number: string): Promise<EmulatorRunRecord | undefined>;
  /** Newest first. */
  list(filter: RunFilter): Promise<EmulatorRunRecord[]>;
  /** Up to `limit` runs that have not ended, those that should end first come first. */
  listOpen(limit: number): Promise<EmulatorRunRecord[]>;
  /** What the runs of that owner that have not ended come to. */
  usageOf(owner_id: string): Promise<RunUsage>;
  /** The names of the run's agents that have not been removed, up to `limit`, in order. */
  agentsOf(job_number: string, limit: number): Promise<string[]>;
  /** The runs of that owner that have not ended, oldest first, in the caller's transaction. */
  listOwned(tx: SqlQueries, owner: Pick<EmulatorRunRecord, 'owner_kind' | 'owner_id'>): Promise<EmulatorRunRecord[]>;
  /** Ends a run and revokes the credentials of its agents, in the caller's transaction; undefined if it was not running. */
  end(tx: SqlQueries, job_number: string, end: RunEnd): Promise<EndedRun | undefined>;
  /** Ended runs whose agents are due for deletion, oldest first. */
  listRemovable(nowMs: number, limit: number): Promise<EmulatorRunRecord[]>;
  /** An agent of the run was deleted. */
  agentRemoved(ap_id: string): Promise<void>;
  /** Deletes an ended run. */
  remove(job_number: string): Promise<void>;
}

/** The names of emulated agents consist of their type, their run, and their number in it, from 1. */
export function emulatedName(type: string, job_number: string, number: number): string {
  return `emu-${type.toLowerCase()}-${job_number}-${number}`;
}

/** The run in an agent's name, emulated or not; undefined for other names. */
export function runOf(ap_id: string): string | undefined {
  return /^emu-(?:5g|wifi|lifi)-(.+)-\d+$/.exec(ap_id)?.[1];
}
