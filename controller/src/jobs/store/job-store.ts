// Jobs: who asked for what, how far it has come, and who works on it. A job row is its own outbox entry: it is durable
// before anything is published.
import type { JobState } from '@weft/contract';
import type { SqlQueries } from '../../storage/sql-database.ts';

/** The states in which nothing more happens. */
export type EndState = Exclude<JobState, 'queued' | 'running'>;

/** What a job waits for that was set aside: a slot for its owner among jobs, subscriptions, or emulated networks. */
export type WaitsFor = 'job' | 'subscription' | 'run';

export interface JobRecord {
  job_number: string;
  /** A task type of the contract, or `adopted`: opened by an administrator, published to nobody. */
  task_type: string;
  owner_kind: 'user' | 'agent' | 'third_party_app';
  owner_id: string;
  owner_name: string;
  /** The ap_id of the one agent that it is about, if it is about one. */
  subject: string | null;
  state: JobState;
  /** JSON text, or ciphertext of it. */
  data: string;
  detail: string | null;
  progress: number | null;
  created_at: number;
  updated_at: number;
  ended_at: number | null;
  /** While open: when it expires. Once ended: when it is forgotten. */
  expires_at: number;
  published_at: number | null;
  lease_holder: string | null;
  lease_until: number;
  /** How often a worker has begun since the last message. */
  attempts: number;
  last_seq: number;
  bytes: number;
}

/** Without what was asked for, which may be large. */
export type JobSummary = Omit<JobRecord, 'data'>;

export type NewJob = Pick<
  JobRecord,
  'job_number' | 'task_type' | 'owner_kind' | 'owner_id' | 'owner_name' | 'data' | 'created_at' | 'expires_at'
> & {
  subject?: string | null;
  /** Null: to be published; a time: needs no publishing. */
  published_at: number | null;
  /** Nobody but the creator publishes it before. */
  publish_after: number;
};

/** How many jobs there may be; nodes that create at the same instant may pass a limit by as many. */
export interface JobLimits {
  /** Of one owner that have not ended; commands, which have a limit of their own, do not count. */
  maxOpen: number;
  /** That wait to be published. */
  maxUnpublished: number;
  /** Only for an owner who exists and is not disabled; whoever ends it at the same time finds the job. Default: for any. */
  requireOwner?: boolean;
  /** Whether the owner may still ask for it, by its record inside of the transaction; throws if not. Implies `requireOwner`. */
  check?: (tx: SqlQueries) => Promise<void>;
}

export type WaitingJob = Pick<JobRecord, 'job_number' | 'owner_id' | 'created_at'>;

export interface HeldJobs {
  owner_id: string;
  lease_holder: string;
  count: number;
}

export interface JobFilter {
  /** Default: of all callers. */
  owner?: Pick<JobRecord, 'owner_kind' | 'owner_id'>;
  state?: JobState;
  /** Only those older than this job. */
  before?: Pick<JobRecord, 'created_at' | 'job_number'>;
  limit: number;
}

