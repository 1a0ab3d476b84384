// Commands, leases and what was last set, as the database keeps them. The ledger reads and writes them inside its
// transactions; all others only read.
import type { CommandState, ConflictRules, VerdictReason, VerdictWord } from '@weft/contract';
import type { OwnerKey } from '../../storage/present-owner.ts';
import type { SqlQueries } from '../../storage/sql-database.ts';
import type { Intent, IntentCallerKind, Lease, RecentValue } from '../arbitration/conflict-intent.ts';
import type { DecisionOutcome } from '../arbitration/decision-record.ts';
import type { Want } from '../grammar/requested-value.ts';

export type OwnerKind = 'user' | 'third_party_app';
export type StoredRival = NonNullable<DecisionOutcome['rival']>;

export interface CommandRecord {
  command_id: string;
  job_number: string;
  ap_id: string;
  /** The id of the agent's record: the name alone may be another agent's later. */
  agent_id: string;
  name: string;
  args: Record<string, unknown>;
  /** As the caller sent it; null for a command of Weft itself, and for one from before texts were kept. */
  text: string | null;
  /** Text and arguments as they were sent, encrypted, if arguments are secret; null once the command has ended. */
  sealed: string | null;
  /** What is sent, once that is decided. */
  sent_args: Record<string, unknown> | null;
  parameter: string;
  parameter_group: string;
  caller_kind: IntentCallerKind;
  caller_id: string;
  caller_name: string;
  /** Who can see it. Not the caller where Weft rolls a command back. */
  owner_kind: OwnerKind;
  owner_id: string;
  rank: number;
  priority: number;
  state: CommandState;
  verdict: VerdictWord;
  reason: VerdictReason;
  detail: string;
  rival: StoredRival | null;
  hold_until: number | null;
  created_at: number;
  expires_at: number;
  deliver_after: number | null;
  /** When it is to be sent, or sent again; null: never, or never again. */
  due_at: number | null;
  sent_at: number | null;
  received_at: number | null;
  ended_at: number | null;
  idempotency_key: string | null;
  guard: string | null;
  /** How long the guard is watched once the command has succeeded. */
  settle_ms: number | null;
  guard_until: number | null;
  inverse_of: string | null;
  batch_id: string | null;
  applied: Record<string, unknown> | null;
  /** What was set before, where a broken guard may restore it. */
  previous: Want | null;
  /** What is to be decided again, while it waits for a lease. */
  intent: Intent | null;
  /** The text of JSON. */
  result: string | null;
}

export interface StateRecord {
  ap_id: string;
  parameter: string;
  recent: RecentValue[];
  frozen_until: number | null;
  changed_at: number;
  /** What the agent last said it had set. */
  value: Want | null;
}

/** A roll-out in stages; its plan is the text of JSON. */
export interface BatchRecord {
  batch_id: string;
  owner_id: string;
  next_at: number;
  plan: string;
}

export interface CommandFilter {
  /** Default: of all owners. */
  owner?: Pick<CommandRecord, 'owner_kind' | 'owner_id'>;
  ap_id?: string;
  state?: CommandState;
  batch_id?: string;
  /** Only those older than this command. */
  before?: Pick<CommandRecord, 'created_at' | 'command_id'>;
  limit: number;
}

/** What a batch of operations needs to read before it begins. */
export interface ReadSetFields {
  commands: ReadonlySet<string>;
  /** Parameters on which all leases count. */
  leases: readonly (readonly [ap_id: string, parameter: string])[];
  /** Parameter groups, and the agents of which only leases of that group count. */
  near: ReadonlyMap<string, ReadonlySet<string>>;
  states: readonly (readonly [ap_id: string, parameter: string])[];
  keys: readonly (readonly [owner_id: string, idempotency_key: string])[];
  /** Of whom the open commands are to be counted. */
  owners: ReadonlySet<string>;
}

export interface Found {
  commands: CommandRecord[];
  /** Those that have not ended by now. */
  leases: Lease[];
  states: StateRecord[];
  openOf: Map<string, number>;
}

export interface Changes {
  created: readonly CommandRecord[];
  /** Those whose state, detail or times changed. */
  moved: readonly CommandRecord[];
  /** Those of which anything else changed, with or without the state. */
  changed: readonly CommandRecord[];
  endedLeases: readonly Lease[];
  leases: readonly Lease[];
  states: readonly StateRecord[];
}

