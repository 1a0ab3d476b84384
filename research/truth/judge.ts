// How good a rule is: which faults it found and how soon, and which of its alarms had a cause.
import type { AlarmRuleInput } from '@weft/contract/operations';
import { type Cause, type PlannedFault, randomOf } from './fault-plan.ts';
import { type RecordedWorld, reportIntervalSeconds } from './record-world.ts';
import { metricAlarms, type Rung, replayRule } from './replay-rule.ts';

export interface Expectation {
  /** The key of the rule in product-rules.ts. */
  rule: string;
  /** What it is there to find; undefined if the emulator has no such fault: then every alarm is a false one. */
  cause: Cause | undefined;
  /** Whether a fault matters to users, by its size and length; smaller ones may go unseen. */
  matters?: (fault: PlannedFault) => boolean;
  /** The line in words. */
  line?: string;
  /** Other faults of which the same is true. */
  also?: readonly Cause[];
  /** Of a jammer everybody around hears. */
  isHeardAround?: boolean;
}

export interface Verdict {
  mattering: number;
  found: number;
  small: number;
  smallFound: number;
  alarms: number;
  caused: number;
  delaysS: number[];
}

/** Means still have the fault in them for a while after it. */
const afterwardsMs = 120_000;

export function judge(rule: AlarmRuleInput, expectation: Expectation, worlds: readonly RecordedWorld[]): Verdict {
  const verdict: Verdict = { mattering: 0, found: 0, small: 0, smallFound: 0, alarms: 0, caused: 0, delaysS: [] };
  for (const world of worlds) {
    const rung = replayRule(rule, world);
    const faults = world.faults.filter(({ cause }) => cause === expectation.cause);
    verdict.alarms += rung.length;
    const causes = world.faults.filter(({ cause }) => cause === expectation.cause || expectation.also?.includes(cause));
    verdict.caused += rung.filter((alarm) => causes.some((fault) => isCause(fault, alarm, world, expectation))).length;
    for (const fault of faults) {
      const [startMs, endMs] = timesOf(fault, world);
      const own = rung.filter(({ ap_id }) => ap_id === fault.ap_id);
      const first = own.find(({ firedMs }) => firedMs >= startMs && firedMs <= endMs + afterwardsMs);
      const isFound = first !== undefined || own.some((alarm) => alarm.firedMs < startMs && alarm.clearedMs > endMs);
      const doesMatter = expectation.matters?.(fault) ?? true;
      if (doesMatter) verdict.mattering++;
      else verdict.small++;
      if (isFound) doesMatter ? verdict.found++ : verdict.smallFound++;
      if (first && doesMatter) verdict.delaysS.push((first.firedMs - startMs) / 1000);
    }
  }
  verdict.delaysS.sort((a, b) => a - b);
  return verdict;
}

function isCause(fault: PlannedFault, alarm: Rung, world: RecordedWorld, { isHeardAround }: Expectation): boolean {
  const [startMs, endMs] = timesOf(fault, world);
  const isThere = isHeardAround || fault.ap_id === alarm.ap_id;
  return isThere && alarm.firedMs >= startMs && alarm.firedMs <= endMs + afterwardsMs;
}

function timesOf({ startS, seconds }: PlannedFault, { startMs }: RecordedWorld): [number, number] {
  return [startMs + startS * 1000, startMs + (startS + seconds) * 1000];
}

/** By when a fault should be told: two intervals, the time of the rule, and that of its mean. */
export function delayBoundS({ condition, for_seconds = 0 }: AlarmRuleInput): number {
  const presenceS = condition.state === 'offline' ? Math.max(5 * reportIntervalSeconds, 30) : 0;
  return 2 * reportIntervalSeconds + for_seconds + (condition.over_seconds ?? 0) + presenceS;
}

/** Transitions with all samples in time, and with a third of them up to a minute late; and how often one came back within a minute. */
export function flapsWithLateSamples(rule: AlarmRuleInput, worlds: readonly RecordedWorld[]) {
  const sums = { inTime: 0, late: 0, flaps: 0 };
  for (const world of worlds) {
    const random = randomOf(world.seed + 1);
    for (const [ap_id, arrivals] of world.arrivals) {
      if (!(rule.selector ?? '').includes(world.types.get(ap_id)!)) continue;
      const delayed = arrivals
        .map((each) => ({ ...each, arrivedMs: each.arrivedMs + (random() < 0.33 ? Math.round(random() * 60_000) : 0) }))
        .sort((a, b) => a.arrivedMs - b.arrivedMs);
      const late = metricAlarms(rule, ap_id, delayed);
      sums.inTime += metricAlarms(rule, ap_id, arrivals).length;
      sums.late += late.length;
      sums.flaps += late.filter(
        (alarm, index) => index > 0 && alarm.firedMs - late[index - 1]!.clearedMs < 60_000,
      ).length;
    }
  }
  return sums;
}
