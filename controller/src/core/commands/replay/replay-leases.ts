// The leases of a replay. Where the replay and the record agree, the record says what is there, also of what happened
// between decisions; what only the replay has granted, or not taken away, is kept beside it.
import type { ConflictRules, ParameterGroup, Technology } from '@weft/contract';
import type { Decision, Intent, Lease } from '../arbitration/conflict-intent.ts';
import {
  type DecisionOutcome,
  type DecisionRecord,
  isPass,
  maxRecordedLeases,
} from '../arbitration/decision-record.ts';
import { LeaseTable } from '../arbitration/lease-table.ts';
import { groupOf, interferenceRange } from '../arbitration/parameter-groups.ts';
import { subjectOf } from '../grammar/device-commands.ts';
import { isSameValue } from '../grammar/requested-value.ts';

type NeighboursOf = (ap_id: string, metres: number) => Iterable<string>;

const tidyEvery = 1000;

export class ReplayLeases {
  readonly #rules: ConflictRules;
  readonly #neighboursOf: NeighboursOf | undefined;
  readonly #table = new LeaseTable();
  /** Commands whose leases are known: those that are not in the table have ended. */
  readonly #seen = new Set<string>();
  /** Commands whose leases are not, or no longer, those of the record. */
  readonly #diverged = new Set<string>();
  readonly #technologies = new Map<string, Technology | null>();
  /** Agents that a record has shown within that many metres of each other. */
  readonly #shown = new Map<string, Map<string, number>>();
  #followed = 0;

  constructor(rules: ConflictRules, neighboursOf: NeighboursOf | undefined) {
    this.#rules = rules;
    this.#neighboursOf = neighboursOf;
  }

  /** Takes over what the record saw and the replay does not know of, and drops what had gone in between. */
  follow({ intent, group, leases, at }: DecisionRecord): void {
    const ap_id = subjectOf(intent);
    if (++this.#followed % tidyEvery === 0) this.#table.removeEnded(at);
    this.#technologies.set(ap_id, intent.technology);
    for (const lease of leases) {
      if (lease.ap_id !== ap_id) this.#show(ap_id, lease.ap_id, group.range_m);
      if (this.#seen.has(lease.command_id)) continue;
      this.#seen.add(lease.command_id);
      this.#table.set(this.#relabelled(lease));
    }
    if (leases.length >= maxRecordedLeases) return;
    for (const lease of this.#table.of(ap_id)) {
      const isShared = !this.#diverged.has(lease.command_id) && group.parameters.includes(lease.parameter);
      if (isShared && !leases.some(({ command_id }) => command_id === lease.command_id)) this.#table.remove(lease);
    }
  }

  /** Those that a decision about this intent must see. */
  around({ intent, group: recorded, leases }: DecisionRecord, atMs: number, isLater: boolean): Lease[] {
    const group = groupOf(this.#rules, intent.technology, intent.parameter);
    const range = group.scope === 'neighbours' ? interferenceRange(this.#rules, intent.technology) : 0;
    const subject = subjectOf(intent);
    if (range === 0) return this.#table.of(subject);
    const near = this.#table.around(subject, this.#near(subject, range), group.name);
    const isSameGroup =
      recorded.name === group.name && recorded.range_m === range && isSameValue(recorded.parameters, group.parameters);
    if (isLater || !isSameGroup || leases.length >= maxRecordedLeases) return near;
    // Places may have changed since: what both have is near if the record says so.
    const told = new Set(leases.map(({ command_id }) => command_id));
    return near.filter(
      ({ ap_id, command_id, until }) =>
        until > atMs && (ap_id === subject || told.has(command_id) || this.#diverged.has(command_id)),
    );
  }

  apply({ intent, outcome }: DecisionRecord, decision: Decision, group: ParameterGroup, isLater: boolean): void {
    const { lease, supersedes, ends } = decision;
    for (const each of supersedes) this.#table.remove(each);
    if (ends) this.#table.remove(ends);
    this.#seen.add(intent.command_id);
    if (!isLater) this.#keepWhatTheRecordEnded(intent, outcome, decision);
    if (!lease) return;
    this.#table.set({ ...lease, parameter_group: group.name });
    if (isLater || outcome.lease_until !== lease.until) this.#diverged.add(intent.command_id);
  }

  /** What is still there in the replay has outlived the record from here on. */
  #keepWhatTheRecordEnded(intent: Intent, outcome: DecisionOutcome, decision: Decision): void {
    for (const command_id of outcome.superseded) this.#diverged.add(command_id);
    if (!isPass(outcome) || decision.args !== undefined) return;
    for (const { caller_id, parameter, command_id } of this.#table.of(subjectOf(intent))) {
      if (caller_id === intent.caller_id && parameter === intent.parameter) this.#diverged.add(command_id);
    }
  }

  #near(ap_id: string, range: number): Set<string> {
    const near = new Set(this.#neighboursOf?.(ap_id, range));
    for (const [other, metres] of this.#shown.get(ap_id) ?? []) if (metres <= range) near.add(other);
    return near;
  }

  #show(a: string, b: string, metres: number): void {
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      const shown = this.#shown.get(from) ?? new Map<string, number>();
      shown.set(to, Math.min(metres, shown.get(to) ?? metres));
      this.#shown.set(from, shown);
    }
  }

  /** Under the group that the replay's rules put its parameter into. */
  #relabelled(lease: Lease): Lease {
    const technology = this.#technologies.get(lease.ap_id);
    const isGroupKept = this.#rules.groups.some(
      ({ name, parameters }) => name === lease.parameter_group && parameters.includes(lease.parameter),
    );
    if (technology === undefined && isGroupKept) return lease;
    return { ...lease, parameter_group: groupOf(this.#rules, technology ?? null, lease.parameter).name };
  }
}
