// The laws of alarms on metrics, on random samples and rules.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { AlarmTracker, type Transition } from './alarm-tracker.ts';
import { type AlarmCriteria, isBeyond, MetricCondition } from './metric-condition.ts';
import { replay } from './replay.ts';

const gapMs = 60_000;
const startMs = 1_790_000_000_000;

interface Point {
  ts: number;
  value: number;
  isAsleep: boolean;
}

const rule = (more: Partial<AlarmCriteria> = {}): AlarmCriteria => ({
  condition: { metric: 'latency_ms', op: '>', value: 100 },
  for_seconds: 10,
  clear: { value: 80, for_seconds: 10 },
  when_asleep: 'ignore',
  ...more,
});

const conditions = fc.oneof(
  fc.constant({ metric: 'm', op: '>' as const, value: 5 }),
  fc.constant({ metric: 'm', op: '<=' as const, value: 5 }),
  fc.constant({ metric: 'm', op: '>' as const, value: 5, over_seconds: 24 }),
  fc.constant({ metric: 'm', change: '>' as const, value: 4, within_seconds: 15 }),
  fc.constant({ metric: 'm', change: '<>' as const, value: 4, within_seconds: 15 }),
);
const rules = fc
  .record({
    condition: conditions,
    for_seconds: fc.integer({ min: 0, max: 30 }),
    clearFor: fc.integer({ min: 0, max: 30 }),
    width: fc.integer({ min: 0, max: 2 }),
  })
  .map(({ condition, for_seconds, clearFor, width }) => {
    const isBelow = 'op' in condition && condition.op === '<=';
    const value = isBelow ? condition.value + width : condition.value - width;
    return rule({ condition, for_seconds, clear: { value, for_seconds: clearFor } });
  });
const points = fc
  .array(
    fc.record({
      gap: fc.oneof(
        { weight: 12, arbitrary: fc.integer({ min: 1, max: 20 }) },
        { weight: 1, arbitrary: fc.integer({ min: 61, max: 200 }) },
      ),
      value: fc.constantFrom(2, 5, 6, 9, 9, 9, 9),
      isAsleep: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    }),
    { maxLength: 120 },
  )
  .map((list) => {
    let ts = startMs;
    return list.map(({ gap, value, isAsleep }): Point => {
      ts += gap * 1000;
      return { ts, value, isAsleep };
    });
  });

/** The stored samples in order, as the store would give them. */
function frameOf(stored: Iterable<Point>, fromMs: number, toMs: number) {
  const rows = [...stored].filter(({ ts }) => ts >= fromMs && ts <= toMs).sort((a, b) => a.ts - b.ts);
  return {
    ts: Float64Array.from(rows, ({ ts }) => ts),
    columns: new Map([
      ['m', Float64Array.from(rows, ({ value }) => value)],
      ['active', Float64Array.from(rows, ({ isAsleep }) => (isAsleep ? 0 : 1))],
    ]),
  };
}

/** As the service does it: what may be due is verified against the stored samples. */
function run(
  condition: MetricCondition,
  arriving: readonly Point[],
  restartsAt: ReadonlySet<number> = new Set(),
): Transition[] {
  const transitions: Transition[] = [];
  const stored = new Map<number, Point>();
  let tracker = new AlarmTracker(condition, gapMs);
  for (const [index, point] of arriving.entries()) {
    if (restartsAt.has(index)) {
      const { isFiring, newestMs } = tracker;
      tracker = new AlarmTracker(condition, gapMs);
      tracker.isFiring = isFiring;
      // What is older than the newest stored sample is late for whoever starts anew, too.
      tracker.newestMs = newestMs;
    }
    stored.set(point.ts, point);
    if (!tracker.add(point.ts, point.value, 0, point.isAsleep)) continue;
    const replayed = tracker.beginning();
    replay(replayed, frameOf(stored.values(), tracker.replayFromMs, tracker.newestMs));
    tracker.adopt(replayed);
    const { due } = tracker;
    if (!due) continue;
    transitions.push(due);
    tracker.turn(due.to === 'firing', due.atMs);
  }
  return transitions;
}

/** Puts some of the samples later, by up to `most` places. */
function delayed(list: readonly Point[], delays: readonly number[]): Point[] {
  return list
    .map((point, index) => ({ point, at: index + (delays[index % Math.max(1, delays.length)] ?? 0) }))
    .sort((a, b) => a.at - b.at)
    .map(({ point }) => point);
}

