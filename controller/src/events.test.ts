import { expect, test } from 'vitest';
import { Cleanup, Event, Question } from './events.ts';

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

test('the first answer that is not undefined counts', () => {
  const question = new Question<[string], number>();
  expect(question.ask('a')).toBeUndefined();
  question.onAsk((text) => (text === 'b' ? 1 : undefined));
  question.onAsk(() => 2);
  expect([question.ask('a'), question.ask('b')]).toEqual([2, 1]);
});