/** Every method throws TryLaterError (503) while the database is out of reach; then nothing was changed. */
export interface CommandStore {
  get(command_id: string): Promise<CommandRecord | undefined>;
  /** Newest first. */
  list(filter: CommandFilter): Promise<CommandRecord[]>;
  /**
   * Commands to send to these agents, oldest first, up to `limit` in all: those whose time has come, or, if `isFresh`, all
   * that were not acknowledged. None that has expired.
   */
  listDue(ap_ids: readonly string[], nowMs: number, isFresh: boolean, limit: number): Promise<CommandRecord[]>;
  /** Those of these commands that have neither ended nor been received. */
  openAmong(command_ids: readonly string[]): Promise<Set<string>>;
  /** Open commands whose time is over, longest first. */
  listOverdue(nowMs: number, limit: number): Promise<string[]>;
  /** Open commands that waited for a lease until now, longest first. */
  listDeferred(nowMs: number, limit: number): Promise<CommandRecord[]>;
  /** When the next command stops waiting for a lease. */
  nextDeferred(): Promise<number | undefined>;
  /** Agents with commands that were sent, are not acknowledged, and are to be sent again; in order, after that one. */
  listUnacknowledged(nowMs: number, afterApId: string, limit: number): Promise<string[]>;
  /** The commands of an agent that are open, or whose guards are watched. */
  listOpen(ap_id: string): Promise<string[]>;
  /**
   * Inside a transaction: the commands of an owner that are open, or whose guards are watched, oldest first; without Weft's own,
   * which take something back.
   */
  listOwned(tx: SqlQueries, owner_kind: OwnerKind, owner_id: string): Promise<CommandRecord[]>;
  /** Inside a transaction: the leases of a caller. */
  listLeases(tx: SqlQueries, caller_id: string): Promise<Lease[]>;
  /** Inside a transaction. Those that were replaced meanwhile are left alone. */
  endLeases(tx: SqlQueries, leases: readonly Lease[]): Promise<void>;
  /** Inside a transaction: ends the roll-outs of an owner; resolves their ids. */
  removeBatches(tx: SqlQueries, owner_id: string): Promise<string[]>;
  /** Commands whose guard is watched, soonest to end first. */
  listGuarded(limit: number): Promise<CommandRecord[]>;
  /** Steering commands that their access points have, and that wait for what the network sees; oldest first. */
  listAwaiting(limit: number): Promise<CommandRecord[]>;
  /** Deletes commands that ended before, leases that have ended, and old parameter states; resolves whether there may be more. */
  prune(times: { nowMs: number; commandsBefore: number; statesBefore: number }, limit: number): Promise<boolean>;
  /**
   * Inside a transaction: another number than before if another connection has written to the database since; undefined if
   * that cannot be known.
   */
  version(tx: SqlQueries): Promise<number | undefined>;
  /** Inside a transaction. */
  find(tx: SqlQueries, wanted: ReadSetFields, nowMs: number): Promise<Found>;
  /** Inside a transaction. Throws UniqueViolation if an idempotency key is taken. */
  write(tx: SqlQueries, changes: Changes): Promise<void>;
  /** Whether there is anything that `forgetAgent` would delete. */
  hasTraces(ap_id: string): Promise<boolean>;
  /** Inside a transaction: deletes the leases and parameter states of an agent that was removed. */
  forgetAgent(tx: SqlQueries, ap_id: string): Promise<void>;
  /** Inside a transaction: those rules that are not the version known already. */
  newRules(tx: SqlQueries, knownVersion: number): Promise<{ version: number; rules: unknown } | undefined>;
  /**
   * Stores a roll-out. Throws TryLaterError 429 `too_many_batches` if the owner has as many as `max`, and AuthenticationError if
   * an owner is given who is gone, disabled, or has other credentials now.
   */
  createBatch(batch: BatchRecord, max: number, owner?: OwnerKey): Promise<void>;
  /** Up to `limit` whose next stage is due; no other node gets them before `nowMs + holdMs`. */
  takeBatches(nowMs: number, holdMs: number, limit: number): Promise<BatchRecord[]>;
  hasBatch(batch_id: string): Promise<boolean>;
  /** `next_at` undefined: it is done, and forgotten. */
  updateBatch(batch_id: string, plan: string, next_at: number | undefined): Promise<void>;
  /** Inside a transaction. */
  putRules(tx: SqlQueries, version: number, rules: ConflictRules): Promise<void>;
}
