import { expect, test } from 'vitest';
import { inInterval, intervalOf } from './interval.ts';

test('the interval is that of Student for few values', () => {
  const { mean, margin } = intervalOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(mean).toBe(5.5);
  // 1.833 × 3.0277 / √10
  expect(margin).toBeCloseTo(1.755, 3);
});

test('one value has no interval', () => {
  expect(intervalOf([3])).toEqual({ mean: 3, margin: Number.NaN });
  expect(inInterval(intervalOf([3]), 1)).toBe('3.0');
});

test('is written with a sign where it is a difference', () => {
  expect(inInterval({ mean: 1.26, margin: 0.5 }, 1)).toBe('1.3 ± 0.5');
  expect(inInterval({ mean: 1.26, margin: 0.5 }, 1, true)).toBe('+1.3 ± 0.5');
  expect(inInterval({ mean: -1.26, margin: 0.5 }, 1, true)).toBe('−1.3 ± 0.5');
  expect(inInterval({ mean: -0.01, margin: 0.5 }, 1, true)).toBe('0.0 ± 0.5');
});
