import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import truth from '../../../research/ns3/results.json' with { type: 'json' };
import {
  channelSpanMhz,
  channelsOverlap,
  goodputMbps,
  heRateMbps,
  mcsOfSinr,
  neededSinrDb,
  noiseFloorDbm,
  packetErrorShare,
  usualWifiRadio,
  type WifiWidth,
  wifiLinkOf,
  wifiPathLossDb,
  wifiPowerW,
} from './wifi.ts';

const ns3Thresholds = truth.neededDb;
const expectDb = (value: number, expected: number) => expect(Math.abs(value - expected)).toBeLessThanOrEqual(0.1);

describe('path loss at 5.25 GHz', () => {
  // In offices the slope changes at 10 m; other codes say 5.
  test.each([
    [5, 60.8],
    [10, 66.8],
    [20, 77.4],
    [40, 87.9],
    [80, 98.5],
  ])('in an office at %d m', (distanceM, expected) =>
    expectDb(wifiPathLossDb('enterprise', distanceM, 5.25), expected),
  );

  test.each([
    [10, 71.4],
    [20, 81.9],
    [40, 92.4],
  ])('at home at %d m', (distanceM, expected) => expectDb(wifiPathLossDb('residential', distanceM, 5.25), expected));

  test('walls and floors', () => {
    const open = wifiPathLossDb('enterprise', 20, 5.25);
    expectDb(wifiPathLossDb('enterprise', 20, 5.25, 2) - open, 14);
    const home = wifiPathLossDb('residential', 10, 5.25);
    expectDb(wifiPathLossDb('residential', 10, 5.25, 1) - home, 5);
    expectDb(wifiPathLossDb('residential', 10, 5.25, 0, 1) - home, 18.3);
    expectDb(wifiPathLossDb('residential', 10, 5.25, 0, 2) - home, 18.3 * 2 ** (4 / 3 - 0.46));
  });
});

describe('HE rates of one stream', () => {
  test.each<[number, ...number[]]>([
    [0, 8.6, 17.2, 36.0, 72.1],
    [1, 17.2, 34.4, 72.1, 144.1],
    [2, 25.8, 51.6, 108.1, 216.2],
    [3, 34.4, 68.8, 144.1, 288.2],
    [4, 51.6, 103.2, 216.2, 432.4],
    [5, 68.8, 137.6, 288.2, 576.5],
    [6, 77.4, 154.9, 324.3, 648.5],
    [7, 86.0, 172.1, 360.3, 720.6],
    [8, 103.2, 206.5, 432.4, 864.7],
    [9, 114.7, 229.4, 480.4, 960.8],
    [10, 129.0, 258.1, 540.4, 1080.9],
    [11, 143.4, 286.8, 600.5, 1201.0],
  ])('MCS %d', (mcs, ...expected) => {
    for (const [index, width] of ([20, 40, 80, 160] as WifiWidth[]).entries()) {
      expect(Math.abs(heRateMbps(mcs, width) - expected[index]!)).toBeLessThanOrEqual(0.06);
    }
  });

  test('streams multiply, longer guards cost', () => {
    expect(heRateMbps(7, 80, 2)).toBeCloseTo(2 * heRateMbps(7, 80), 9);
    expect(heRateMbps(7, 80, 1, 1.6)).toBeCloseTo((heRateMbps(7, 80) * 13.6) / 14.4, 9);
    expect(heRateMbps(7, 80, 1, 3.2)).toBeCloseTo((heRateMbps(7, 80) * 13.6) / 16, 9);
  });

  test('each needs its SNR: what ns-3 asks for, and the margin of the receiver', () => {
    const [, ...ns3] = ns3Thresholds;
    for (const [mcs, db] of ns3Thresholds.slice(0, 10).entries()) expectDb(neededSinrDb(mcs, 0), db);
    // For 1024-QAM ns-3 has no table, and a bound instead.
    for (const mcs of [10, 11]) expect(neededSinrDb(mcs, 0)).toBeLessThan(ns3[mcs - 1]!);
    expect(neededSinrDb(4) - neededSinrDb(4, 0)).toBeCloseTo(3, 9);
    expect([mcsOfSinr(10 ** 0.46), mcsOfSinr(10 ** 0.44), mcsOfSinr(10 ** 2.4), mcsOfSinr(1e6)]).toEqual([
      0, -1, 7, 11,
    ]);
    expect(mcsOfSinr(0)).toBe(-1);
  });
});

test('the noise floor rises with the width', () => {
  for (const [width, expected] of [
    [20, -94],
    [40, -91],
    [80, -88],
    [160, -85],
  ] as const) {
    expectDb(noiseFloorDbm(width), expected);
  }
});

describe('contention', () => {
  test('frames are lost at the edge of what their MCS needs', () => {
    expect(packetErrorShare(0)).toBeCloseTo(0.01, 9);
    expect(packetErrorShare(3)).toBeLessThan(packetErrorShare(1));
  });

  test('channels overlap as far as they are wide', () => {
    expect(channelSpanMhz(36, 40)).toEqual([5170, 5210]);
    expect(channelSpanMhz(149, 20)).toEqual([5735, 5755]);
    expect([channelsOverlap(36, 40, 20), channelsOverlap(36, 40, 40), channelsOverlap(40, 44, 40)]).toEqual([
      false,
      true,
      false,
    ]);
    expect([channelsOverlap(36, 48, 80), channelsOverlap(64, 100, 160)]).toEqual([true, false]);
  });
});

test('an access point draws more when it sends and less asleep', () => {
  expect(wifiPowerW(true, 20, 0)).toBe(6);
  expect(wifiPowerW(true, 20, 1)).toBeCloseTo(10.2, 9);
  expect(wifiPowerW(true, 23, 0.5)).toBeGreaterThan(wifiPowerW(true, 20, 0.5));
  expect(wifiPowerW(false, 20, 0)).toBe(0.9);
});

describe('the best way to send', () => {
  test('one stream or two: two halve the power of each', () => {
    // Loud and clear: both streams at the highest code. Weak: one stream is all there is.
    expect(wifiLinkOf(10 ** 5, 40)).toMatchObject({ mcs: 11, streams: 2 });
    expect(wifiLinkOf(10 ** 0.5, 40)).toMatchObject({ mcs: 0, streams: 1 });
    expect(wifiLinkOf(10 ** 0.4, 40)).toBeUndefined();
    expect(wifiLinkOf(10 ** 5, 40, { ...usualWifiRadio, streams: 1 })).toMatchObject({ mcs: 11, streams: 1 });
  });

  test('twice the width at the same SINR, twice the rate', () => {
    for (const width of [20, 40, 80] as const) {
      const wide = (2 * width) as WifiWidth;
      const ratio = wifiLinkOf(10 ** 4, wide)!.rateMbps / wifiLinkOf(10 ** 4, width)!.rateMbps;
      expect(Math.abs(ratio / 2 - 1)).toBeLessThan(0.05);
    }
  });

  test('more signal never makes it slower, nor what comes through', () => {
    const db = fc.double({ min: -5, max: 60, noNaN: true });
    fc.assert(
      fc.property(db, fc.double({ min: 0, max: 10, noNaN: true }), (sinr, more) => {
        const [weak, strong] = [wifiLinkOf(10 ** (sinr / 10), 40), wifiLinkOf(10 ** ((sinr + more) / 10), 40)];
        if (!weak) return;
        expect(strong!.rateMbps).toBeGreaterThanOrEqual(weak.rateMbps);
        expect(goodputMbps(strong!)).toBeGreaterThanOrEqual(goodputMbps(weak));
      }),
    );
  });
});
