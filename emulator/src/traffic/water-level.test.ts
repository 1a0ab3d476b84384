import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WaterLevel } from './water-level.ts';

const needs = fc.array(fc.double({ min: 0, max: 2, noNaN: true }), { minLength: 1, maxLength: 80 });
const capacity = fc.double({ min: 0, max: 3, noNaN: true });

function sharesOf(needs: readonly number[], capacity: number): number[] {
  const water = new WaterLevel();
  water.begin();
  for (const need of needs) water.add(need);
  water.settle(capacity);
  return needs.map((need) => Math.min(need, water.shareOf(need)));
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

test('shares sum to the resource or to what is needed, whichever is less', () => {
  fc.assert(
    fc.property(needs, capacity, (needs, capacity) => {
      expect(sum(sharesOf(needs, capacity))).toBeCloseTo(Math.min(capacity, sum(needs)), 9);
    }),
  );
});

test('who gets less than needed gets as much as anybody', () => {
  fc.assert(
    fc.property(needs, capacity, (needs, capacity) => {
      const shares = sharesOf(needs, capacity);
      const most = Math.max(...shares);
      for (const [n, share] of shares.entries()) if (share < needs[n]! - 1e-9) expect(share).toBeCloseTo(most, 9);
    }),
  );
});

test('who needs more never gives others more, nor gets less; more of the resource gives nobody less', () => {
  fc.assert(
    fc.property(needs, capacity, fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), (needs, capacity, who, more) => {
      const one = who % needs.length;
      const before = sharesOf(needs, capacity);
      const after = sharesOf(
        needs.map((need, n) => (n === one ? need + more : need)),
        capacity,
      );
      for (const [n, share] of after.entries()) {
        if (n === one) expect(share).toBeGreaterThanOrEqual(before[n]! - 1e-12);
        else expect(share).toBeLessThanOrEqual(before[n]! + 1e-12);
      }
      for (const [n, share] of sharesOf(needs, capacity + more).entries()) {
        expect(share).toBeGreaterThanOrEqual(before[n]! - 1e-12);
      }
    }),
  );
});

test('what one would get without end: alone everything, among others what they leave', () => {
  const water = new WaterLevel();
  water.begin();
  for (const need of [0.1, 0.2, 0.1]) water.add(need);
  water.settle(1);
  expect(water.shareOf(0.2)).toBeCloseTo(0.8, 12);
  expect(water.shareOf(0.1)).toBeCloseTo(0.7, 12);
});
