// Two budgets with one account decide as two budgets with an account each would, and spend both amounts or none.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Budget } from './budget.ts';
import { JointBudget } from './joint-budget.ts';

const rate = fc.record({ perSecond: fc.integer({ min: 1, max: 100 }), reserve: fc.integer({ min: 1, max: 500 }) });
const spending = fc.record({
  pauseMs: fc.integer({ min: 0, max: 3000 }),
  principal: fc.constantFrom('ada', 'eve'),
  first: fc.integer({ min: 0, max: 800 }),
  second: fc.integer({ min: 0, max: 800 }),
});

test('it accepts and refuses as two budgets do, and what one refuses is not spent of the other', () => {
  fc.assert(
    fc.property(rate, rate, fc.array(spending, { maxLength: 60 }), (firstRate, secondRate, all) => {
      const joint = new JointBudget(firstRate, secondRate);
      const first = new Budget(firstRate);
      const second = new Budget(secondRate);
      let now = 1000;
      for (const { pauseMs, principal, ...amounts } of all) {
        now += pauseMs;
        const left = joint.left(principal, now);
        expect(left.first).toBeCloseTo(first.left(principal, now), 9);
        expect(left.second).toBeCloseTo(second.left(principal, now), 9);
        const usedUp = joint.spend(principal, amounts.first, amounts.second, now);
        if (!usedUp) {
          expect(first.spend(principal, amounts.first, now)).toBe(0);
          expect(second.spend(principal, amounts.second, now)).toBe(0);
        } else {
          const [budget, amount] = usedUp.which === 'first' ? [first, amounts.first] : [second, amounts.second];
          expect(budget.spend(principal, amount, now)).toBeCloseTo(usedUp.seconds, 9);
        }
      }
      expect(joint.refused).toEqual({ first: first.refused, second: second.refused });
    }),
  );
});
