import { expect, test } from 'vitest';
import { nrRateBps } from './nr-cqi.ts';

const efficiencyToBps = 273 * 12 * 28_000 * 0.86 * 0.75 * 0.9;

test('two layers have half of the power each, and are used where they give more', () => {
  // 10 dB: one layer reaches CQI 6 (2.4063), each of two with 7 dB CQI 5 (1.9141).
  expect(nrRateBps(10) / efficiencyToBps).toBeCloseTo(2 * 1.9141, 6);
  // Where a layer with half of the power has no CQI, there is one.
  expect(nrRateBps(0.2) / efficiencyToBps).toBeCloseTo(0.1523, 6);
  // The best is CQI 15 on both, and it needs 3 dB more than on one.
  expect(nrRateBps(1e6) / efficiencyToBps).toBeCloseTo(2 * 7.4063, 6);
  const needed = 2 ** (7.4063 / 0.75) - 1;
  expect(nrRateBps(needed * 1.99) / efficiencyToBps).toBeCloseTo(2 * 6.9141, 6);
});
