import { expect, it } from 'vitest';
import type { Conflict } from '../../api/operations.ts';
import { callerHref, conflictSides, valueWords } from './conflict-sides.ts';

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
