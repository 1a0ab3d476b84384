import { expect, test } from 'vitest';
import { Pace } from './pace.ts';

function paceAfter(clockSeconds: number, dataPerClock: number, jitterMs = 0): number | undefined {
  const pace = new Pace();
  for (let ms = 0; ms <= clockSeconds * 1000; ms += 250) {
    pace.note(ms, ms * dataPerClock + (ms % 500 === 0 ? jitterMs : 0));
  }
  return pace.value;
}

test('is not told before there is something to tell', () => {
  expect(paceAfter(1, 1)).toBeUndefined();
});

test('is that of the clock where samples come in bursts', () => {
  expect(paceAfter(10, 1, 900)).toBe(1);
});

test('is that of a network whose time goes faster', () => {
  expect(paceAfter(10, 240)).toBeCloseTo(240);
});

test('follows a network that falls behind', () => {
  const pace = new Pace();
  for (let ms = 0; ms <= 30_000; ms += 250) pace.note(ms, ms <= 15_000 ? 100 * ms : 1_500_000 + 20 * (ms - 15_000));
  expect(pace.value).toBeCloseTo(20, 0);
});
