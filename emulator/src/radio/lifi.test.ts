import { toDb } from '@weft/contract/exact-math';
import { describe, expect, test } from 'vitest';
import {
  axialIntensityCd,
  channelGain,
  daylightCurrentA,
  illuminanceLx,
  lambertianOrder,
  lifiPowerW,
  shotNoiseA2,
  signalA2,
  thermalNoiseA2,
  usualReceiver,
} from './lifi.ts';

/** The short form of the noise that papers on hybrid networks use. */
const flatNoiseA2 = ({ bandwidthHz }: typeof usualReceiver) => 1e-21 * bandwidthHz;

test.each([
  [15, 19.99],
  [30, 4.82],
  [45, 2],
  [60, 1],
  [70, 0.646],
])('the beam of %d degrees has order %d', (halfPowerDegrees, order) => {
  expect(Math.abs(lambertianOrder(halfPowerDegrees) / order - 1)).toBeLessThan(0.001);
});

describe('a lamp of 3.5 W, 2.15 m above the desk', () => {
  const gainAt = (offsetM: number, heightM = 2.15) => {
    const distanceM = Math.sqrt(offsetM ** 2 + heightM ** 2);
    return channelGain(lambertianOrder(60), distanceM, heightM / distanceM, heightM / distanceM, usualReceiver);
  };

  test.each([
    [0, 1.755e-5, 61.4, 47.2],
    [1, 1.186e-5, 41.5, 43.8],
    [2, 5.04e-6, 17.6, 36.4],
    [3, 2.02e-6, 7.07, 28.5],
    [4, 8.8e-7, 3.09, 21.3],
  ])('%d m beside it', (offsetM, gain, receivedUw, snrDb) => {
    const receivedW = 3.5 * gainAt(offsetM);
    expect(Math.abs(gainAt(offsetM) / gain - 1)).toBeLessThan(0.006);
    expect(Math.abs((receivedW * 1e6) / receivedUw - 1)).toBeLessThan(0.003);
    expect(Math.abs(toDb(signalA2(receivedW, usualReceiver) / flatNoiseA2(usualReceiver)) - snrDb)).toBeLessThanOrEqual(
      0.1,
    );
  });

  test('nothing from beyond the field of view, or from behind the lamp', () => {
    const order = lambertianOrder(60);
    expect(channelGain(order, 2, 0.9, Math.cos((70.1 * Math.PI) / 180), usualReceiver)).toBe(0);
    expect(channelGain(order, 2, 0.9, Math.cos((69.9 * Math.PI) / 180), usualReceiver)).toBeGreaterThan(0);
    expect(channelGain(order, 2, -0.1, 0.9, usualReceiver)).toBe(0);
  });

  test('half the light is a quarter of the signal', () => {
    expect(signalA2(0.5e-6, usualReceiver) / signalA2(1e-6, usualReceiver)).toBeCloseTo(0.25, 12);
  });
});

test('noise: daylight outweighs the amplifier, and both together come near the flat form', () => {
  const shot = shotNoiseA2(0, daylightCurrentA, usualReceiver);
  expect(shot).toBeCloseTo(2 * 1.602176634e-19 * 5100e-6 * 0.562 * 20e6, 25);
  const thermal = thermalNoiseA2(usualReceiver);
  const capacitance = 1.12e-10;
  const resistor = ((8 * Math.PI * 1.380649e-23 * 295) / 10) * capacitance * 0.562 * 20e6 ** 2;
  const transistor = ((16 * Math.PI ** 2 * 1.380649e-23 * 295 * 1.5) / 0.03) * capacitance ** 2 * 0.0868 * 20e6 ** 3;
  expect(Math.abs(thermal / (resistor + transistor) - 1)).toBeLessThan(1e-9);
  expect(thermal).toBeLessThan(shot);
  expect(Math.abs(toDb((shot + thermal) / flatNoiseA2(usualReceiver)))).toBeLessThan(1);
});

test('light on the desk', () => {
  // One array of 60 by 60 diodes of 0.73 cd, straight below it.
  expect(illuminanceLx(3600 * 0.73, lambertianOrder(70), 2.15, 1, 1)).toBeCloseTo(568.5, 1);
  expect(axialIntensityCd(1000, 1)).toBeCloseTo(1000 / Math.PI, 6);
});

test('a lamp draws by its light, its work, and its modem', () => {
  expect(lifiPowerW(true, 3.5, 0.5)).toBeCloseTo(15, 9);
  expect(lifiPowerW(true, 1.75, 0.5)).toBeCloseTo(10, 9);
  expect(lifiPowerW(false, 3.5, 0)).toBeCloseTo(10.5, 9);
});
