// What the dot in the top bar says.
import { expect, it, vi } from 'vitest';
import { awaySince, freshness, noteAnswer, noteUnreachable, now } from './freshness.ts';

it('says that nobody answers as soon as nobody does', () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  noteAnswer();
  expect(freshness.value).toBe('live');
  vi.advanceTimersByTime(500);
  noteUnreachable();
  expect(freshness.value).toBe('old');
  vi.advanceTimersByTime(500);
  noteAnswer();
  expect(freshness.value).toBe('live');
  vi.useRealTimers();
});

it('time stands still at the last answer while nobody answers, so that ages do not grow and are not taken for fresh', () => {
  vi.useFakeTimers({ now: 1_800_000_100_000 });
  noteAnswer();
  expect(awaySince.value).toBeUndefined();
  vi.advanceTimersByTime(3000);
  noteUnreachable();
  expect(awaySince.value).toBe(1_800_000_100_000);
  expect(now.value).toBe(1_800_000_100_000);
  vi.advanceTimersByTime(60_000);
  noteUnreachable();
  expect(now.value).toBe(1_800_000_100_000);
  noteAnswer();
  expect(awaySince.value).toBeUndefined();
  vi.useRealTimers();
});
