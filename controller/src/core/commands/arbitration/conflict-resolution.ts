// The decision between callers: can this command be sent now, and who holds the parameter afterwards? Pure: the same
// intent, leases, state, rules and time give the same decision, and nothing is changed by asking.

import type { ConflictRules, ParameterGroup, VerdictReason } from '@weft/contract';
import { toTime } from '../../base/input/date-time.ts';
import { ranks } from '../grammar/command-permissions.ts';
import { subjectInWords, subjectOf, wantsTheSame } from '../grammar/device-commands.ts';
import { fingerprint, isSameValue, mergeWants } from '../grammar/requested-value.ts';
import type { Decision, DecisionState, Intent, Lease, ParameterState, RecentValue } from './conflict-intent.ts';
import { groupOf, relatedTo } from './parameter-groups.ts';

/** Either the parameter is free, after superseding these leases, or these leases block it. */
type Resolution =
  | { reason: VerdictReason; rival?: Lease; supersedes: Lease[]; args?: Record<string, unknown> }
  | { lostTo: Lease[] };

/**
 * `leases` are all that may matter: those of the agent itself and, where the group's scope is `neighbours`, those of the
 * agents within range; others, and leases that have ended, do no harm. In this order:
 * - an app's command to a frozen parameter, or beyond the blast radius, is rejected;
 * - a caller is never in conflict with itself, and the value that others hold already is accepted beside them;
 * - against every other lease the higher rank wins, then the group's policy; an intent that loses against one lease loses;
 * - one that nobody objects to says who holds a related parameter of the agent, or of one at the same place (groups that only
 *   report);
 * - a command that has won comes too soon after one of another caller of the same rank or a higher one, unless Weft itself
 *   sends it.
 * A loser is queued where the group says so and the leases end before it expires.
 */
export function decide(
  intent: Intent,
  leases: readonly Lease[],
  state: DecisionState,
  rules: ConflictRules,
  nowMs: number,
): Decision {
  const group = groupOf(rules, intent.technology, intent.parameter);
  const barred = intent.rank < ranks.operator ? barredBy(intent, state, rules, nowMs) : undefined;
  if (barred) return barred;
  const live = leases.filter(({ until }) => until > nowMs);
  const resolution = resolve(intent, live, group, rules);
  if ('lostTo' in resolution) return lose(intent, resolution.lostTo, group);
  return tooSoon(intent, state, group, nowMs) ?? pass(intent, live, resolution, group, state, rules, nowMs);
}

/** What is to be remembered of the parameter after this decision. */
export function stateAfter(intent: Intent, decision: Decision, state: ParameterState, nowMs: number): ParameterState {
  const { recent, frozen_until } = state;
  if (decision.args === undefined) return { recent, frozen_until };
  const { caller_id, rank, name } = intent;
  const newest = { value: fingerprint({ name, args: decision.args }), caller_id, rank, at: nowMs };
  // What led to a freeze is settled with it: neither its end nor a thaw may lead to the next one at once.
  if (decision.frozen_until !== undefined) return { recent: [newest], frozen_until: decision.frozen_until };
  return { recent: withRecent(recent, newest), frozen_until };
}

function barredBy(intent: Intent, state: DecisionState, rules: ConflictRules, nowMs: number): Decision | undefined {
  const { frozen_until, blast } = state;
  if (frozen_until !== null && frozen_until > nowMs) {
    const detail = `${targetOf(intent)} went back and forth and is frozen until ${toTime(frozen_until)}`;
    return { verdict: 'rejected', reason: 'frozen', detail, supersedes: [], retry_at: frozen_until };
  }
  if (!blast) return undefined;
  const { fraction, minimum, window_s } = rules.blast_radius;
  const allowed = Math.max(minimum, Math.floor(fraction * blast.agents));
  if (blast.commanded <= allowed) return undefined;
  // Not of how many: the app may not see all of them.
  const where = intent.site !== null ? ' at this site' : intent.run === undefined ? '' : ' of this network';
  const within = `within ${window_s} s${blast.model_time === undefined ? '' : ' of model time'}`;
  const detail = `An app may command ${allowed} access points${where} ${within}; this would be one more`;
  return { verdict: 'rejected', reason: 'blast_radius', detail, supersedes: [], retry_at: blast.frees_at };
}

