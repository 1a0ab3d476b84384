// Rules on their way into the form and back.
import { byTechnology, technologies } from '@weft/contract/technologies';
import { expect, it } from 'vitest';
import type { ConflictRules } from '../../../api/client.ts';
import { groupCount, toRules, toRulesValues, withGroup, withoutGroup } from './rules-editor.tsx';

const rules: ConflictRules = {
  groups: [
    {
      name: '5g_coverage',
      technology: '5G',
      parameters: ['tx_power', 'tilt'],
      scope: 'neighbours',
      policy: 'priority',
      loser: 'reject',
      hold_s: 30,
      min_interval_ms: 1000,
    },
    {
      name: 'steering',
      technology: null,
      parameters: ['steering'],
      scope: 'agent',
      policy: 'merge',
      merge: 'mean',
      loser: 'queue',
      hold_s: 0.5,
      min_interval_ms: 0,
    },
  ],
  interference_range_m: byTechnology((name) => technologies[name].interferenceM),
  oscillation: { reversals: 3, window_s: 600, freeze_s: 0 },
  blast_radius: { fraction: 0.1, minimum: 10, window_s: 60 },
};

it('rules come back as they were', () => {
  expect(toRules(toRulesValues(rules))).toEqual(rules);
});

it('a new group stands behind the others, and can be taken out again', () => {
  const values = toRulesValues(rules);
  expect(groupCount(withGroup(values))).toBe(3);
  expect(withoutGroup(withGroup(values), 2)).toEqual(values);
});

it('the groups behind a removed one move up', () => {
  expect(toRules(withoutGroup(toRulesValues(rules), 0)).groups).toEqual([rules.groups[1]]);
});

it('only a group that merges says how', () => {
  const values = { ...toRulesValues(rules), 'groups.1.policy': 'last_wins' };
  expect(toRules(values).groups[1]).not.toHaveProperty('merge');
});

it('what is no number is left to the server', () => {
  const values = { ...toRulesValues(rules), 'oscillation.window_s': 'long', 'groups.0.hold_s': '' };
  const { oscillation, groups } = toRules(values);
  expect([oscillation.window_s, groups[0]!.hold_s]).toEqual(['long', '']);
});
