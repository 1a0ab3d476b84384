import type { AlarmCondition } from '@weft/contract/operations';
import { expect, it } from 'vitest';
import { AgentWatch } from './agent-watch.ts';
import { AlarmTracker } from './alarm-tracker.ts';
import { MetricCondition } from './metric-condition.ts';

function watched(...conditions: AlarmCondition[]) {
  return conditions.map((each, index) => {
    const tracker = new AlarmTracker(condition(each), 60_000);
    tracker.isCertain = true;
    return { rule_id: String(index), tracker, isQueued: false };
  });
}

function condition(each: AlarmCondition): MetricCondition {
  return new MetricCondition({ condition: each, for_seconds: 0, clear: undefined, when_asleep: 'ignore' });
}

const sample = (ts: number, fields: Record<string, number>) => ({
  ts,
  names: Object.keys(fields),
  values: Object.values(fields),
  texts: [],
});

it('finds the metrics of each rule, whatever the shape of the report', () => {
  const rules = watched(
    { metric: 'a', op: '>', value: 5 },
    { metric: 'b', op: '<', other_metric: 'a' },
    { metric: 'missing', op: '>', value: 0 },
  );
  const watch = new AgentWatch('ap', rules);
  const due: string[] = [];
  const hear = (ts: number, fields: Record<string, number>) => {
    due.length = 0;
    watch.recorded([sample(ts, fields)], (_, { rule_id }) => due.push(rule_id));
    return [...due];
  };
  expect(hear(1, { a: 6, b: 7 })).toEqual(['0']);
  expect(hear(2, { b: 1, a: 2 })).toEqual(['1']);
  expect(hear(3, { b: 1, c: 2 })).toEqual([]);
  expect(hear(4, { c: 2, a: 9 })).toEqual(['0']);
  expect(hear(4, { c: 2, a: 9 })).toEqual([]);
});

it('a sleeping access point clears what is firing, also if it does not report the metric', () => {
  const [rule] = watched({ metric: 'sinr_db', op: '<', value: 3 });
  const watch = new AgentWatch('ap', [rule!]);
  const due: number[] = [];
  const hear = (ts: number, fields: Record<string, number>) =>
    watch.recorded([sample(ts, fields)], (_, { tracker }) => due.push(tracker.newestMs));
  hear(1000, { sinr_db: 1, active: 1 });
  rule!.tracker.turn(true, 1000);
  hear(2000, { power_w: 4, active: 0 });
  expect(due).toEqual([1000, 2000]);
  expect(rule!.tracker.due).toMatchObject({ to: 'cleared' });
});
