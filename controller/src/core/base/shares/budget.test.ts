// A budget never gives out more than its rate and its reserve, and never refuses for ever what it permits at all.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Budget } from './budget.ts';

test('what is spent never exceeds the reserve, the rate times the time, and one amount above the reserve', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1000 }),
      fc.integer({ min: 1, max: 5000 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 1, max: 8000 })), { maxLength: 60 }),
      (perSecond, reserve, spending) => {
        const budget = new Budget({ perSecond, reserve });
        let now = 1000;
        let spent = 0;
        let largest = 0;
        for (const [pause, amount] of spending) {
          now += pause;
          if (budget.spend('ada', amount, now) === 0) {
            spent += amount;
            largest = Math.max(largest, amount);
          }
          expect(spent).toBeLessThanOrEqual(
            reserve + ((now - 1000) / 1000) * perSecond + Math.max(0, largest - reserve) + 1e-6,
          );
        }
      },
    ),
  );
});

test('after the seconds that it names, the same amount is accepted; a refusal spends nothing', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1 }),
      (perSecond, amounts) => {
        const budget = new Budget({ perSecond, reserve: 100 });
        let now = 0;
        for (const amount of amounts) {
          const wait = budget.spend('ada', amount, now);
          if (wait > 0) {
            now += wait * 1000 + 1e-3;
            expect(budget.spend('ada', amount, now)).toBe(0);
          }
        }
      },
    ),
  );
});

test('one that has used up its budget takes nothing from another', () => {
  const budget = new Budget({ perSecond: 1, reserve: 10 });
  expect(budget.spend('eve', 10, 0)).toBe(0);
  expect(budget.spend('eve', 1, 0)).toBeGreaterThan(0);
  expect(budget.left('eve', 0)).toBe(0);
  expect(budget.left('ada', 0)).toBe(1);
  expect(budget.spend('ada', 10, 0)).toBe(0);
});
