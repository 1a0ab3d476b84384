import { exp, fromDb, toDb } from '@weft/contract/exact-math';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normal } from '../randomness.ts';
import {
  breakpointM,
  correlatedShadowDb,
  losProbability,
  type NrScenario,
  noisePerElementDbm,
  nrPathLossDb,
  nrRsrqDb,
  nrSinr,
  resourceElementDbm,
  verticalPatternDb,
  wallLossDb,
} from './nr.ts';
import {
  carrierPrbs,
  cqiOf,
  cqiThresholdDb,
  nrRateBps,
  peakThroughputBps,
  spectralEfficiencies,
  throughputBps,
} from './nr-cqi.ts';
import { nrPowerW, nrTransition } from './nr-power.ts';

const frequencyGhz = 3.5;
/** The tables are good to a tenth of a decibel, and are rounded to one. */
const expectDb = (value: number, expected: number) => expect(Math.abs(value - expected)).toBeLessThanOrEqual(0.1);
const lossDb = (scenario: NrScenario, isLineOfSight: boolean, distanceM: number) =>
  nrPathLossDb({ scenario, isLineOfSight, distance2dM: distanceM, distance3dM: distanceM, frequencyGhz });

describe('path loss at 3.5 GHz', () => {
  test.each<[number, ...(number | undefined)[]]>([
    [10, 64.3, 69.3, 60.9, 63.5, 60.6, 69.1],
    [50, 79.0, 94.0, 76.3, 90.8, 72.7, 95.9],
    [100, 85.3, 104.6, 82.9, 102.6, 77.9, 107.4],
    [200, 91.6, 115.2, 89.5, 114.3, undefined, undefined],
  ])('at %d m', (distanceM, ...expected) => {
    const cases = (['UMi', 'UMa', 'InH'] as const).flatMap((scenario) =>
      [true, false].map((los) => [scenario, los] as const),
    );
    for (const [index, [scenario, isLineOfSight]] of cases.entries()) {
      if (expected[index] !== undefined) expectDb(lossDb(scenario, isLineOfSight, distanceM), expected[index]);
    }
  });

  test('bends at the breakpoint, without a jump', () => {
    expect(breakpointM('UMi', frequencyGhz)).toBeCloseTo(210, 0);
    expect(breakpointM('UMa', frequencyGhz)).toBeCloseTo(560, 0);
    for (const scenario of ['UMi', 'UMa'] as const) {
      const edge = breakpointM(scenario, frequencyGhz);
      const lossAt = (distance2dM: number) => {
        const drop = (scenario === 'UMi' ? 10 : 25) - 1.5;
        const distance3dM = Math.sqrt(distance2dM ** 2 + drop ** 2);
        return nrPathLossDb({ scenario, isLineOfSight: true, distance2dM, distance3dM, frequencyGhz });
      };
      expectDb(lossAt(edge + 0.01), lossAt(edge));
      expectDb(lossAt(edge * 4) - lossAt(edge * 2), 12);
    }
  });

  test('is never less without a line of sight than with one', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<NrScenario>('UMi', 'UMa', 'InH'),
        fc.double({ min: 1, max: 2000, noNaN: true }),
        (scenario, d) => {
          return lossDb(scenario, false, d) >= lossDb(scenario, true, d);
        },
      ),
    );
  });
});

test('line of sight is certain close by and rare far away', () => {
  expect([losProbability('UMi', 18), losProbability('UMa', 18), losProbability('InH', 1.2)]).toEqual([1, 1, 1]);
  expect(losProbability('UMi', 100)).toBeCloseTo(0.18 + Math.exp(-100 / 36) * 0.82, 9);
  expect(losProbability('UMa', 100)).toBeCloseTo(0.18 + Math.exp(-100 / 63) * 0.82, 9);
  expect(losProbability('InH', 5)).toBeCloseTo(Math.exp(-3.8 / 4.7), 9);
  expect(losProbability('InH', 20)).toBeCloseTo(0.32 * Math.exp(-13.5 / 32.6), 9);
  expect(losProbability('InH', 20, 'open')).toBeCloseTo(Math.exp(-15 / 70.8), 9);
  expect(losProbability('InH', 60, 'open')).toBeCloseTo(0.54 * Math.exp(-11 / 211.7), 9);
});

