import { expect, test } from 'vitest';
import { BackOff } from './back-off.ts';

test('each wait is up to twice as long as the one before, up to a bound, and never the full lot for everybody', () => {
  const backOff = new BackOff(100, 1_000);
  for (const fullMs of [100, 200, 400, 800, 1_000, 1_000]) {
    const waitMs = backOff.nextMs();
    expect(waitMs).toBeGreaterThanOrEqual(fullMs / 2);
    expect(waitMs).toBeLessThanOrEqual(fullMs);
  }
  backOff.reset();
  expect(backOff.nextMs()).toBeLessThanOrEqual(100);
  expect(new Set(Array.from({ length: 20 }, () => new BackOff().nextMs())).size).toBeGreaterThan(1);
});

test('a wait ends with the signal', async () => {
  const stopping = new AbortController();
  const pausing = new BackOff(1_000_000, 1_000_000).pause(stopping.signal);
  stopping.abort();
  await pausing;
});
