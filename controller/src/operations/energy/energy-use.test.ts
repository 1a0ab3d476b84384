import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EnergySum, measuredPieces, type PowerSamples, toAmount } from './energy-use.ts';

const second = 1_000;
const minute = 60 * second;

/** Reports at any distance, now and then without a value or with nonsense. */
const samples: fc.Arbitrary<PowerSamples> = fc
  .array(
    fc.record({
      gapMs: fc.integer({ min: 1, max: 3 * minute }),
      watts: fc.oneof(fc.double({ min: 0, max: 1_000, noNaN: true }), fc.constantFrom(Number.NaN, -5, Infinity)),
    }),
    { maxLength: 60 },
  )
  .map((reports) => {
    let atMs = 0;
    const endsMs = reports.map(({ gapMs }) => (atMs += gapMs));
    return { endsMs, watts: reports.map(({ watts }) => watts), holdMs: 25 * second, ownMs: 10 * second };
  });
const hour = { startMs: 0, endMs: 60 * minute };
const sumOf = (given: PowerSamples, range = hour, widthMs = minute) => new EnergySum(range, widthMs).add(given);

test('two windows that touch come to what one over both does, wherever they meet', () => {
  fc.assert(
    fc.property(samples, fc.integer({ min: 1, max: hour.endMs - 1 }), (given, middle) => {
      const parts = [sumOf(given, { ...hour, endMs: middle }), sumOf(given, { ...hour, startMs: middle })];
      const whole = sumOf(given);
      expect(parts[0]!.joules + parts[1]!.joules).toBeCloseTo(whole.joules, 3);
      expect(parts[0]!.measuredMs + parts[1]!.measuredMs).toBeCloseTo(whole.measuredMs, 3);
    }),
  );
});

test('it is never negative, never more than the greatest power for the time that is known, and that is never more than there is', () => {
  fc.assert(
    fc.property(samples, (given) => {
      const { joules, measuredMs } = sumOf(given);
      const powers = Array.from(given.watts).filter((watts) => watts >= 0 && watts < Infinity);
      expect(joules).toBeGreaterThanOrEqual(0);
      expect(measuredMs).toBeLessThanOrEqual(hour.endMs);
      expect(joules).toBeLessThanOrEqual((Math.max(0, ...powers) * measuredMs) / 1_000 + 1e-6);
    }),
  );
});

test('no moment counts twice, and a gap longer than reports are apart is left open', () => {
  fc.assert(
    fc.property(samples, (given) => {
      let before = 0;
      for (const { fromMs, toMs } of measuredPieces(given, hour)) {
        expect(fromMs).toBeGreaterThanOrEqual(before);
        expect(toMs - fromMs).toBeLessThanOrEqual(given.holdMs);
        before = toMs;
      }
    }),
  );
});

test('buckets that are known as a whole hold all of it; what is known of a bucket stands for it, and nothing is null', () => {
  fc.assert(
    fc.property(samples, fc.constantFrom(7 * second, minute, 10 * minute), (given, widthMs) => {
      const sum = new EnergySum(hour, widthMs);
      const { measuredMs } = sum.add(given);
      const powers = Array.from(given.watts).filter((watts) => watts >= 0 && watts < Infinity);
      const known = sum.watts.filter((watts) => watts !== null);
      for (const watts of known) {
        expect(watts).toBeGreaterThanOrEqual(Math.min(...powers) - 1e-6);
        expect(watts).toBeLessThanOrEqual(Math.max(...powers) + 1e-6);
      }
      expect(measuredMs).toBeLessThanOrEqual(known.length * widthMs);
      const steady = {
        endsMs: [0, 1, 2, 3].map((n) => n * 20 * second),
        watts: [9, 1, 2, 3],
        holdMs: minute,
        ownMs: second,
      };
      const [first] = [new EnergySum({ startMs: 0, endMs: minute }, minute)];
      expect(first!.add(steady).joules).toBeCloseTo(first!.watts[0]! * 60, 9);
    }),
  );
});

test('a sample stands for the time since the one before; after a gap for its own interval', () => {
  const given = {
    endsMs: [10, 20, 90, 100].map((at) => at * second),
    watts: [60, 60, 120, 120],
    holdMs: 25 * second,
    ownMs: 10 * second,
  };
  // 0-20 at 60 W, 20-80 unknown, 80-100 at 120 W.
  expect(sumOf(given)).toEqual({ joules: 20 * 60 + 20 * 120, measuredMs: 40 * second });
  const sum = new EnergySum({ startMs: 0, endMs: 100 * second }, 20 * second);
  sum.add(given);
  expect(sum.watts).toEqual([60, null, null, null, 120]);
  // What is known of a longer bucket stands for all of it.
  const halves = new EnergySum({ startMs: 0, endMs: 100 * second }, 50 * second);
  halves.add(given);
  expect(halves.watts).toEqual([60, 120]);
});

test('a kWh has its price and its CO₂', () => {
  expect(toAmount(3.6e6, { currency: 'EUR', price_per_kwh: 0.25, co2_g_per_kwh: 380 })).toEqual({
    kwh: 1,
    cost: 0.25,
    co2_kg: 0.38,
  });
});
