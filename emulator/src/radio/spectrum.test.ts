import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Band, coupling, maskReachWidths } from './spectrum.ts';

const band = (lowMhz: number, width: number): Band => ({ lowMhz, highMhz: lowMhz + width });
const width = fc.constantFrom(20, 40, 80, 160);
const low = fc.integer({ min: 0, max: 60 }).map((n) => 5000 + 20 * n);

test('within one another everything counts, by the share of the sender', () => {
  expect(coupling(band(5170, 40), band(5170, 40))).toBeCloseTo(1, 12);
  expect(coupling(band(5170, 80), band(5170, 20))).toBeCloseTo(0.25, 2);
  expect(coupling(band(5170, 20), band(5170, 80))).toBe(1);
});

test('beside it the mask: about -26 dB in the next channel of the same width', () => {
  // (mean of 10^-2..10^-2.8 and of 10^-2.8..10^-4) over half a width each, by hand
  const mean = (a: number, b: number) => (10 ** a - 10 ** b) / ((a - b) * Math.log(10));
  const byHand = (mean(-2, -2.8) + mean(-2.8, -4)) / 2;
  expect(coupling(band(5170, 40), band(5210, 40))).toBeCloseTo(byHand, 9);
  expect(10 * Math.log10(byHand)).toBeCloseTo(-25.8, 0);
});

test('beyond the mask nothing', () => {
  fc.assert(
    fc.property(low, width, fc.integer({ min: 0, max: 20 }), width, (at, w, gap, other) => {
      const far = at + w / 2 + maskReachWidths * w + gap;
      expect(coupling(band(at, w), band(far, other))).toBe(0);
    }),
  );
});

test('never more than everything, and a wider receiver never takes in less', () => {
  fc.assert(
    fc.property(low, width, low, width, (at, w, otherAt, other) => {
      const share = coupling(band(at, w), band(otherAt, other));
      expect(share).toBeGreaterThanOrEqual(0);
      expect(share).toBeLessThanOrEqual(1);
      expect(coupling(band(at, w), band(otherAt, other + 20))).toBeGreaterThanOrEqual(share - 1e-12);
    }),
  );
});
