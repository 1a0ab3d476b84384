// Alarm rules on their way into the form and back.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AlarmCondition, AlarmRuleInput } from '../../../api/client.ts';
import { conditionWords, emptyRule, kindOf, missingIn, toRule, toValues } from './rule-form.ts';

const name = fc.stringMatching(/^[a-z_]{1,12}$/);
const limit = fc.integer({ min: -10_000, max: 10_000 }).map((value) => value / 4);
const seconds = fc.integer({ min: 5, max: 86_400 });
const op = fc.constantFrom('>', '>=', '<', '<=', '==', '!=');
const state = fc.constantFrom('online', 'late', 'offline', 'never', 'ended');
const conditions = fc.oneof(
  fc.record({ metric: name, op, value: limit }),
  fc.record({ metric: name, op, value: limit, over_seconds: seconds }),
  fc.record({ metric: name, change: fc.constantFrom('>', '<', '<>'), value: limit, within_seconds: seconds }),
  fc.record({ metric: name, op, other_metric: name, times: fc.constantFrom(1, 2, 0.5), value: limit }),
  fc.record({ absent_seconds: seconds }),
  fc.record({ state }),
  fc.record({ state_changes: fc.integer({ min: 2, max: 100 }), within_seconds: seconds }),
  fc.record({
    share_of_site: fc.record({ state, at_least: fc.integer({ min: 1, max: 100 }) }),
    op: fc.constant('>'),
    value: fc.integer({ min: 1, max: 99 }).map((percent) => percent / 100),
  }),
  fc.record({ weft: name, op, value: limit }),
) as fc.Arbitrary<AlarmCondition>;
const rules = fc.record({
  name,
  selector: fc.constantFrom('', 'site:uk/**'),
  severity: fc.constantFrom('critical', 'major', 'minor', 'warning'),
  condition: conditions,
  for_seconds: fc.integer({ min: 0, max: 3600 }),
  when_asleep: fc.constantFrom('ignore', 'evaluate'),
  enabled: fc.boolean(),
}) as fc.Arbitrary<AlarmRuleInput>;

it('every rule comes back from the form as it went in', () => {
  fc.assert(fc.property(rules, (rule) => void expect(toRule(toValues(rule))).toEqual(rule)));
});

it('hysteresis, message and labels stay', () => {
  const rule: AlarmRuleInput = {
    name: 'latency',
    selector: '',
    severity: 'minor',
    condition: { metric: 'latency_ms', op: '>', value: 100 },
    for_seconds: 10,
    clear: { value: 80, for_seconds: 5 },
    message: '{name} waits',
    when_asleep: 'ignore',
    labels: { team: 'radio' },
    enabled: false,
  };
  expect(toRule(toValues(rule), rule.labels)).toEqual(rule);
});

it('what is no number is left to the words of the server', () => {
  const rule = toRule({ ...emptyRule, name: 'x', metric: 'm', value: 'much' });
  expect(rule.condition.value).toBe('much');
});

it('every condition has words', () => {
  fc.assert(fc.property(rules, (rule) => void expect(conditionWords(rule)).not.toMatch(/undefined|NaN/)));
  expect(conditionWords({ condition: { metric: 'latency_ms', op: '>', value: 100 }, for_seconds: 10 })).toBe(
    'latency_ms above 100 for 10\u2009s',
  );
  expect(kindOf({ absent_seconds: 60 })).toBe('absent');
});

it('says in words of the form what is missing before a rule can be tried', () => {
  expect(missingIn(emptyRule)).toEqual(['metric', 'Choose a metric']);
  expect(missingIn({ ...emptyRule, metric: 'power_w' })).toEqual(['value', 'Enter a limit']);
  expect(missingIn({ ...emptyRule, kind: 'compare', metric: 'power_w' })).toEqual(['other_metric', 'Choose a metric']);
  expect(missingIn({ ...emptyRule, metric: 'power_w', value: '9' })).toBeUndefined();
  for (const kind of ['absent', 'state', 'flapping', 'share'])
    expect(missingIn({ ...emptyRule, kind })).toBeUndefined();
});
