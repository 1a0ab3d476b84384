// Replay: makes recorded decisions again under other rules, and says what would have differed. The leases are simulated:
// what the other rules would have granted or refused early on counts in what comes later.
import type { ConflictRules, VerdictReason, VerdictWord } from '@weft/contract';
import { BlastRadius } from '../arbitration/blast-radius.ts';
import type { BlastCount, Decision, Intent, ParameterState } from '../arbitration/conflict-intent.ts';
import { decide, stateAfter } from '../arbitration/conflict-resolution.ts';
import { type DecisionOutcome, type DecisionRecord, isPass, toOutcome } from '../arbitration/decision-record.ts';
import { groupOf } from '../arbitration/parameter-groups.ts';
import { ranks } from '../grammar/command-permissions.ts';
import { subjectOf } from '../grammar/device-commands.ts';
import { isSameValue } from '../grammar/requested-value.ts';
import { ReplayLeases } from './replay-leases.ts';

const maxDifferences = 1000;

export interface ReplayOptions {
  /** Neighbours, for what the records do not contain: by the current places. */
  neighboursOf?: (ap_id: string, metres: number) => Iterable<string>;
}

export interface ReplayDifference {
  command_id: string;
  ap_id: string;
  parameter: string;
  caller_kind: string;
  caller_name: string;
  at: number;
  before: DecisionOutcome;
  after: DecisionOutcome;
  /** The result of a command that would have been queued, once the lease had ended. */
  later?: DecisionOutcome;
}

export interface ReplayReport {
  decisions: number;
  differing: number;
  /** The first of them. */
  differences: ReplayDifference[];
  before: Partial<Record<VerdictWord, number>>;
  after: Partial<Record<VerdictWord, number>>;
  reasons_before: Partial<Record<VerdictReason, number>>;
  reasons_after: Partial<Record<VerdictReason, number>>;
}

/** The records in the order of the log; deterministic, and under the rules of the records nothing differs. */
export function replay(
  records: Iterable<DecisionRecord>,
  rules: ConflictRules,
  options: ReplayOptions = {},
): ReplayReport {
  const run = new ConflictReplay(rules, options);
  for (const record of records) run.add(record);
  return run.report();
}

