import { expect, test } from 'vitest';
import { BackOff, backOffMs } from './back-off.ts';
import { pause } from './pause.ts';

test('each pause is up to twice as long as the one before, up to a bound, and never the full time for everybody', () => {
  const backOff = new BackOff({ firstMs: 100, longestMs: 1_000 });
  for (const fullMs of [100, 200, 400, 800, 1_000, 1_000]) {
    const pauseMs = backOff.next();
    expect(pauseMs).toBeGreaterThanOrEqual(fullMs / 2);
    expect(pauseMs).toBeLessThanOrEqual(fullMs);
  }
  expect(backOff.longest()).toBeGreaterThanOrEqual(500);
  expect(backOff.next(5_000)).toBe(5_000);
  backOff.reset();
  expect(backOff.next()).toBeLessThanOrEqual(100);
  expect(new Set(Array.from({ length: 20 }, () => new BackOff().next())).size).toBeGreaterThan(1);
});

test('randomness may be replaced, and any number of failures is within the bound', () => {
  const options = { firstMs: 10, longestMs: 1_000, random: () => 1 };
  expect([0, 1, 6, 7, 5_000, Number.POSITIVE_INFINITY].map((failures) => backOffMs(failures, options))).toEqual([
    10, 20, 640, 1_000, 1_000, 1_000,
  ]);
});

test('a pause ends with the signal: the back-off without an error, the plain one with the reason', async () => {
  const stopping = new AbortController();
  const pausing = new BackOff({ firstMs: 1_000_000, longestMs: 1_000_000 }).pause(stopping.signal);
  const plain = pause(1_000_000, stopping.signal);
  stopping.abort(new Error('stopping'));
  await pausing;
  await expect(plain).rejects.toThrow('stopping');
  await expect(pause(1_000_000, stopping.signal)).rejects.toThrow('stopping');
});