function resolve(intent: Intent, live: readonly Lease[], group: ParameterGroup, rules: ConflictRules): Resolution {
  const related = relatedTo(rules, intent.technology, intent.parameter);
  const relatedNear = relatedTo(rules, intent.technology, intent.parameter, 'neighbours');
  const direct: Lease[] = [];
  const indirect: Lease[] = [];
  const beside: Lease[] = [];
  for (const lease of live) {
    if (lease.caller_id === intent.caller_id) continue;
    if (isOn(lease, intent)) direct.push(lease);
    else if (isInGroup(lease, intent, group)) indirect.push(lease);
    else if ((lease.ap_id === subjectOf(intent) ? related : relatedNear).includes(lease.parameter)) beside.push(lease);
  }
  const others = direct.filter(({ value }) => !wantsTheSame(value, intent));
  if (direct.length > 0 && others.length === 0) return { reason: 'same_value', supersedes: [] };
  const merge = mergeWithEquals(intent, direct, group);
  const rivals = [...(merge ? others.filter(({ rank }) => rank !== intent.rank) : others), ...indirect];
  const lostTo = rivals.filter((rival) => reasonToWin(intent, rival, group) === undefined);
  if (lostTo.length > 0) return { lostTo };
  const rival = strongest(rivals);
  const won = rival && reasonToWin(intent, rival, group)!;
  if (merge) return { reason: 'merged', rival: strongest(merge.partners)!, supersedes: rivals, args: merge.args };
  if (rival && won) return { reason: won, rival, supersedes: rivals };
  if (beside.length > 0) return { reason: 'related', rival: strongest(beside)!, supersedes: [] };
  const hasLease = live.some((lease) => lease.caller_id === intent.caller_id && isOn(lease, intent));
  return { reason: hasLease ? 'own_lease' : 'free', supersedes: [] };
}

function isOn(lease: Lease, intent: Intent): boolean {
  return lease.ap_id === subjectOf(intent) && lease.parameter === intent.parameter;
}

/** On the agent itself the parameter decides; on another agent only the group, since technologies share names. */
function isInGroup(lease: Lease, intent: Intent, group: ParameterGroup): boolean {
  if (lease.ap_id === subjectOf(intent)) return group.parameters.includes(lease.parameter);
  return group.scope === 'neighbours' && lease.parameter_group === group.name;
}

/** Why the intent goes before this lease; undefined if it does not. */
function reasonToWin(intent: Intent, rival: Lease, { policy }: ParameterGroup): VerdictReason | undefined {
  if (intent.rank !== rival.rank) return intent.rank > rival.rank ? 'higher_rank' : undefined;
  if (policy === 'last_wins') return 'last_wins';
  if (policy === 'first_wins') return undefined;
  return intent.priority > rival.priority ? 'higher_priority' : undefined;
}

/** All requests of the intent's rank, merged; undefined if the group does not merge, or they cannot be merged. */
function mergeWithEquals(intent: Intent, direct: readonly Lease[], { policy, merge }: ParameterGroup) {
  const partners = direct.filter(({ rank }) => rank === intent.rank);
  if (policy !== 'merge' || !merge || partners.length === 0) return undefined;
  const args = mergeWants([...partners.map(({ value }) => value), intent], merge, intent.declaration);
  return args && { partners, args };
}

function lose(intent: Intent, lostTo: Lease[], group: ParameterGroup): Decision {
  const direct = lostTo.filter((lease) => isOn(lease, intent));
  const rival = strongest(direct.length > 0 ? direct : lostTo)!;
  const free = lostTo.reduce((latest, { until }) => Math.max(latest, until), 0);
  const holder = `${inWords(rival, intent)} holds ${leasedParameter(rival, intent)} until ${toTime(rival.until)}`;
  if (group.loser === 'queue' && free < intent.expires_at) {
    const detail = `${holder}; the command waits until ${toTime(free)}`;
    return { verdict: 'queued', reason: 'waits_for_lease', detail, rival, supersedes: [], deliver_after: free };
  }
  const reason = direct.length > 0 ? 'held_by_other' : 'held_in_group';
  const detail = direct.length > 0 ? holder : `${holder}, of the same group as ${intent.parameter} (${group.name})`;
  return { verdict: 'rejected', reason, detail, rival, supersedes: [], retry_at: free };
}

function tooSoon(intent: Intent, { recent }: ParameterState, group: ParameterGroup, nowMs: number) {
  const last = recent.at(-1);
  // A caller that may overrule the last sender must not be blocked by its minimum interval.
  if (!last || last.caller_id === intent.caller_id || intent.rank >= ranks.weft || intent.rank > last.rank)
    return undefined;
  // A last command in the future is another node's clock, or one that was set back.
  if (Math.abs(nowMs - last.at) >= group.min_interval_ms) return undefined;
  const retry_at = last.at + group.min_interval_ms;
  const detail = `Two commands to ${targetOf(intent)} are at least ${group.min_interval_ms} ms apart`;
  return { verdict: 'rejected', reason: 'too_soon', detail, supersedes: [], retry_at } satisfies Decision;
}