/** One record at a time, for logs that do not fit into memory. */
export class ConflictReplay {
  readonly #rules: ConflictRules;
  readonly #leases: ReplayLeases;
  readonly #blast: ReplayBlast;
  /** Of parameters whose history is no longer that of the records. */
  readonly #states = new Map<string, ParameterState>();
  /** Queued in the replay and not in the record, or for another time: only the replay decides these again. */
  readonly #waiting = new Set<{ record: DecisionRecord; at: number; difference: ReplayDifference }>();
  #nextWaitingAt = Number.POSITIVE_INFINITY;
  /** Decided otherwise than recorded: a second decision in the record is no longer about anything. */
  readonly #settled = new Set<string>();
  readonly #report: ReplayReport = {
    decisions: 0,
    differing: 0,
    differences: [],
    before: {},
    after: {},
    reasons_before: {},
    reasons_after: {},
  };

  constructor(rules: ConflictRules, { neighboursOf }: ReplayOptions = {}) {
    this.#rules = rules;
    this.#leases = new ReplayLeases(rules, neighboursOf);
    this.#blast = new ReplayBlast(rules.blast_radius.window_s);
  }

  add(record: DecisionRecord): void {
    const { intent, outcome, at } = record;
    this.#runWaiting(at);
    const { command_id } = intent;
    if (this.#settled.has(command_id)) return;
    this.#leases.follow(record);
    const decision = this.#decide(record, at);
    const after = toOutcome(decision);
    this.#count(outcome, after);
    const isWaitingAlike = after.deliver_after === outcome.deliver_after;
    if (!isWaitingAlike) this.#settled.add(command_id);
    if (isSameOutcome(outcome, after)) return;
    this.#report.differing += 1;
    const { ap_id, parameter, caller_kind, caller_name } = intent;
    const difference = { command_id, ap_id, parameter, caller_kind, caller_name, at, before: outcome, after };
    if (this.#report.differences.length < maxDifferences) this.#report.differences.push(difference);
    if (after.deliver_after !== undefined && !isWaitingAlike) {
      this.#waiting.add({ record, at: after.deliver_after, difference });
      this.#nextWaitingAt = Math.min(this.#nextWaitingAt, after.deliver_after);
    }
  }

  /** What has been found so far; commands that still wait are decided as if nothing else came. */
  report(): ReplayReport {
    this.#runWaiting(Number.POSITIVE_INFINITY);
    return this.#report;
  }

  #runWaiting(untilMs: number): void {
    while (this.#waiting.size > 0 && this.#nextWaitingAt <= untilMs) {
      for (const waiting of this.#waiting) {
        if (waiting.at !== this.#nextWaitingAt) continue;
        const later = toOutcome(this.#decide(waiting.record, waiting.at, true));
        waiting.difference.later = later;
        if (later.deliver_after === undefined) this.#waiting.delete(waiting);
        else waiting.at = later.deliver_after;
      }
      this.#nextWaitingAt = Number.POSITIVE_INFINITY;
      for (const { at } of this.#waiting) this.#nextWaitingAt = Math.min(this.#nextWaitingAt, at);
    }
  }

  #decide(record: DecisionRecord, at: number, isLater = false): Decision {
    const { intent, outcome } = record;
    const group = groupOf(this.#rules, intent.technology, intent.parameter);
    const key = `${subjectOf(intent)} ${intent.parameter}`;
    const known = this.#states.get(key);
    const { recent, frozen_until } = known ?? record.state;
    const blast: BlastCount | null = this.#blast.look(record, at, isLater);
    const state = { recent, frozen_until, blast };
    const leases = [...this.#leases.around(record, at, isLater), ...(record.beside ?? [])];
    const decision = decide(intent, leases, state, this.#rules, at);
    const hasPassed = decision.args !== undefined;
    const isAlike = !isLater && isSameEffect(record, decision);
    if (known || !isAlike) this.#states.set(key, stateAfter(intent, decision, state, at));
    this.#leases.apply(record, decision, group, isLater);
    if (intent.rank < ranks.operator && hasPassed) this.#blast.count(intent, record.state.blast?.model_time ?? at);
    if (isLater ? hasPassed : hasPassed !== isPass(outcome)) this.#blast.diverge(intent);
    return decision;
  }

  #count(before: DecisionOutcome, after: DecisionOutcome): void {
    this.#report.decisions += 1;
    add(this.#report.before, before.verdict);
    add(this.#report.after, after.verdict);
    add(this.#report.reasons_before, before.reason);
    add(this.#report.reasons_after, after.reason);
  }
}

function isSameOutcome(a: DecisionOutcome, b: DecisionOutcome): boolean {
  return a.verdict === b.verdict && a.reason === b.reason && isSameValue(a.args, b.args);
}

/** Whether the parameter has the same history after both decisions. */
function isSameEffect({ intent, outcome }: DecisionRecord, decision: Decision): boolean {
  if (!isPass(outcome) && decision.args === undefined) return true;
  return (
    isPass(outcome) &&
    isSameValue(outcome.args ?? intent.args, decision.args) &&
    outcome.frozen_until === decision.frozen_until
  );
}

function add<Word extends string>(counts: Partial<Record<Word, number>>, word: Word): void {
  counts[word] = (counts[word] ?? 0) + 1;
}

/**
 * The blast radius in a replay: as recorded for as long as the replay has sent what the record has, and counted again from
 * where they part.
 */
export class ReplayBlast {
  readonly #windowS: number;
  readonly #counted = new BlastRadius(Number.POSITIVE_INFINITY);
  readonly #diverged = new Set<string>();

  constructor(windowS: number) {
    this.#windowS = windowS;
  }

  look({ intent, state, blast_window_s }: DecisionRecord, atMs: number, isLater: boolean): BlastCount | null {
    if (!state.blast) return null;
    const isAsRecorded = !isLater && blast_window_s === this.#windowS && !this.#diverged.has(keyOf(intent));
    if (isAsRecorded) return state.blast;
    const { caller_id, ap_id } = intent;
    const { agents, model_time = atMs } = state.blast;
    return this.#counted.look(caller_id, intent, ap_id, agents, this.#windowS * 1000, model_time);
  }

  count(intent: Intent, atMs: number): void {
    this.#counted.count(intent.caller_id, intent, intent.ap_id, atMs);
  }

  /** From now on what is recorded of this app on this site is no longer what happened in the replay. */
  diverge(intent: Intent): void {
    this.#diverged.add(keyOf(intent));
  }
}

function keyOf({ caller_id, site, run }: Intent): string {
  return JSON.stringify([caller_id, site, run]);
}
