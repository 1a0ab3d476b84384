// Entries of the audit log in words.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  actionWords,
  actorWords,
  detailLines,
  entryWords,
  hasMore,
  hasTarget,
  momentOf,
  namesIn,
  rulesDiff,
  timesWords,
} from './audit-words.ts';

it('a change of roles is read as before and after', () => {
  const detail = { fields: ['roles'], roles: { before: ['user'], after: ['admin', 'user'] } };
  expect(detailLines(detail)).toEqual([
    { name: 'Changed', value: 'roles' },
    { name: 'Roles', value: 'user → admin, user' },
  ]);
  expect(hasMore(detail)).toBe(false);
});

it('what is nested deeper is left to the JSON', () => {
  const detail = { job_seed: 7, permissions: { before: {}, after: { agents: ['a'] } } };
  expect(detailLines(detail)).toEqual([{ name: 'Job seed', value: '7' }]);
  expect(hasMore(detail)).toBe(true);
});

it('actors without a name are called by their kind', () => {
  expect(actorWords({ kind: 'anonymous', id: null, name: 'anonymous' })).toBe('anonymous user');
  expect(actorWords({ kind: 'user', id: '1', name: 'ada@example.org' })).toBe('ada@example.org');
});

it('an action that is not known keeps its own words', () => {
  expect(actionWords('app_created')).toBe('registered the app');
  expect(actionWords('moon_landed_on')).toBe('moon landed on');
});

it('a command is called by its name', () => {
  const entry = (verdict: string) => ({
    action: 'command_decided',
    detail: { intent: { name: 'sleep' }, outcome: { verdict } },
  });
  expect(entryWords(entry('accepted'))).toEqual(['sent ', { name: 'sleep' }, ' to']);
  expect(entryWords(entry('rejected'))).toEqual(['could not send ', { name: 'sleep' }, ' to']);
  expect(entryWords({ action: 'agent_onboarded', detail: {} })).toEqual(['onboarded']);
});

it('a decision about a command says what was requested and what was decided', () => {
  const detail = {
    at: 1,
    intent: { name: 'set_tx_power', args: { dbm: 5 }, parameter: 'tx_power' },
    outcome: { verdict: 'rejected', reason: 'held_by_other', detail: 'app x holds it' },
  };
  expect(detailLines(detail).map(({ value }) => value)).toEqual([
    'set_tx_power {"dbm":5}',
    'tx_power',
    'Rejected',
    'Held by other',
    'app x holds it',
  ]);
  expect(hasMore(detail)).toBe(true);
});

it('logins have the time when they were, not when they were written down, and how often', () => {
  const ts = '2026-11-16T10:01:00.000Z';
  const since = '2026-11-16T10:00:07.000Z';
  expect(momentOf({ ts, detail: { since, count: 3 } })).toBe(Date.parse(since));
  expect(timesWords({ detail: { since, count: 3 } })).toBe('(3 times)');
  expect(timesWords({ detail: { since, count: 1 } })).toBeUndefined();
  expect(momentOf({ ts, detail: { since: 'x', count: 1 } })).toBe(Date.parse(ts));
  expect(momentOf({ ts, detail: { count: 4 } })).toBe(Date.parse(ts));
});

it('who signs in is named once', () => {
  const ada = { kind: 'user', id: '1', name: 'ada@example.org' };
  expect(hasTarget({ actor: ada, target: { kind: 'user', name: ada.name } })).toBe(false);
  expect(hasTarget({ actor: ada, target: { kind: 'user', name: 'bob@example.org' } })).toBe(true);
  expect(actionWords('login')).toBe('signed in');
});

it('suggests access points by what people call them', () => {
  const entry = (kind: string, name: string) => ({
    actor: { kind: 'user', id: null, name: 'ada' },
    target: { kind, name },
  });
  const names = new Map([['ap-1', 'Great Hall']]);
  const nameOf = (ap_id: string) => names.get(ap_id) ?? ap_id;
  const entries = [entry('agent', 'ap-1'), entry('agent', 'ap-2'), entry('user', 'ap-1'), entry('agent', 'ap-1')];
  expect(namesIn(entries, 'target', nameOf)).toEqual(['Great Hall', 'ap-1', 'ap-2']);
});

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
