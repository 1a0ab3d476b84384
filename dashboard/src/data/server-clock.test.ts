// A wrong clock in the browser is found from the answers; a right one is left alone.
import { expect, it } from 'vitest';
import { nearestOffset } from './server-clock.ts';

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
