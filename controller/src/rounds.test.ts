import { expect, it } from 'vitest';
import { untilSo } from '../../test/pure/until-so.ts';
import { Rounds } from './rounds.ts';

it('has one round at a time, and a stop waits for it', async () => {
  let running = 0;
  let most = 0;
  let done = 0;
  const run = async () => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
    done++;
  };
  const rounds = new Rounds({ everyMs: 1, what: 'the work', run, onChange: () => {} });
  rounds.start();
  for (let i = 0; i < 20; i++) rounds.soon();
  await untilSo(() => expect(done).toBeGreaterThan(2));
  rounds.soon();
  await rounds.stop();
  expect({ most, running, isStopped: rounds.isStopped }).toEqual({ most: 1, running: 0, isStopped: true });
  const before = done;
  rounds.soon();
  await new Promise(setImmediate);
  expect(done).toBe(before);
});

it('tells trouble when it begins and when it is over', async () => {
  const told: unknown[] = [];
  let error: Error | undefined;
  const run = async () => {
    if (error) throw error;
  };
  const onChange = (message: string, cause?: unknown) => told.push(cause === undefined ? message : [message, cause]);
  const rounds = new Rounds({ everyMs: 1, what: 'the work', run, onChange });
  await rounds.once();
  error = new Error('away');
  await rounds.once();
  await rounds.once();
  const first = error;
  error = undefined;
  await rounds.once();
  await rounds.once();
  expect(told).toEqual([['the work is held up; it will be tried again', first], 'the work goes on']);
});
