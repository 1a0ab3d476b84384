import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rulesDiff } from './rules-diff.ts';

const group = (name: string, more: object = {}) => ({ name, parameters: ['a', 'b'], policy: 'priority', ...more });
const rules = { groups: [group('power'), group('channel')], blast_radius: { fraction: 0.25, minimum: 3 } };

it('tells what was removed and what was added, and nothing else', () => {
  const after = {
    groups: [group('power', { policy: 'merge', merge: 'max', parameters: ['a'] }), group('new')],
    blast_radius: { fraction: 0.5, minimum: 3 },
  };
  const words = rulesDiff({ before: rules, rules: after })?.map(
    ({ kind, text }) => `${kind === 'added' ? '+' : '-'} ${text}`,
  );
  expect(words).toEqual([
    '- groups.power.parameters: a, b',
    '+ groups.power.parameters: a',
    '- groups.power.policy: "priority"',
    '+ groups.power.policy: "merge"',
    '- groups.channel.name: "channel"',
    '- groups.channel.parameters: a, b',
    '- groups.channel.policy: "priority"',
    '- order of the groups: power, channel',
    '+ order of the groups: power, new',
    '- blast_radius.fraction: 0.25',
    '+ blast_radius.fraction: 0.5',
    '+ groups.power.merge: "max"',
    '+ groups.new.name: "new"',
    '+ groups.new.parameters: a, b',
    '+ groups.new.policy: "priority"',
  ]);
});

it('another order is a change, equal rules are none, and an entry without the old rules has no diff', () => {
  const turned = { ...rules, groups: rules.groups.toReversed() };
  expect(rulesDiff({ before: rules, rules: turned })).toHaveLength(2);
  expect(rulesDiff({ before: rules, rules: structuredClone(rules) })).toEqual([]);
  expect(rulesDiff({ rules })).toBeUndefined();
});

it('whatever is in an entry: it does not fail, and backwards it is the same with the signs turned', () => {
  const anything = fc.record({
    groups: fc.oneof(fc.jsonValue(), fc.array(fc.record({ name: fc.string() }))),
    x: fc.jsonValue(),
  });
  fc.assert(
    fc.property(anything, anything, (before, after) => {
      const there = rulesDiff({ before, rules: after })!;
      const back = rulesDiff({ before: after, rules: before })!;
      const turned = back.map(({ kind, text }) => `${kind === 'added' ? 'removed' : 'added'} ${text}`);
      expect(there.map(({ kind, text }) => `${kind} ${text}`).sort()).toEqual(turned.sort());
    }),
  );
});
