// The rules on the metrics of one agent. Runs for every sample of every agent: what a report of the same shape needs is worked
// out once, and then nothing is allocated and no name is compared.
import type { Sample } from '../../../core/telemetry/store/telemetry-store.ts';
import type { AlarmTracker } from './alarm-tracker.ts';
import { activeMetric } from './metric-condition.ts';

/** A rule on this agent. */
export interface WatchedRule {
  rule_id: string;
  tracker: AlarmTracker;
  /** It is waiting for a look into the store. */
  isQueued: boolean;
}

export class AgentWatch {
  readonly ap_id: string;
  readonly rules: readonly WatchedRule[];
  /** The names of the last sample, and for each rule where its metrics stand there; -1 where they do not. */
  #names: readonly string[] = [];
  #places: Int32Array;
  #activeAt = -1;
  /** Whether any rule of this agent looks at this shape at all. */
  #isOfInterest = false;

  constructor(ap_id: string, rules: readonly WatchedRule[]) {
    this.ap_id = ap_id;
    this.rules = rules;
    this.#places = new Int32Array(rules.length * 2).fill(-1);
  }

  /** Calls `onDue` for each rule whose state may have to change. */
  recorded(samples: readonly Sample[], onDue: (watch: AgentWatch, rule: WatchedRule) => void): void {
    for (let at = 0; at < samples.length; at++) {
      const { ts, names, values } = samples[at]!;
      if (names !== this.#names && !isSame(names, this.#names)) this.#learn(names);
      this.#names = names;
      if (this.#isOfInterest) this.#take(ts, values, onDue);
    }
  }

  #take(ts: number, values: readonly number[], onDue: (watch: AgentWatch, rule: WatchedRule) => void): void {
    const { rules } = this;
    const places = this.#places;
    const isAsleep = this.#activeAt >= 0 && values[this.#activeAt] === 0;
    for (let index = 0; index < rules.length; index++) {
      const place = places[index * 2]!;
      const rule = rules[index]!;
      const { tracker } = rule;
      if (place < 0) {
        if (!isAsleep || !tracker.condition.ignoresSleep) continue;
        if (tracker.add(ts, Number.NaN, Number.NaN, true)) onDue(this, rule);
        continue;
      }
      const other = places[index * 2 + 1]!;
      const second = other >= 0 ? values[other]! : 0;
      if (tracker.add(ts, values[place]!, second, isAsleep)) onDue(this, rule);
    }
  }

  #learn(names: readonly string[]): void {
    this.#activeAt = names.indexOf(activeMetric);
    this.#isOfInterest = false;
    for (const [index, { tracker }] of this.rules.entries()) {
      const { metric, other } = tracker.condition;
      const second = other === undefined ? -1 : names.indexOf(other);
      const isWhole = other === undefined || second >= 0;
      this.#places[index * 2] = isWhole ? names.indexOf(metric) : -1;
      this.#places[index * 2 + 1] = second;
      this.#isOfInterest ||= this.#places[index * 2]! >= 0 || this.#activeAt >= 0;
    }
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}
