// Buckets have round widths and are never more than asked for.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseBucketWidth } from './bucket-frame.ts';

const hour = 3_600_000;
const day = 24 * hour;

test.each([
  ['5 minutes in 300', 300_000, 300, 2_000],
  ['a day in 300', day, 300, 300_000],
  ['30 days in 300', 30 * day, 300, 3 * hour],
  ['400 days in 5,000', 400 * day, 5000, 2 * hour],
])('%s buckets', (_, span, maxBuckets, width) => {
  const end = Date.UTC(2026, 10, 15, 2, 3, 4);
  expect(chooseBucketWidth(end - span, end, maxBuckets)).toBe(width);
});

test('there are never more buckets than asked for, and no narrower width would do', () => {
  const anyMax = fc.integer({ min: 2, max: 5000 });
  const range = fc.record({
    start: fc.integer({ min: 0, max: 2 ** 41 }),
    length: fc.integer({ min: 1, max: 400 * day }),
  });
  fc.assert(
    fc.property(range, anyMax, range, anyMax, ({ start, length }, max, other, otherMax) => {
      const buckets = (width: number) => Math.floor((start + length) / width) - Math.floor(start / width) + 1;
      const width = chooseBucketWidth(start, start + length, max);
      expect(buckets(width)).toBeLessThanOrEqual(max);
      // Whatever else is a round width.
      const another = chooseBucketWidth(other.start, other.start + other.length, otherMax);
      if (another < width) expect(buckets(another)).toBeGreaterThan(max);
    }),
  );
});
