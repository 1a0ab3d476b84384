import type { AlarmRuleInput } from '@weft/contract/operations';
import { expect, it } from 'vitest';
import { ValidationError } from '../../../core/base/errors.ts';
import { parseRule } from './parse-rule.ts';

const input = (condition: AlarmRuleInput['condition'], more: Partial<AlarmRuleInput> = {}): AlarmRuleInput => ({
  name: 'r',
  condition,
  severity: 'major',
  ...more,
});

function problemsOf(rule: AlarmRuleInput): string[] {
  try {
    parseRule(rule, ['disk_free_mib']);
    return [];
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return error.problems.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`);
  }
}

it.each([
  [{ metric: 'latency_ms', op: '>', value: 100 }],
  [{ metric: 'served', op: '<', other_metric: 'connected', times: 0.8, over_seconds: 60 }],
  [{ metric: 'rssi_dbm', change: '<>', value: 10, within_seconds: 60 }],
  [{ absent_seconds: 60 }],
  [{ state: 'offline' }],
  [{ state_changes: 4, within_seconds: 900 }],
  [{ share_of_site: { state: 'offline' }, op: '>', value: 0.2 }],
  [{ weft: 'disk_free_mib', op: '<', value: 100 }],
] as const)('takes %j', (condition) => {
  const rule = parseRule(input(condition), ['disk_free_mib']);
  expect(rule).toMatchObject({ condition, for_seconds: 0, enabled: true, selector: '', when_asleep: 'ignore' });
  expect(rule.message).not.toBe('');
});

it.each([
  [{}, 'condition: '],
  [{ metric: 'm', op: '>' }, 'condition.value: '],
  [{ metric: 'm', value: 3 }, 'condition.op: '],
  [{ metric: 'm', op: '>', value: 1, times: 2 }, 'condition.times: '],
  [{ metric: 'm', op: '>', value: 1, state: 'late' }, 'condition.metric: '],
  [{ metric: 'm', change: '>', value: 1 }, 'condition.within_seconds: '],
  [{ weft: 'weather', op: '>', value: 1 }, 'condition.weft: '],
] as const)('refuses %j', (condition, problem) => {
  const found = problemsOf(input(condition));
  expect(
    found.some((each) => each.startsWith(problem)),
    found.join(),
  ).toBe(true);
});

it('refuses a clear limit at which an alarm would fire and clear at once', () => {
  const above = { metric: 'm', op: '>', value: 100 } as const;
  const below = { metric: 'm', op: '<', value: 100 } as const;
  expect(problemsOf(input(above, { clear: { value: 101 } }))).toHaveLength(1);
  expect(problemsOf(input(above, { clear: { value: 80 } }))).toEqual([]);
  expect(problemsOf(input(below, { clear: { value: 99 } }))).toHaveLength(1);
  expect(problemsOf(input(below, { clear: { value: 120 } }))).toEqual([]);
  expect(problemsOf(input({ state: 'offline' }, { clear: { value: 1 } }))).toHaveLength(1);
});

it('refuses a selector by what changes with every report, and names the column of one that cannot be read', () => {
  const rule = { metric: 'm', op: '>', value: 1 } as const;
  expect(problemsOf(input(rule, { selector: 'site:uk/** state:offline' }))).toHaveLength(1);
  expect(problemsOf(input(rule, { selector: 'rssi_dbm<-70' }))).toHaveLength(1);
  expect(problemsOf(input(rule, { selector: 'site:uk/** (' })).join()).toMatch(/selector: .*column \d+/);
  expect(problemsOf(input(rule, { selector: 'site:uk/** type:WiFi -tag:lab' }))).toEqual([]);
});
