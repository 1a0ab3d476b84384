import { expect, test } from 'vitest';
import { system } from './base/caller.ts';
import type { SqlQueries } from './base/storage/sql-database.ts';
import { ChangeEvent, Cleanup, Event } from './event-kinds.ts';

test('listeners of an event are called in the order in which they were added', () => {
  const event = new Event<[number]>();
  const heard: string[] = [];
  event.on((n) => heard.push(`first ${n}`));
  event.on((n) => heard.push(`second ${n}`));
  event.emit(1);
  expect(heard).toEqual(['first 1', 'second 1']);
});

test('a clean-up goes by phases, and inside of a phase the newest part is first', async () => {
  const cleanup = new Cleanup<[string]>();
  const done: string[] = [];
  const step = (name: string) => async (ap_id: string) => void done.push(`${name} ${ap_id}`);
  cleanup.add('data', step('telemetry'));
  cleanup.add('work', step('jobs'));
  cleanup.add('work', step('transports'));
  cleanup.add('record', step('emulator'));
  await cleanup.run('ap-1');
  expect(done).toEqual(['telemetry ap-1', 'transports ap-1', 'jobs ap-1', 'emulator ap-1']);
});

test('while the data cannot be removed, nothing else is, so that the clean-up can be repeated', async () => {
  const cleanup = new Cleanup<[]>();
  const done: string[] = [];
  let isAway = true;
  cleanup.add('record', () => void done.push('record'));
  cleanup.add('data', async () => {
    if (isAway) throw new Error('away');
    done.push('data');
  });
  await expect(cleanup.run()).rejects.toThrow('away');
  expect(done).toEqual([]);
  isAway = false;
  await cleanup.run();
  expect(done).toEqual(['data', 'record']);
});

test('the steps of a change run in its transaction, the newest part first; what they leave is done afterwards, in that order', async () => {
  const event = new ChangeEvent<string>();
  const done: string[] = [];
  const entry = (action: string) => ({ actor: system, action, target: { kind: 'user', name: 'ada' }, detail: {} });
  const step = (name: string) => async (_tx: SqlQueries, change: string) => {
    done.push(`${name} of ${change}`);
    return { entries: [entry(name)], committed: () => void done.push(`${name} told`) };
  };
  event.within(step('jobs'));
  event.within(async () => ({}));
  event.within(step('commands'));
  event.on((change) => void done.push(`heard of ${change}`));
  const { entries, committed } = await event.run({} as SqlQueries, 'ada');
  expect(entries.map(({ action }) => action)).toEqual(['commands', 'jobs']);
  expect(done).toEqual(['commands of ada', 'jobs of ada']);
  committed();
  event.emit('ada');
  expect(done.slice(2)).toEqual(['commands told', 'jobs told', 'heard of ada']);
});

test('a step that throws fails the change', async () => {
  const event = new ChangeEvent<string>();
  event.within(async () => {
    throw new Error('no');
  });
  await expect(event.run({} as SqlQueries, 'ada')).rejects.toThrow('no');
});
