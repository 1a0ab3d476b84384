import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { untilSo } from '../../../../test/pure/until-so.ts';
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

describe('rounds that take long', () => {
  /** How long each round takes; a negative one fails then. */
  function start(durations: number[], relaxedMs?: number) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const began: number[] = [];
    const run = () => {
      began.push(performance.now() - startMs);
      const ms = durations[began.length - 1] ?? 0;
      return new Promise<void>((resolve, reject) => void setTimeout(ms < 0 ? reject : resolve, Math.abs(ms)));
    };
    const startMs = performance.now();
    const task = new PeriodicTask({ everyMs: 100, what: 'the work', run, ...(relaxedMs && { relaxedMs }) });
    task.start();
    onTestFinished(async () => {
      const stopped = task.stop();
      await vi.advanceTimersByTimeAsync(10_000);
      await stopped;
    });
    return began;
  }

  it('hold up nothing but the rounds that were due meanwhile', async () => {
    const began = start([0, 3_050, 0]);
    await vi.advanceTimersByTimeAsync(3_500);
    expect(began).toEqual([100, 200, 3_300, 3_400, 3_500]);
  });

  it('come less often where they come more often than they have to, within that bound', async () => {
    const began = start([50, 50, 1_000, -1_000, 0], 700);
    await vi.advanceTimersByTimeAsync(5_000);
    const pauses = began.map((at, index) => at - (began[index - 1] ?? 0));
    expect(pauses.slice(0, 3)).toEqual([100, 100, 250]);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(1_000 + 700);
    // One that failed says nothing about the next ones.
    expect(pauses.slice(-5)).toEqual([100, 100, 100, 100, 100]);
  });

  it.each([690, 1_000])(
    'also leave pauses where they take as long as the bound or longer: %i ms of 700',
    async (ms) => {
      const began = start([ms, ms, ms, ms], 700);
      await vi.advanceTimersByTimeAsync(6_000);
      const pauses = began.slice(1, 4).map((at, index) => at - began[index]! - ms);
      expect(Math.min(...pauses.slice(1))).toBeGreaterThanOrEqual(200);
    },
  );
});
