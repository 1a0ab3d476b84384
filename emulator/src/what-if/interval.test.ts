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
