import { expect, it, onTestFinished, vi } from 'vitest';
import { untilSo } from '../../test/pure/until-so.ts';
import { PeriodicTask } from './periodic-task.ts';

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
  const task = new PeriodicTask({ everyMs: 1, what: 'the work', run, onChange: () => {} });
  task.start();
  for (let i = 0; i < 20; i++) task.soon();
  await untilSo(() => expect(done).toBeGreaterThan(2));
  task.soon();
  await task.stop();
  expect({ most, running, isStopped: task.isStopped }).toEqual({ most: 1, running: 0, isStopped: true });
  const before = done;
  task.soon();
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
  const task = new PeriodicTask({ everyMs: 1, what: 'the work', run, onChange });
  await task.once();
  error = new Error('away');
  await task.once();
  await task.once();
  const first = error;
  error = undefined;
  await task.once();
  await task.once();
  expect(told).toEqual([['the work is held up; it will be tried again', first], 'the work goes on']);
});

it('brings a round forward, once for all who ask, and another follows one in progress', async () => {
  let rounds = 0;
  let release: () => void = () => {};
  const run = () => {
    rounds++;
    return new Promise<void>((resolve) => {
      release = resolve;
    });
  };
  const task = new PeriodicTask({ everyMs: 1_000_000, what: 'the work', run });
  task.start();
  for (let n = 0; n < 10; n++) task.soon(1);
  await untilSo(() => expect(rounds).toBe(1));
  for (let n = 0; n < 10; n++) task.soon();
  expect(rounds).toBe(1);
  release();
  await untilSo(() => expect(rounds).toBe(2));
  release();
  const last = task.once();
  await untilSo(() => expect(rounds).toBe(3));
  release();
  await last;
  await task.stop();
  expect(rounds).toBe(3);
});

it('goes on after a failure, which each is reported, also one that is thrown at once', async () => {
  const errors: string[] = [];
  const run = () => {
    throw new Error('away');
  };
  const task = new PeriodicTask({
    everyMs: 1,
    what: 'the work',
    run,
    onError: (_error, message) => errors.push(message),
  });
  task.start();
  await untilSo(() => expect(errors.length).toBeGreaterThan(2));
  await task.stop();
  expect(new Set(errors)).toEqual(new Set(['the work is held up; it will be tried again']));
});

it('takes at most its share of the time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let rounds = 0;
  const run = () => {
    rounds++;
    return new Promise<void>((resolve) => void setTimeout(resolve, 20));
  };
  const task = new PeriodicTask({ everyMs: 1, maxShare: 0.02, what: 'the work', run });
  const first = task.once();
  await vi.advanceTimersByTimeAsync(20);
  await first;
  task.start();
  await vi.advanceTimersByTimeAsync(999);
  expect(rounds).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(rounds).toBe(2);
  const stopped = task.stop();
  await vi.advanceTimersByTimeAsync(20);
  await stopped;
});
