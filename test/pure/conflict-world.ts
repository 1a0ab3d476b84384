// A small world for decisions: leases, parameters and agents in memory, and a log of what was decided. It does with a
// decision what the ledger of commands does with it.
import type { ConflictRules } from '@weft/contract';
import { BlastRadius } from '../../controller/src/core/commands/arbitration/blast-radius.ts';
import type {
  Decision,
  Intent,
  Lease,
  ParameterState,
} from '../../controller/src/core/commands/arbitration/conflict-intent.ts';
import { decide, stateAfter } from '../../controller/src/core/commands/arbitration/conflict-resolution.ts';
import {
  type DecisionRecord,
  toDecisionRecord,
} from '../../controller/src/core/commands/arbitration/decision-record.ts';
import { LeaseTable } from '../../controller/src/core/commands/arbitration/lease-table.ts';
import {
  defaultConflictRules,
  groupOf,
  interferenceRange,
  relatedTo,
} from '../../controller/src/core/commands/arbitration/parameter-groups.ts';

export const startMs = Date.UTC(2026, 0, 1);

/** Rules like those that ship, but for what a test is about. */
export function rulesWith(group: Partial<ConflictRules['groups'][number]>, rest: Partial<ConflictRules> = {}) {
  const groups = defaultConflictRules.groups.map((each) => ({ ...each, min_interval_ms: 0, ...group }));
  return { ...defaultConflictRules, groups, ...rest };
}

let commands = 0;

/** An app's wish for the power of a WiFi access point, but for what is said otherwise. */
export function intentOf(given: Partial<Intent> = {}): Intent {
  const caller_id = given.caller_id ?? 'a';
  return {
    command_id: `c${++commands}`,
    ap_id: 'ap-1',
    technology: 'WiFi',
    site: null,
    name: 'set_tx_power',
    args: { dbm: 10 },
    parameter: 'tx_power',
    caller_kind: 'third_party_app',
    caller_id,
    caller_name: `app-${caller_id}`,
    rank: 1,
    priority: 50,
    hold_seconds: null,
    expires_at: startMs + 600_000,
    declaration: null,
    ...given,
  };
}

export class ConflictWorld {
  readonly leases = new LeaseTable();
  readonly records: DecisionRecord[] = [];
  readonly #rules: ConflictRules;
  readonly #states = new Map<string, ParameterState>();
  readonly #blast = new BlastRadius();
  readonly #neighboursOf: (ap_id: string, metres: number) => string[];
  readonly #siteSize: number;

  constructor(rules: ConflictRules, { neighboursOf = (_: string, __: number): string[] => [], siteSize = 100 } = {}) {
    this.#rules = rules;
    this.#neighboursOf = neighboursOf;
    this.#siteSize = siteSize;
  }

  send(intent: Intent, at: number): Decision {
    const rules = this.#rules;
    const group = groupOf(rules, intent.technology, intent.parameter);
    const range = group.scope === 'neighbours' ? interferenceRange(rules, intent.technology) : 0;
    const near = range > 0 ? this.#neighboursOf(intent.ap_id, range) : [];
    const related = relatedTo(rules, intent.technology, intent.parameter, 'neighbours');
    const widest = Math.max(...Object.values(rules.interference_range_m));
    const beside = this.#neighboursOf(intent.ap_id, widest).flatMap((ap_id) => this.leases.of(ap_id));
    const leases = [
      ...new Set([
        ...this.leases.around(intent.ap_id, near, group.name),
        ...beside.filter(({ parameter }) => related.includes(parameter)),
      ]),
    ];
    const key = `${intent.ap_id} ${intent.parameter}`;
    const { caller_id, site, ap_id } = intent;
    const blast =
      intent.rank < 2
        ? this.#blast.look(caller_id, { site }, ap_id, this.#siteSize, rules.blast_radius.window_s * 1000, at)
        : null;
    const state = { ...(this.#states.get(key) ?? { recent: [], frozen_until: null }), blast };
    const decision = decide(intent, leases, state, rules, at);
    this.records.push(structuredClone(toDecisionRecord(intent, leases, state, rules, at, decision)));
    for (const lease of decision.supersedes) this.leases.remove(lease);
    if (decision.ends) this.leases.remove(decision.ends);
    if (decision.lease) this.leases.set(decision.lease);
    this.#states.set(key, stateAfter(intent, decision, state, at));
    if (decision.args && intent.rank < 2) this.#blast.count(caller_id, { site }, ap_id, at);
    return decision;
  }

  /** Live leases on one parameter of one agent. */
  holders(ap_id: string, parameter: string, at: number): Lease[] {
    return this.leases.of(ap_id).filter((lease) => lease.parameter === parameter && lease.until > at);
  }
}