test('shadowing keeps its deviation and forgets with distance', () => {
  expect(correlatedShadowDb(5, 0, 13, 7.82, 2)).toBe(5);
  let shadow = 7.82 * normal(1, 1, 0, 0);
  const values: number[] = [];
  for (let n = 1; n <= 100_000; n++) {
    shadow = correlatedShadowDb(shadow, 5, 13, 7.82, normal(1, 1, 0, n));
    values.push(shadow);
  }
  const mean = (list: number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const variance = mean(values.map((value) => value ** 2));
  expect(Math.abs(Math.sqrt(variance) / 7.82 - 1)).toBeLessThan(0.02);
  const neighbours = mean(values.slice(1).map((value, n) => value * values[n]!)) / variance;
  expect(Math.abs(neighbours - exp(-5 / 13))).toBeLessThan(0.02);
});

test('walls take 12.7 or 26.8 dB, and half a decibel a metre behind them', () => {
  expectDb(wallLossDb('low', frequencyGhz), 12.7);
  expectDb(wallLossDb('high', frequencyGhz), 26.8);
  expect(wallLossDb('low', frequencyGhz, 10) - wallLossDb('low', frequencyGhz)).toBeCloseTo(5, 9);
});

describe('what a device measures', () => {
  const elementDbm = resourceElementDbm(33, 273);

  test('RSRP and noise', () => {
    expectDb(elementDbm + 8 - lossDb('UMi', true, 100), -79.4);
    expectDb(elementDbm + 8 - lossDb('UMi', false, 100), -98.7);
    expectDb(noisePerElementDbm(30, 9), -120.2);
  });

  test('SINR falls when a neighbour gets louder or busier', () => {
    const power = fc.double({ min: -140, max: -60, noNaN: true });
    fc.assert(
      fc.property(power, power, fc.double({ min: 0.1, max: 10, noNaN: true }), (signal, neighbour, more) => {
        const noise = fromDb(-120.2);
        const before = nrSinr(fromDb(signal), fromDb(neighbour) * 0.5, noise);
        return nrSinr(fromDb(signal), fromDb(neighbour + more) * 0.5, noise) < before;
      }),
    );
    expectDb(toDb(nrSinr(fromDb(-90), 0, fromDb(-120.2))), 30.2);
  });

  test('RSRQ is -3 dB in an idle cell and -10.8 dB in a full one', () => {
    expectDb(nrRsrqDb(1, 0, 0, 0), -3);
    expectDb(nrRsrqDb(1, 1, 0, 0), -10.8);
  });

  test('the beam points where it is tilted to', () => {
    expect(verticalPatternDb(6, 6)).toBe(-0);
    expectDb(verticalPatternDb(13.5, 6), -3);
    expect(verticalPatternDb(90, 0)).toBe(-20);
  });
});

describe('CQI and throughput', () => {
  test('the thresholds', () => {
    const expected = [-8.2, -3.8, 1.0, 4.6, 6.9, 9.2, 10.6, 13.1, 15.5, 18.1, 20.5, 22.3, 25.0, 27.7, 29.7];
    for (const [index, threshold] of expected.entries()) {
      expectDb(cqiThresholdDb(index + 1), threshold);
      expect(cqiOf(fromDb(threshold + 0.1))).toBe(index + 1);
      expect(cqiOf(fromDb(threshold - 0.1))).toBe(index);
    }
  });

  test('a full carrier', () => {
    expect(carrierPrbs).toBe(273);
    expect(peakThroughputBps(273, spectralEfficiencies[15], 1) / 1e6).toBeCloseTo(584, 0);
    expect(peakThroughputBps(273, spectralEfficiencies[15], 4) / 1e6).toBeCloseTo(2337, 0);
    expect(throughputBps(273, 7.4063, 4) / peakThroughputBps(273, 7.4063, 4)).toBeCloseTo(0.675, 9);
  });
});

describe('power', () => {
  test('full load is what EARTH measured; the states stand to each other as in TR 38.864, category 2', () => {
    const full = 2 * (56 + 2.6 * 6.3);
    expect(nrPowerW('UMi', 'sending', 38, 1)).toBeCloseTo(full, 9);
    expect(nrPowerW('UMi', 'deep', 38, 1)).toBeCloseTo(full / 32, 9);
    expect(nrPowerW('UMi', 'light', 38, 1)).toBeCloseTo((full * 2.1) / 32, 9);
    expect(nrPowerW('UMi', 'starting', 38, 1)).toBeCloseTo((full * 5.5) / 32, 9);
    expect(nrTransition('UMi', 'deep')).toEqual({ seconds: 10, energyJ: (17 * full) / 32 });
  });

  test('more load and more power never draw less', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, fc.double({ min: 10, max: 38, noNaN: true }), (load, more, dbm) => {
        const draw = (dbm: number, load: number) => nrPowerW('UMi', 'sending', dbm, load);
        expect(draw(dbm, Math.min(1, load + more))).toBeGreaterThanOrEqual(draw(dbm, load));
        expect(draw(dbm - 3, load)).toBeLessThan(draw(dbm, load));
      }),
    );
  });
});

test('two layers share the power: never worse than one, never double at the same SINR', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -10, max: 45, noNaN: true }),
      fc.double({ min: 0, max: 5, noNaN: true }),
      (db, more) => {
        const sinr = 10 ** (db / 10);
        const one = throughputBps(273, spectralEfficiencies[cqiOf(sinr)]!, 1);
        expect(nrRateBps(sinr)).toBeGreaterThanOrEqual(one);
        expect(nrRateBps(sinr * 10 ** (more / 10))).toBeGreaterThanOrEqual(nrRateBps(sinr));
        expect(nrRateBps(sinr)).toBeLessThanOrEqual(2 * one);
      },
    ),
  );
  // Around 10 dB nothing jumps to twice: CQI 7 on two layers of 7 dB against CQI 8 on one.
  expect(nrRateBps(10 ** 1.001) / nrRateBps(10 ** 0.999)).toBeLessThan(1.3);
});

test('twice the blocks at the same SINR, twice the rate', () => {
  for (const efficiency of spectralEfficiencies) {
    expect(throughputBps(2 * 106, efficiency, 1)).toBeCloseTo(2 * throughputBps(106, efficiency, 1), 3);
  }
});
