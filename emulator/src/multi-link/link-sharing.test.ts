import fc from 'fast-check';
import { expect, test } from 'vitest';
import { baseMs } from '../traffic/scheduler.ts';
import { linkModes } from '../world/world-spec.ts';
import { type Choice, type LinkView, sharesOf } from './link-sharing.ts';

const link = fc.record<LinkView>({
  isUsable: fc.boolean(),
  bps: fc.double({ min: 1, max: 1e9, noNaN: true }),
  usableSteps: fc.nat(10),
  weight: fc.oneof(fc.constant(0), fc.double({ min: 0.01, max: 10, noNaN: true })),
});
const choices = fc.record<Choice>({
  mode: fc.constantFrom(...linkModes.slice(1)),
  primary: fc.integer({ min: -1, max: 2 }),
  carrier: fc.integer({ min: -1, max: 2 }),
  waitingBits: fc.oneof(fc.constant(0), fc.double({ min: 1, max: 1e9, noNaN: true })),
  links: fc.tuple(link, link, link),
});
const usableIn = ({ links }: Choice) => [0, 1, 2].filter((type) => links[type]!.isUsable);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

test('all traffic goes somewhere as long as there is a link, once or, in copies, once for each; nothing to links that do not work', () => {
  fc.assert(
    fc.property(choices, (choice) => {
      const shares = sharesOf(choice);
      const usable = usableIn(choice);
      for (const [type, share] of shares.entries()) {
        expect(share).toBeGreaterThanOrEqual(0);
        if (!usable.includes(type)) expect(share).toBe(0);
      }
      const expected = choice.mode === 'redundant' ? usable.length : Math.min(1, usable.length);
      expect(sum(shares)).toBeCloseTo(expected, 9);
    }),
  );
});

test('active_standby and smallest_delay use one link at a time', () => {
  const one = choices.filter((choice) => usableIn(choice).length > 0);
  fc.assert(
    fc.property(one, fc.constantFrom('active_standby' as const, 'smallest_delay' as const), (choice, mode) => {
      expect(sharesOf({ ...choice, mode }).filter((share) => share > 0)).toEqual([1]);
    }),
  );
});

test('active_standby: the first link if it works and has for a while; else the one that carries, as long as it does', () => {
  const of = (usableSteps: number, carrier: number, hasWifi = true) =>
    sharesOf({
      mode: 'active_standby',
      primary: 2,
      carrier,
      waitingBits: 1e6,
      links: [
        { isUsable: true, bps: 1e8, usableSteps: 50, weight: 0 },
        { isUsable: hasWifi, bps: 1e8, usableSteps: 50, weight: 0 },
        { isUsable: usableSteps > 0, bps: 1e7, usableSteps, weight: 0 },
      ],
    }).indexOf(1);
  expect(of(1, 2)).toBe(2);
  expect(of(0, 2)).toBe(1);
  expect(of(1, 1)).toBe(1);
  expect(of(4, 1)).toBe(2);
  expect(of(0, 0)).toBe(1);
  expect(of(0, 1, false)).toBe(0);
});

test('load_balancing: shares relate as the weights of the links that work', () => {
  fc.assert(
    fc.property(choices, (choice) => {
      const usable = usableIn(choice).filter((type) => choice.links[type]!.weight > 0);
      const shares = sharesOf({ ...choice, mode: 'load_balancing' });
      const all = sum(usable.map((type) => choice.links[type]!.weight));
      for (const type of usable) expect(shares[type]).toBeCloseTo(choice.links[type]!.weight / all, 9);
    }),
  );
});

test('smallest_delay never chooses the slower of two links', () => {
  fc.assert(
    fc.property(choices, (choice) => {
      const shares = sharesOf({ ...choice, mode: 'smallest_delay' });
      const bits = Math.max(12_000, choice.waitingBits);
      const delay = (type: number) => baseMs[type]! + (1000 * bits) / choice.links[type]!.bps;
      const chosen = shares.indexOf(1);
      for (const type of usableIn(choice)) expect(delay(chosen)).toBeLessThanOrEqual(delay(type));
    }),
  );
});

test('priority: the second link gets only what the first cannot serve in the second', () => {
  fc.assert(
    fc.property(choices, (choice) => {
      fc.pre(usableIn(choice).includes(choice.primary) && choice.waitingBits > 0);
      const shares = sharesOf({ ...choice, mode: 'priority' });
      const first = Math.min(1, choice.links[choice.primary]!.bps / choice.waitingBits);
      expect(shares[choice.primary]).toBeCloseTo(usableIn(choice).length === 1 ? 1 : first, 9);
    }),
  );
});