function pass(
  intent: Intent,
  live: readonly Lease[],
  { reason, rival, supersedes, args = intent.args }: Extract<Resolution, { reason: VerdictReason }>,
  group: ParameterGroup,
  state: DecisionState,
  rules: ConflictRules,
  nowMs: number,
): Decision {
  const isModified = !isSameValue(args, intent.args);
  const verdict = isModified ? 'accepted_modified' : 'accepted';
  const decision: Decision = { verdict, reason, detail: detailOf(reason, intent, rival), supersedes, args };
  if (rival) decision.rival = rival;
  const holdMs = (intent.hold_seconds ?? group.hold_s) * 1000;
  const own = live.find((lease) => lease.caller_id === intent.caller_id && isOn(lease, intent));
  if (own && !intent.is_action) decision.replaces = own;
  if (holdMs > 0) decision.lease = leaseOf(intent, group, nowMs, nowMs + holdMs);
  else if (own) decision.ends = own;
  if (intent.rank >= ranks.operator) {
    if (state.frozen_until !== null && state.frozen_until > nowMs) decision.frozen_until = null;
  } else if (rules.oscillation.freeze_s > 0) {
    const { recent } = stateAfter(intent, decision, state, nowMs);
    const isChange = recent.at(-1)!.value !== state.recent.at(-1)?.value;
    if (isChange && isOscillating(recent, rules.oscillation, nowMs)) {
      decision.frozen_until = nowMs + rules.oscillation.freeze_s * 1000;
    }
  }
  return decision;
}

function leaseOf(intent: Intent, group: ParameterGroup, since: number, until: number): Lease {
  const { parameter, command_id, caller_kind, caller_id, caller_name, rank, priority, name, args } = intent;
  const ap_id = subjectOf(intent);
  const value = { name, args };
  const parameter_group = group.name;
  return {
    ap_id,
    parameter,
    parameter_group,
    command_id,
    caller_kind,
    caller_id,
    caller_name,
    rank,
    priority,
    value,
    since,
    until,
  };
}

/** By rank, priority and age; the last comparison makes the order independent of the order of the leases. */
function strongest(leases: readonly Lease[]): Lease | undefined {
  const isStronger = (a: Lease, b: Lease) => {
    if (a.rank !== b.rank) return a.rank > b.rank;
    if (a.priority !== b.priority) return a.priority > b.priority;
    return a.since !== b.since ? a.since < b.since : a.command_id < b.command_id;
  };
  let best: Lease | undefined;
  for (const lease of leases) if (!best || isStronger(lease, best)) best = lease;
  return best;
}

function detailOf(reason: VerdictReason, intent: Intent, rival: Lease | undefined): string {
  const target = targetOf(intent);
  const loser = rival ? `${inWords(rival, intent)} on ${leasedParameter(rival, intent)}` : '';
  switch (reason) {
    case 'own_lease':
      return `The caller holds ${target} already`;
    case 'same_value':
      return `${target} is held with this value already`;
    case 'merged':
      return `Merged with what ${inWords(rival!, intent)} and perhaps others want of ${target}`;
    case 'related':
      return `Nobody else holds ${target}, but ${inWords(rival!, intent)} holds ${leasedParameter(rival!, intent)}, which moves the same thing`;
    case 'last_wins':
      return `Goes before ${loser}: the last one wins`;
    case 'higher_rank':
      return `Goes before ${loser}, which ranks lower`;
    case 'higher_priority':
      return `Goes before ${loser}, which has a lower priority`;
    default:
      return `Nobody else holds ${target}`;
  }
}

/** By name only on the agent itself: not everybody who may command it may see its neighbours and who commands them. */
function inWords({ ap_id, caller_kind, caller_name }: Lease, intent: Intent): string {
  if (ap_id !== subjectOf(intent)) return 'another caller';
  if (caller_kind === 'weft') return 'Weft';
  return `${caller_kind === 'third_party_app' ? 'app' : caller_kind} ${caller_name}`;
}

function leasedParameter({ ap_id, parameter }: Lease, intent: Intent): string {
  return ap_id === subjectOf(intent) ? `${parameter} of ${subjectInWords(ap_id)}` : 'an access point nearby';
}

/** The parameter and whose it is, in words. */
function targetOf(intent: Intent): string {
  return `${intent.parameter} of ${subjectInWords(subjectOf(intent))}`;
}

// Oscillation: detects a parameter that two callers set back and forth, so that it can be frozen.

/** Enough for the most reversals that rules may ask for. */
export const maxRecentValues = 8;

/**
 * The values with one more; the oldest go. A value that is sent again makes the last entry younger and takes no place:
 * a caller that repeats itself must not push out what went before.
 */
export function withRecent(recent: readonly RecentValue[], next: RecentValue): RecentValue[] {
  const last = recent.at(-1);
  if (last?.value === next.value) return [...recent.slice(0, -1), { ...last, rank: next.rank, at: next.at }];
  return [...recent, next].slice(-maxRecentValues);
}

/**
 * Whether the newest value is a reversal, one that restores the value before last, and there are enough of them within
 * the window. One caller alone does not oscillate: it may have its reasons.
 */
export function isOscillating(
  recent: readonly RecentValue[],
  { reversals, window_s }: ConflictRules['oscillation'],
  nowMs: number,
): boolean {
  const fresh = recent.filter(({ at }) => at > nowMs - window_s * 1000);
  const found = fresh.filter(({ value }, index) => index >= 2 && value === fresh[index - 2]!.value);
  if (found.length < reversals || found.at(-1) !== fresh.at(-1)) return false;
  return new Set(fresh.map(({ caller_id }) => caller_id)).size >= 2;
}