/** Every method throws TryLaterError (503) while the database is out of reach; then nothing was changed. */
export interface JobStore {
  /**
   * Durable when it resolves; the state is `queued`. Throws ConflictError `job_exists` if the number is taken, and
   * TryLaterError if there is no room: 429 `too_many_jobs` of this owner, 503 `outbox_full`. AuthenticationError if the owner
   * must be there and is not.
   */
  create(job: NewJob, limits?: JobLimits): Promise<void>;
  /** The same for many, without limits, inside the caller's transaction: they stand or fall with it. */
  createAll(tx: SqlQueries, jobs: readonly NewJob[]): Promise<void>;
  get(job_number: string): Promise<JobRecord | undefined>;
  /** Newest first. */
  list(filter: JobFilter): Promise<JobSummary[]>;
  /** Jobs of the owner that have not ended, commands not counted. */
  countOpen(owner_id: string): Promise<number>;
  /** Jobs that wait to be published. */
  countUnpublished(): Promise<number>;
  /**
   * Up to `limit` open jobs of that kind whose turn to be published has come, oldest first; nobody else gets them
   * before `nowMs + holdMs`, on whichever node.
   */
  takeUnpublished(task_type: string, nowMs: number, holdMs: number, limit: number): Promise<JobRecord[]>;
  /**
   * Those that have ended meanwhile included; unknown numbers are ignored, and so are jobs whose messages have been
   * found to be lost and that nobody has taken since.
   */
  markPublished(job_numbers: readonly string[], nowMs: number): Promise<void>;
  /**
   * Makes open jobs of that kind, which nobody works on, wait for publishing again: their messages are lost. Jobs that were
   * set aside need none. Resolves how many.
   */
  unpublish(task_type: string, nowMs: number): Promise<number>;
  /**
   * Makes `holder` the one who works on an open job, if nobody else is (`lease_until` has passed, or it is the same
   * holder); counts an attempt, makes it `running`, and published if it was not. Resolves the record as it is now, or
   * undefined if it was not to be had.
   */
  claim(job_number: string, holder: string, nowMs: number, leaseMs: number): Promise<JobRecord | undefined>;
  /** Those that are still the holder's; with the others, ended or somebody else's now, it must stop. */
  renew(job_numbers: readonly string[], holder: string, nowMs: number, leaseMs: number): Promise<Set<string>>;
  /** Gives open jobs back at once: they count as abandoned, and not as an attempt; others' are left alone. */
  release(job_numbers: readonly string[], holder: string): Promise<void>;
  /** Gives back the open jobs of every holder: for a start that knows them all to be dead. */
  releaseAll(): Promise<void>;
  /**
   * Sets open jobs aside that nobody works on: they wait for their owner's share and are found by `listWaiting`, until
   * somebody claims them. Their messages are of no more use.
   */
  setAside(job_numbers: readonly string[], waits_for: WaitsFor, nowMs: number): Promise<void>;
  /**
   * Jobs that were set aside, in fair turns: the oldest of each owner first, then the second of each, and so on. Those of
   * the owners in `without` are left out.
   */
  listWaiting(waits_for: WaitsFor, filter: { without: readonly string[]; limit: number }): Promise<WaitingJob[]>;
  /** Makes a job that was set aside wait for publishing; nothing happens if somebody has it. */
  putBack(job_number: string): Promise<void>;
  /** Open jobs of that kind that somebody holds, by owner and holder. */
  countHeld(task_type: string, nowMs: number): Promise<HeldJobs[]>;
  /** The oldest job for workers whose message nobody has taken: neither begun, nor set aside, nor ended. */
  oldestQueued(): Promise<Pick<JobRecord, 'job_number' | 'created_at'> | undefined>;
  /** Makes open jobs of that kind whose lease has run out wait for publishing again; resolves how many. */
  republishAbandoned(task_type: string, nowMs: number): Promise<number>;
  /** Open jobs that somebody began and whose lease has run out, longest first. */
  listAbandoned(nowMs: number, limit: number): Promise<JobRecord[]>;
  /** The numbers of open jobs whose time is over, longest first. */
  listOverdue(nowMs: number, limit: number): Promise<string[]>;
  /**
   * Open jobs for workers that have delivered, and nothing since that time; which no worker of Weft has begun or set aside;
   * and which are due by `expires_at`. Longest first.
   */
  listQuiet(filter: { sinceMs: number; expiresByMs: number; limit: number }): Promise<JobRecord[]>;
  /** The numbers of open jobs about that agent. */
  listAbout(subject: string): Promise<string[]>;
  /**
   * Forgets ended jobs whose time is over, their messages first, at most `limit` rows; resolves whether there may be
   * more.
   */
  prune(nowMs: number, limit: number): Promise<boolean>;
  /** Job number → newest seq and whether it has ended, of those that exist. */
  positions(job_numbers: readonly string[]): Promise<Map<string, { last_seq: number; hasEnded: boolean }>>;
}
