// Energy is what the counters say, for any number of access points, any number of looks, and counters that begin anew.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawnBetween, drawnOf, drawnSince, EnergyMeter, type Reading, readingsOf } from './fleet-energy.ts';

const reading = (time: number, energyKwh?: number, powerW?: number): Reading => ({ time, energyKwh, powerW });
const ts = (seconds: number) => new Date(seconds * 1000).toISOString();

describe('the meter', () => {
  /** Energy per step and agent, in Wh; true: the counter begins anew before the step. */
  const step = fc.record({ wattHours: fc.nat(500), isReset: fc.boolean() });
  const agents = fc.integer({ min: 1, max: 120 });

  function run(
    steps: readonly { wattHours: number; isReset: boolean }[],
    count: number,
    isLookedAt: (n: number) => boolean,
  ) {
    const meter = new EnergyMeter();
    let counter = 5000;
    const look = (time: number) =>
      meter.note(
        new Map(Array.from({ length: count }, (_, index) => [`ap-${index}`, reading(time, (counter + index) / 1000)])),
      );
    look(0);
    for (const [index, { wattHours, isReset }] of steps.entries()) {
      // Each counter starts where its index says, so that the first value after a reset is no more than was drawn.
      counter = isReset ? wattHours : counter + wattHours;
      if (isLookedAt(index)) look(index + 1);
    }
    return meter.wattHours;
  }

  it('counts what was drawn, however many there are and however seldom one looks', () => {
    const steady = fc.array(fc.nat(500), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(steady, agents, fc.integer({ min: 1, max: 9 }), (wattHours, count, every) => {
        const steps = wattHours.map((amount) => ({ wattHours: amount, isReset: false }));
        const total = wattHours.reduce((sum, amount) => sum + amount, 0) * count;
        const counted = run(steps, count, (index) => index % every === 0 || index === steps.length - 1);
        expect(counted).toBeCloseTo(total, 3);
      }),
    );
  });

  it('loses nothing at a counter that begins anew, and never counts backwards', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
        const total = steps.reduce((sum, { wattHours }) => sum + wattHours, 0);
        // A reset that ends above the old value cannot be told from going on.
        let counter = 5000;
        let expected = 0;
        for (const { wattHours, isReset } of steps) {
          const next = isReset ? wattHours : counter + wattHours;
          expected += next >= counter ? next - counter : next;
          counter = next;
        }
        const counted = run(steps, 1, () => true);
        expect(counted).toBeCloseTo(expected, 6);
        expect(counted).toBeLessThanOrEqual(total + 1e-6);
      }),
    );
  });

  it('takes a reading once, and begins with the first of each', () => {
    const meter = new EnergyMeter();
    expect(meter.note(new Map([['a', reading(10, 7)]]))).toBe(0);
    expect(meter.note(new Map([['a', reading(10, 7)]]))).toBe(0);
    const second = new Map([
      ['a', reading(12, 7.001)],
      ['b', reading(12, 900)],
    ]);
    expect(meter.note(second)).toBeCloseTo(1, 9);
    expect(meter.note(new Map([['a', reading(11, 6)]]))).toBe(0);
    expect(meter.wattHours).toBeCloseTo(1, 9);
  });
});

it('without a counter power counts, but not through a silence', () => {
  expect(drawnBetween(reading(0, undefined, 100), reading(36, undefined, 300))).toBeCloseTo(2, 9);
  expect(drawnBetween(reading(0, undefined, 100), reading(3600, undefined, 100))).toBe(0);
});

it('reads counters and power from the newest values, and leaves out who has neither', () => {
  const at = ts(100);
  const agents = [
    {
      ap_id: 'a',
      presence: 'online' as const,
      metrics: { energy_kwh: { ts: at, value: 1.5 }, power_w: { ts: at, value: 9 } },
    },
    { ap_id: 'b', presence: 'online' as const, metrics: { power_w: { ts: at, value: 4 } } },
    { ap_id: 'c', presence: 'online' as const, metrics: { energy_kwh: { ts: at, value: 'much' } } },
  ];
  expect([...readingsOf(agents)]).toEqual([
    ['a', { time: 100, energyKwh: 1.5, powerW: 9 }],
    ['b', { time: 100, energyKwh: undefined, powerW: 4 }],
  ]);
});

it('a stored series gives what was drawn from point to point, within the window', () => {
  const counted = drawnOf([
    { metric: 'energy_kwh', points: [2, 2.5, 0.25].map((value, index) => ({ ts: ts(index * 60), value })) },
    { metric: 'power_w', points: [{ ts: ts(0), value: 1e9 }] },
  ]);
  expect(counted).toEqual([
    { time: 60, wattHours: 500 },
    { time: 120, wattHours: 250 },
  ]);
  expect(drawnSince(counted, 60)).toBe(250);
  const powered = drawnOf([{ metric: 'power_w', points: [0, 3600].map((time) => ({ ts: ts(time), value: 40 })) }]);
  expect(powered).toEqual([{ time: 3600, wattHours: 40 }]);
  const broken = [0, 60, 120, 9000, 9060].map((time) => ({ ts: ts(time), value: 60 }));
  expect(drawnSince(drawnOf([{ metric: 'power_w', points: broken }], 60), 0)).toBeCloseTo(3, 9);
});
