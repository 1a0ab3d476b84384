// What happened, in one list.
import { expect, it } from 'vitest';
import type { AgentPresence, Command, Conflict } from '../../api/operations.ts';
import { happeningsOf, secondsTaken } from './happenings.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString();
const agent = (ap_id: string, presence: AgentPresence['presence'], since: string | null) =>
  ({ ap_id, presence, since }) as AgentPresence;
const command = (command_id: string, second: number, state: Command['state'] = 'succeeded') =>
  ({ command_id, created_at: at(second), state, ended_at: null }) as Command;
const none = { presence: [], commands: [], conflicts: [] };

it('is told newest first, from all sources, up to a bound', () => {
  const told = happeningsOf({
    presence: [agent('a', 'late', at(20)), agent('b', 'offline', null)],
    commands: [command('c1', 10)],
    conflicts: [{ seq: 4, ts: at(30), command_id: null } as Conflict],
  });
  expect(told.map(({ id }) => id)).toEqual(['conflict 4', `late a ${Date.parse(at(20))}`, 'command c1']);
  expect(happeningsOf({ ...none, commands: [command('c1', 1), command('c2', 2)] }, 1)).toHaveLength(1);
});

it('tells of those who came together in one line', () => {
  const told = happeningsOf({
    ...none,
    presence: [
      agent('a', 'online', at(1)),
      agent('b', 'online', at(4)),
      agent('c', 'late', at(4)),
      agent('d', 'online', at(40)),
    ],
  });
  expect(told.map((happening) => 'ap_ids' in happening && happening.ap_ids)).toEqual([['d'], ['b', 'a'], ['c']]);
});

it('tells of a refused command once, as the conflict', () => {
  const told = happeningsOf({
    ...none,
    commands: [command('c1', 1, 'rejected'), command('c2', 2, 'rejected')],
    conflicts: [{ seq: 4, ts: at(1), command_id: 'c1' } as Conflict],
  });
  expect(told.map(({ id }) => id)).toEqual(['command c2', 'conflict 4']);
});

it('a command has taken the time from being asked to its end', () => {
  expect(secondsTaken({ ...command('c', 1), ended_at: at(3) })).toBe(2);
  expect(secondsTaken(command('c', 1))).toBeUndefined();
});
