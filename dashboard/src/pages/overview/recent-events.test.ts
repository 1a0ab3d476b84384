// Recent events in one list.
import { expect, it } from 'vitest';
import type { AgentPresence, Command, Conflict } from '../../api/operations.ts';
import { recentEvents } from './recent-events.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString();
const agent = (ap_id: string, presence: AgentPresence['presence'], since: string | null) =>
  ({ ap_id, presence, since }) as AgentPresence;
const command = (command_id: string, second: number, state: Command['state'] = 'succeeded') =>
  ({ command_id, created_at: at(second), state, ended_at: null }) as Command;
const none = { presence: [], commands: [], conflicts: [] };

it('lists the newest first, from all sources, up to a limit', () => {
  const events = recentEvents({
    presence: [agent('a', 'late', at(20)), agent('b', 'offline', null)],
    commands: [command('c1', 10)],
    conflicts: [{ seq: 4, ts: at(30), command_id: null } as Conflict],
  });
  expect(events.map(({ id }) => id)).toEqual(['conflict 4', `late a ${Date.parse(at(20))}`, 'command c1']);
  expect(recentEvents({ ...none, commands: [command('c1', 1), command('c2', 2)] }, 1)).toHaveLength(1);
});

it('groups access points that changed together', () => {
  const events = recentEvents({
    ...none,
    presence: [
      agent('a', 'online', at(1)),
      agent('b', 'online', at(4)),
      agent('c', 'late', at(4)),
      agent('d', 'online', at(40)),
    ],
  });
  expect(events.map((event) => 'ap_ids' in event && event.ap_ids)).toEqual([['d'], ['b', 'a'], ['c']]);
});

it('lists a rejected command once, as the conflict', () => {
  const events = recentEvents({
    ...none,
    commands: [command('c1', 1, 'rejected'), command('c2', 2, 'rejected')],
    conflicts: [{ seq: 4, ts: at(1), command_id: 'c1' } as Conflict],
  });
  expect(events.map(({ id }) => id)).toEqual(['command c2', 'conflict 4']);
});
