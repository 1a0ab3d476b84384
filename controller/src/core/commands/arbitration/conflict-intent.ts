// The words of a decision: what a caller wants, what others hold, and what was decided. Times are milliseconds since
// 1970. All of it is plain JSON, so that the log can keep it and a replay can read it again.
import type { Technology, VerdictReason, VerdictWord } from '@weft/contract';
import type { DeclaredCommand } from '@weft/contract/declared-commands';
import type { Caller } from '../../base/caller.ts';
import type { Want } from '../grammar/requested-value.ts';

/** Weft takes commands back in its own name. */
export type IntentCallerKind = Caller['kind'] | 'weft';

/** Who wants a parameter, and with what weight. */
export interface Claim {
  command_id: string;
  ap_id: string;
  parameter: string;
  caller_kind: IntentCallerKind;
  caller_id: string;
  caller_name: string;
  rank: number;
  priority: number;
}

/** A command, as far as a decision needs to know it. */
/** Where an agent stands, for the blast radius. */
export interface Place {
  /** null: nowhere in particular. */
  site: string | null;
  /** How the number of the emulated network begins that it belongs to; absent for a real one. */
  run?: string;
}

export interface Intent extends Want, Claim, Place {
  technology: Technology | null;
  /** Free text to an agent that declares no commands: callers make up such parameters, so few are held. */
  is_text?: true;
  /** It does something rather than set a value: a later one of the same caller does not replace it. */
  is_action?: true;
  /** null: as the group says. */
  hold_seconds: number | null;
  expires_at: number;
  /** What the agent says of this command; what a merge makes must fit it as well. */
  declaration: DeclaredCommand | null;
}

/** The right to a parameter of what `ap_id` names (`subjectOf`), an access point or a device, for a while. */
export interface Lease extends Claim {
  parameter_group: string;
  /** What its holder asked for, which under a merge need not be what was sent. */
  value: Want;
  since: number;
  until: number;
}

export interface RecentValue {
  /** What was sent, as `fingerprint` writes it. */
  value: string;
  /** Who set it, and the rank and time of its last sender. */
  caller_id: string;
  rank: number;
  at: number;
}

/** What a decision must remember of one parameter of one agent. */
export interface ParameterState {
  /** The last values that were sent, oldest first, at most `maxRecentValues`. */
  recent: RecentValue[];
  frozen_until: number | null;
}

/** How much of a site an app has commanded; null where that is not limited. */
export interface BlastCount {
  /** Agents that it commanded within the window, this one included. */
  commanded: number;
  /** Agents of the site. */
  agents: number;
  /** When the oldest of them no longer counts. */
  frees_at: number;
  /** In an emulated network: the model time at which it was counted. */
  model_time?: number;
}

export interface DecisionState extends ParameterState {
  blast: BlastCount | null;
}

export interface Decision {
  verdict: VerdictWord;
  reason: VerdictReason;
  /** The reason as a sentence, for people. */
  detail: string;
  /** The strongest of the blocking leases, whether it won or lost. */
  rival?: Lease;
  /** What the caller holds from now on; it replaces the lease that it had on the same parameter. */
  lease?: Lease;
  /** Leases of others that end now. */
  supersedes: Lease[];
  /** The caller's own lease, if it ends without a new one. */
  ends?: Lease;
  /** The caller's own lease, of a command that need not be sent any more if it was not yet. */
  replaces?: Lease;
  /** What is to be sent; absent if nothing is. */
  args?: Record<string, unknown>;
  /** When a queued command is to be decided again. */
  deliver_after?: number;
  /** When a rejected command might pass. */
  retry_at?: number;
  /** The parameter is frozen until then; null: no longer. Absent: as before. */
  frozen_until?: number | null;
}
