// Commands, parameter states and roll-outs as they are stored, and what a batch of operations reads and writes.
import type { CommandState, GuardState, VerdictReason, VerdictWord } from '@weft/contract';
import type { Claim, Intent, Lease, RecentValue } from '../arbitration/conflict-intent.ts';
import type { DecisionOutcome } from '../arbitration/decision-record.ts';
import type { Want } from '../grammar/requested-value.ts';

export type OwnerKind = 'user' | 'third_party_app';
export type StoredRival = NonNullable<DecisionOutcome['rival']>;

export interface CommandRecord extends Claim {
  job_number: string;
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
  parameter_group: string;
  /** Who can see it. Not the caller where Weft rolls a command back. */
  owner_kind: OwnerKind;
  owner_id: string;
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
  guard_state: GuardState | null;
  /** The command that restores what was set before, once the guard is broken. */
  rolled_back_by: string | null;
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
  /** How the numbers of the emulated networks begin that are asked for. */
  runs: ReadonlySet<string>;
}

export interface Found {
  commands: CommandRecord[];
  /** Those that have not ended by now. */
  leases: Lease[];
  states: StateRecord[];
  openOf: Map<string, number>;
  /** Emulated networks; without a model time, one that has not told. */
  runs: Map<string, { modelMs: number | null; isOver: boolean }>;
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
