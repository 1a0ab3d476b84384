// Conflicts as sentences.
import { expect, it } from 'vitest';
import type { Conflict } from '../../../api/client.ts';
import { callerHref, conflictSentence, conflictSides, valueWords } from './conflict-words.ts';

const now = Date.parse('2026-03-01T10:00:00Z');
const rival = {
  command_id: 'c',
  caller_kind: 'third_party_app',
  caller_name: 'energy-saver',
  ap_id: 'ap-03',
  parameter: 'power_state',
  until: '2026-03-01T10:44:00Z',
};
const conflict: Conflict = {
  seq: 1,
  ts: '2026-03-01T10:00:00Z',
  kind: 'command_decided',
  command_id: 'd',
  ap_id: 'ap-03',
  parameter: 'power_state',
  parameter_group: '5g_energy',
  caller_kind: 'third_party_app',
  caller_name: 'load-balancer',
  verdict: 'rejected',
  reason: 'held_by_other',
  detail: 'no',
  rival,
  command: null,
  sent_command: null,
  priority: null,
  rival_command: null,
  rival_priority: null,
};
const saying = (change: Partial<Conflict>) =>
  conflictSentence({ ...conflict, ...change }, now)
    .map((part) => (typeof part === 'string' ? part : 'agent' in part ? part.agent : part.name))
    .join('');

it.each<[string, Partial<Conflict>, string]>([
  [
    'the same parameter is leased',
    {},
    'load-balancer asked to change power_state of ap-03 and was rejected: energy-saver holds the lease until 10:44:00.',
  ],
  [
    'another one of the group is leased, on a neighbour',
    { reason: 'held_in_group', rival: { ...rival, ap_id: 'ap-04', parameter: 'carrier_state' } },
    'and was rejected: energy-saver holds the lease on carrier_state of ap-04 (same group: 5g_energy) until 10:44:00.',
  ],
  [
    'it is queued',
    { verdict: 'queued', reason: 'waits_for_lease' },
    'and is queued: energy-saver holds the lease until 10:44:00.',
  ],
  [
    'it has the higher priority',
    { verdict: 'accepted', reason: 'higher_priority' },
    'and was accepted: it overrides energy-saver, which has a lower priority.',
  ],
  [
    'an operator asked',
    { verdict: 'accepted', reason: 'higher_rank', caller_name: 'ada@example.org' },
    'ada@example.org asked to change power_state of ap-03 and was accepted: it overrides energy-saver, because users take precedence over apps.',
  ],
  [
    'both were merged',
    { verdict: 'accepted_modified', reason: 'merged' },
    'and was accepted with a merged value: combined with the request of energy-saver.',
  ],
  [
    'nobody in particular was in the way',
    { reason: 'too_soon', rival: null, detail: 'Two commands are at least 1000 ms apart' },
    'and was rejected: Two commands are at least 1000 ms apart.',
  ],
  [
    'it was frozen',
    { kind: 'parameter_frozen', verdict: null, reason: null, rival: null, caller_name: null },
    'power_state of ap-03 was changed back and forth by different callers and is now frozen.',
  ],
  [
    'it was rolled back',
    { kind: 'rolled_back', verdict: null, rival: null, detail: 'rsrp_dbm fell below −110' },
    'power_state of ap-03 was rolled back: rsrp_dbm fell below −110.',
  ],
])('%s', (_, change, words) => {
  expect(saying(change)).toContain(words);
});

it.each([
  ['sleep', 'sleep'],
  ['{"dbm":30,"name":"set_tx_power"}', 'set_tx_power dbm=30'],
  ['{"name":"set_mode","mode":"eco","tags":[1]}', 'set_mode mode=eco tags=[1]'],
  ['{"mode":"eco"}', '{"mode":"eco"}'],
  ['set channel 36', 'set channel 36'],
])('%s reads %s', (command, words) => {
  expect(valueWords(command)).toBe(words);
});

it('names only the sides whose values are known', () => {
  const conflict = {
    caller_kind: 'third_party_app',
    caller_name: 'saver',
    rival: { caller_kind: 'user', caller_name: 'ada@x' },
    command: 'sleep',
    sent_command: null,
    priority: 70,
    rival_command: 'wake',
    rival_priority: 50,
  } as Conflict;
  const asked = { role: 'asked', caller_kind: 'third_party_app', caller_name: 'saver', value: 'sleep', priority: 70 };
  const held = { role: 'held', caller_kind: 'user', caller_name: 'ada@x', value: 'wake', priority: 50 };
  expect(conflictSides(conflict)).toEqual([asked, held]);
  expect(conflictSides({ ...conflict, command: null })).toEqual([held]);
  expect(conflictSides({ ...conflict, rival_command: null })).toEqual([asked]);
  expect([asked, held, { caller_kind: 'weft', caller_name: 'weft' }].map(callerHref)).toEqual([
    '/apps/saver',
    '/users?user=ada%40x',
    undefined,
  ]);
});
