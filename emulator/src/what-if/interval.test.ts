import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normal } from '../randomness.ts';
import { type Amount, maxFutures, toAmount } from './interval.ts';

test.each<[number[], Amount | undefined]>([
  [[], undefined],
  [[7], { mean: 7 }],
  [[0.1, 0.1, 0.1], { mean: 0.1, plusMinus: 0 }],
  // 2 ± 6.313752 × √2 ÷ √2
  [[1, 3], { mean: 2, plusMinus: 8.93 * Math.SQRT1_2 }],
  [[1, 2, 3, 4], { mean: 2.5, plusMinus: 1.52 }],
])('%j', (values, amount) => {
  const found = toAmount(values);
  expect(found?.mean).toBe(amount?.mean);
  if (amount?.plusMinus === undefined) expect(found?.plusMinus).toBeUndefined();
  else expect(found!.plusMinus).toBeCloseTo(amount.plusMinus, 2);
});

test('law: a mean does not depend on the order, moves and grows with its values, and is never outside of them', () => {
  const value = fc.integer({ min: -1000, max: 1000 });
  fc.assert(
    fc.property(fc.array(value, { minLength: 2, maxLength: maxFutures }), value, (values, shift) => {
      const { mean, plusMinus } = toAmount(values)!;
      expect(mean).toBeGreaterThanOrEqual(Math.min(...values) - 1e-3);
      expect(mean).toBeLessThanOrEqual(Math.max(...values) + 1e-3);
      expect(plusMinus).toBeGreaterThanOrEqual(0);
      const turned = toAmount(values.toReversed())!;
      expect(turned.mean).toBeCloseTo(mean, 2);
      const shifted = toAmount(values.map((each) => each + shift))!;
      expect(shifted.mean).toBeCloseTo(mean + shift, 1);
      expect(Math.abs(shifted.plusMinus! - plusMinus!)).toBeLessThanOrEqual(0.02 * plusMinus! + 1e-9);
      const doubled = toAmount(values.map((each) => 2 * each))!;
      expect(Math.abs(doubled.plusMinus! - 2 * plusMinus!)).toBeLessThanOrEqual(0.02 * plusMinus! + 1e-9);
    }),
  );
});

test('a range is what the next value is within; what is never below nothing will not be', () => {
  // 2.5 ± 2.353363 × √(5/3 × 5/4)
  const { range } = toAmount([-1, 2, 3, 6])!;
  expect(range![0]).toBeCloseTo(2.5 - 2.353363 * Math.sqrt((25 / 3) * (5 / 4)), 3);
  expect(range![1]).toBeCloseTo(2.5 + 2.353363 * Math.sqrt((25 / 3) * (5 / 4)), 3);
  expect(toAmount([0, 0, 3])!.range![0]).toBe(0);
  expect(toAmount([4, 4])!.range).toEqual([4, 4]);
});

test.each([2, 3, 8, maxFutures])('law: nine of ten ranges of %d values hold the next one', (count) => {
  const rounds = 4000;
  let held = 0;
  for (let round = 0; round < rounds; round++) {
    const [next, ...values] = Array.from({ length: count + 1 }, (_, n) => 50 + 3 * normal(98, 1, round, n));
    const [low, high] = toAmount(values)!.range!;
    if (next! >= low && next! <= high) held++;
  }
  expect(Math.abs(held / rounds - 0.9)).toBeLessThan(0.02);
});

test.each([2, 3, 8, maxFutures])('law: nine of ten intervals of %d values hold the true mean', (count) => {
  const rounds = 4000;
  let held = 0;
  for (let round = 0; round < rounds; round++) {
    const values = Array.from({ length: count }, (_, n) => 5 + 3 * normal(99, 1, round, n));
    const { mean, plusMinus } = toAmount(values)!;
    if (Math.abs(mean - 5) <= plusMinus!) held++;
  }
  // Four deviations of a share of 0.9 in so many rounds.
  expect(Math.abs(held / rounds - 0.9)).toBeLessThan(0.02);
});
