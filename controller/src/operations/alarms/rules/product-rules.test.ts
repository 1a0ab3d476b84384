import { expect, it } from 'vitest';
import { metricsOf } from '../../../../../emulator/src/access-points/metrics.ts';
import { parseRule } from './parse-rule.ts';
import { productRules } from './product-rules.ts';

const readings = [...productRules.values()].flatMap(({ condition: { weft } }) => (weft === undefined ? [] : [weft]));

it.each([...productRules])('%s is a rule, on by default, with a message', (_, rule) => {
  expect(parseRule(rule, readings)).toMatchObject({ enabled: true, when_asleep: 'ignore', name: rule.name });
  expect(rule.message).toBeDefined();
});

it('names are different, and metrics are those of the technology', () => {
  const rules = [...productRules.values()];
  expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
  for (const { selector = '', condition } of rules) {
    const type = /^type:(5G|WiFi|LiFi)$/.exec(selector)?.[1] as '5G' | 'WiFi' | 'LiFi' | undefined;
    for (const metric of [condition.metric, condition.other_metric]) {
      if (metric !== undefined) expect(Object.keys(metricsOf(type!))).toContain(metric);
    }
  }
});
