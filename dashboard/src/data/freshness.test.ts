// What the dot in the top bar says.
// A wrong clock in the browser is found from the answers; a right one is left alone.
import { expect, it, vi } from 'vitest';
import { awaySince, freshness, nearestOffset, noteAnswer, noteUnreachable, now } from './freshness.ts';

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

const second = 1000;
const hour = 3600 * second;
/** What the server writes into its answer at a moment. */
const header = (ms: number) => Math.floor(ms / second) * second;

it('a clock that is right stays as it is', () => {
  const now = 1_800_000_000_400;
  expect(nearestOffset(0, header(now), now - 30, now)).toBe(0);
  expect(nearestOffset(0, header(now - 2000), now - 5000, now)).toBe(0);
});

it.each([5 * hour, -5 * hour, 40 * second])('a clock that is %d ms off is found out within a second', (offset) => {
  let known = 0;
  for (let answer = 0; answer < 20; answer++) {
    const server = 1_800_000_000_000 + answer * 2137;
    const browser = server - offset;
    known = nearestOffset(known, header(server), browser - 20, browser + 20);
  }
  expect(Math.abs(known - offset)).toBeLessThan(second);
});
