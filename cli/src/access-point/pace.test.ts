import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Pace } from './pace.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** When reports are due, in milliseconds, over that time. */
async function due(pace: Pace, events: number[], untilMs: number): Promise<number[]> {
  const times: number[] = [];
  const begun = performance.now();
  const count = async () => {
    while (await pace.next()) times.push(Math.round(performance.now() - begun));
  };
  void count();
  for (const event of events) setTimeout(() => pace.soon(), event);
  await vi.advanceTimersByTimeAsync(untilMs);
  return times;
}

test('regular reports, the first one soon', async () => {
  expect(await due(new Pace(5, new AbortController().signal), [], 12_000)).toEqual([1000, 6000, 11_000]);
});

test('what cannot wait comes in between, and many such things together', async () => {
  const events = [2000, 2010, 2050, 2200, 5950];
  const times = await due(new Pace(5, new AbortController().signal), events, 12_000);
  expect(times).toEqual([1000, 2100, 2600, 6000, 11_000]);
});
