import { expect, test } from 'vitest';
import { hash, laplace, normal, uniform } from './randomness.ts';

const draws = 100_000;
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const times = (draw: (n: number) => number) => Array.from({ length: draws }, (_, n) => draw(n));

test('a draw depends on all it is drawn for, and on nothing else', () => {
  expect(hash(1, 2, 3, 4)).toBe(hash(1, 2, 3, 4));
  const all = [
    hash(1, 2, 3, 4),
    hash(2, 2, 3, 4),
    hash(1, 3, 3, 4),
    hash(1, 2, 4, 4),
    hash(1, 2, 3, 5),
    hash(1, 2, 4, 3),
  ];
  expect(new Set(all).size).toBe(all.length);
});

test('draws are spread evenly, also along neighbouring counters', () => {
  const values = times((n) => uniform(7, 1, n, 0));
  const buckets = new Array<number>(64).fill(0);
  for (const value of values) buckets[Math.floor(value * 64)]!++;
  const expected = draws / 64;
  const chiSquare = buckets.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // 63 degrees of freedom: above 110 once in ten thousand seeds.
  expect(chiSquare).toBeLessThan(110);
  expect(mean(values.slice(1).map((value, n) => (value - 0.5) * (values[n]! - 0.5))) * 12).toBeCloseTo(0, 1);
});

test.each([
  ['normal', normal, 3],
  ['laplace', laplace, 6],
])('%s draws have mean 0, deviation 1 and the right tails', (_name, draw, kurtosis) => {
  const values = times((n) => draw(11, 3, 5, n));
  expect(Math.abs(mean(values))).toBeLessThan(0.02);
  expect(Math.abs(mean(values.map((value) => value ** 2)) - 1)).toBeLessThan(0.03);
  expect(Math.abs(mean(values.map((value) => value ** 4)) / kurtosis - 1)).toBeLessThan(0.1);
});
