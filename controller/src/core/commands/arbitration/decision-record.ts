// A decision as the audit log keeps it: all its inputs, small enough for every command, so that it can be explained later
// and replayed under other rules.
import type { ConflictRules } from '@weft/contract';
import { subjectOf } from '../grammar/device-commands.ts';
import type { Decision, DecisionState, Intent, Lease } from './conflict-intent.ts';
import { groupOf, interferenceRange, relatedTo } from './parameter-groups.ts';

/** Of more leases than these the log keeps the first. */
export const maxRecordedLeases = 50;

export interface DecisionRecord {
  at: number;
  intent: Intent;
  /** As the group was at that time; `range_m` is 0 where neighbours did not count. */
  group: { name: string; parameters: string[]; range_m: number };
  /** The live leases of the group that the decision saw, the caller's own among them. */
  leases: Lease[];
  /** Of agents at the same place, on what is related; absent if there were none. */
  beside?: Lease[];
  state: DecisionState;
  blast_window_s: number;
  outcome: DecisionOutcome;
}

export interface DecisionOutcome
  extends Pick<Decision, 'verdict' | 'reason' | 'detail' | 'deliver_after' | 'frozen_until'> {
  rival: Pick<
    Lease,
    'command_id' | 'caller_kind' | 'caller_id' | 'caller_name' | 'ap_id' | 'parameter' | 'until'
  > | null;
  /** What was sent, where it is not what was asked for. */
  args: Record<string, unknown> | null;
  lease_until: number | null;
  /** The commands whose leases it ended. */
  superseded: string[];
}

/** Takes what `decide` was given and what it answered. */
export function toDecisionRecord(
  intent: Intent,
  leases: readonly Lease[],
  state: DecisionState,
  rules: ConflictRules,
  at: number,
  decision: Decision,
): DecisionRecord {
  const { name, parameters, scope } = groupOf(rules, intent.technology, intent.parameter);
  const subject = subjectOf(intent);
  const own = [...parameters, ...relatedTo(rules, intent.technology, intent.parameter)];
  const range_m = scope === 'neighbours' ? interferenceRange(rules, intent.technology) : 0;
  const live = leases.filter(({ until }) => until > at);
  const seen = live.filter(({ ap_id, parameter, parameter_group }) => {
    return ap_id === subject ? own.includes(parameter) : range_m > 0 && parameter_group === name;
  });
  const nearby = relatedTo(rules, intent.technology, intent.parameter, 'neighbours');
  const beside = live.filter(
    (lease) => lease.ap_id !== subject && nearby.includes(lease.parameter) && !seen.includes(lease),
  );
  return {
    at,
    intent,
    group: { name, parameters, range_m },
    leases: seen.slice(0, maxRecordedLeases),
    ...(beside.length > 0 && { beside: beside.slice(0, maxRecordedLeases) }),
    state,
    blast_window_s: rules.blast_radius.window_s,
    outcome: toOutcome(decision),
  };
}

/** Whether the command went out. */
export function isPass({ verdict }: DecisionOutcome): boolean {
  return verdict === 'accepted' || verdict === 'accepted_modified';
}

export function toOutcome(decision: Decision): DecisionOutcome {
  const { verdict, reason, detail, rival, args, lease, supersedes, deliver_after, frozen_until } = decision;
  const outcome: DecisionOutcome = {
    verdict,
    reason,
    detail,
    rival: rival ? toRival(rival) : null,
    args: verdict === 'accepted_modified' ? args! : null,
    lease_until: lease?.until ?? null,
    superseded: supersedes.map(({ command_id }) => command_id),
  };
  if (deliver_after !== undefined) outcome.deliver_after = deliver_after;
  if (frozen_until !== undefined) outcome.frozen_until = frozen_until;
  return outcome;
}

function toRival({ command_id, caller_kind, caller_id, caller_name, ap_id, parameter, until }: Lease) {
  return { command_id, caller_kind, caller_id, caller_name, ap_id, parameter, until };
}