describe('a rule on a metric', () => {
  const seconds = (values: number[]) =>
    values.map((value, at): Point => ({ ts: startMs + at * 1000, value, isAsleep: false }));

  it('fires once the limit has been broken for its time, and clears once the other limit has been kept for its time', () => {
    const values = [...Array(5).fill(50), ...Array(20).fill(150), ...Array(20).fill(90), ...Array(20).fill(70)];
    const condition = new MetricCondition(rule({ condition: { metric: 'm', op: '>', value: 100 } }));
    expect(run(condition, seconds(values))).toEqual([
      { to: 'firing', sinceMs: startMs + 5_000, atMs: startMs + 15_000, value: 150 },
      { to: 'cleared', sinceMs: startMs + 45_000, atMs: startMs + 55_000, value: 70 },
    ]);
  });

  it('does not count a time in which nothing was measured', () => {
    const condition = new MetricCondition(rule({ condition: { metric: 'm', op: '>', value: 100 } }));
    const far = { ts: startMs + 3_600_000, value: 150, isAsleep: false };
    expect(run(condition, [...seconds([150]), far])).toEqual([]);
  });

  it('is no fault while the access point sleeps, and clears when it falls asleep', () => {
    const condition = new MetricCondition(rule({ condition: { metric: 'm', op: '>', value: 100 } }));
    const asleep = seconds(Array(40).fill(150)).map((point) => ({ ...point, isAsleep: true }));
    expect(run(condition, asleep)).toEqual([]);
    const falling = seconds(Array(40).fill(150)).map((point, at) => ({ ...point, isAsleep: at >= 20 }));
    expect(run(condition, falling).map(({ to }) => to)).toEqual(['firing', 'cleared']);
    const evaluated = new MetricCondition(
      rule({ condition: { metric: 'm', op: '>', value: 100 }, when_asleep: 'evaluate' }),
    );
    expect(run(evaluated, asleep).map(({ to }) => to)).toEqual(['firing']);
  });

  it('compares two metrics of a sample', () => {
    const condition = new MetricCondition(
      rule({
        condition: { metric: 'served', op: '<', other_metric: 'connected', times: 0.8 },
        for_seconds: 0,
        clear: undefined,
      }),
    );
    const tracker = new AlarmTracker(condition, gapMs);
    tracker.isCertain = true;
    expect(tracker.add(startMs, 9, 10, false)).toBe(false);
    expect(tracker.add(startMs + 1, 7, 10, false)).toBe(true);
  });
});

describe('laws', () => {
  it('no transition without the condition, or its end, holding at every sample for its time', () => {
    fc.assert(
      fc.property(rules, points, (each, list) => {
        const condition = new MetricCondition(each);
        for (const { to, sinceMs, atMs } of run(condition, list)) {
          const neededMs = to === 'firing' ? condition.forMs : condition.clearForMs;
          expect(atMs - sinceMs).toBeGreaterThanOrEqual(neededMs);
          const quantity = condition.createQuantity();
          for (const { ts, value, isAsleep } of list) {
            if (ts > atMs) break;
            const x = isAsleep ? Number.NaN : quantity.add(ts, value, 0);
            if (ts < sinceMs) continue;
            if (to === 'firing') expect(!isAsleep && condition.fires(x)).toBe(true);
            else expect(isAsleep || condition.clears(x)).toBe(true);
          }
        }
      }),
    );
  });

  it('firing and clearing take turns, in the order of time', () => {
    fc.assert(
      fc.property(rules, points, (each, list) => {
        const transitions = run(new MetricCondition(each), list);
        for (const [index, { to, atMs }] of transitions.entries()) {
          expect(to).toBe(index % 2 === 0 ? 'firing' : 'cleared');
          if (index > 0) expect(atMs).toBeGreaterThan(transitions[index - 1]!.atMs);
        }
      }),
    );
  });

  it('nothing happens while a value stays between the limits', () => {
    const between = fc.array(fc.integer({ min: 81, max: 100 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(between, fc.integer({ min: 0, max: 10 }), fc.boolean(), (values, for_seconds, wasFiring) => {
        const condition = new MetricCondition(rule({ for_seconds, clear: { value: 80, for_seconds } }));
        const tracker = new AlarmTracker(condition, gapMs);
        tracker.isFiring = wasFiring;
        tracker.isCertain = true;
        for (const [at, value] of values.entries())
          expect(tracker.add(startMs + at * 1000, value, 0, false)).toBe(false);
      }),
    );
  });

  it('a late sample alone leads to nothing, and it does not matter in which order late samples come', () => {
    const orders = fc.array(fc.integer({ min: 0, max: 8 }), { maxLength: 20 });
    fc.assert(
      fc.property(rules, points, orders, fc.integer(), (each, list, delays, turn) => {
        const arriving = delayed(list, delays);
        // The same arrival, but the late samples between two newer ones in another order.
        let newest = Number.NEGATIVE_INFINITY;
        const groups: { first: Point; late: Point[] }[] = [];
        for (const point of arriving) {
          if (point.ts > newest) {
            newest = point.ts;
            groups.push({ first: point, late: [] });
          } else groups.at(-1)!.late.push(point);
        }
        const turned = groups.flatMap(({ first, late }) => {
          const by = late.length === 0 ? 0 : Math.abs(turn) % late.length;
          return [first, ...late.slice(by), ...late.slice(0, by)];
        });
        const condition = new MetricCondition(each);
        const transitions = run(condition, arriving);
        expect(run(condition, turned)).toEqual(transitions);
        const firsts = new Set(groups.map(({ first }) => first.ts));
        for (const { atMs } of transitions) expect(firsts.has(atMs)).toBe(true);
      }),
    );
  });

  it('a restart at any moments gives the same alarms as none', () => {
    const delayLists = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 10 });
    fc.assert(
      fc.property(rules, points, delayLists, fc.array(fc.nat(119), { maxLength: 5 }), (each, list, delays, cuts) => {
        const arriving = delayed(list, delays);
        const condition = new MetricCondition(each);
        expect(run(condition, arriving, new Set(cuts))).toEqual(run(condition, arriving));
      }),
      { numRuns: rounds(2000) },
    );
  });

  it('samples that come twice change nothing', () => {
    fc.assert(
      fc.property(rules, points, (each, list) => {
        const condition = new MetricCondition(each);
        expect(
          run(
            condition,
            list.flatMap((point) => [point, point]),
          ),
        ).toEqual(run(condition, list));
      }),
    );
  });
});

it('no value is beyond a limit if it is no measurement', () => {
  for (const op of ['>', '>=', '<', '<=', '==', '!='] as const) expect(isBeyond(op, Number.NaN, 0)).toBe(false);
});
