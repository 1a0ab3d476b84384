// The radio map shows what devices receive: at the place of a device, without shadows, fading and walls, both agree.

import { cos, fromDb, radians, toDb } from '@weft/contract/exact-math';
import { describe, expect, test } from 'vitest';
import { nrRateBps } from '../radio/nr-cqi.ts';
import { goodputMbps, noiseFloorDbm, type WifiWidth, wifiLinkOf } from '../radio/wifi.ts';
import { town } from '../town.ts';
import { brightestLx, daylightLx, localHour } from '../traffic/demand.ts';
import { lampHeightM } from '../world/bodies.ts';
import { lifiLinks, lifiNoiseA2, measureLifi } from '../world/lifi-layer.ts';
import { type LinkModel, traced } from '../world/links.ts';
import { nrLinks, nrSinrAt } from '../world/nr-layer.ts';
import { metresPerDegree, metresPerDegreeEast } from '../world/places.ts';
import { hiddenMw } from '../world/wifi-air.ts';
import { wifiLinks } from '../world/wifi-layer.ts';
import { createWorld } from '../world/world.ts';
import type { AccessPointType } from '../world/world-spec.ts';
import type { Layer, WorldState } from '../world/world-state.ts';
import { type CoverageLayer, coverage } from './coverage.ts';

/** A world in which nothing differs from device to device but its place. */
function plain(technology: AccessPointType, count: number, busyMbps: number) {
  const world = createWorld({
    ...town({ counts: { [technology]: count }, devicesEach: 20 }),
    peakMbpsPerDevice: busyMbps,
  });
  for (let second = 0; second < 20; second++) world.step();
  const state = world.snapshot();
  state.devices.wallDb.fill(0);
  state.devices.wallGain.fill(1);
  state.devices.isIndoor.fill(technology === '5G' ? 0 : 1);
  return state;
}

/** Brings the paths of all devices to where they are, without shadows; resolves the best of each. */
function follow(
  state: WorldState,
  { links }: Layer,
  model: LinkModel,
): { device: number; ap: number; power: number }[] {
  const { cells, devices } = state;
  return Array.from({ length: devices.count }, (_, device) => {
    let best = { device, ap: -1, power: 0 };
    for (let slot = device * links.slots; slot < (device + 1) * links.slots; slot++) {
      const ap = links.ap[slot]!;
      if (ap < 0) break;
      links.shadow[slot] = 0;
      devices.movedM[device] = 0;
      model.trace(state, device, ap, slot);
      links.gain[slot] = traced[0]!;
      const power = cells.power[ap]! * links.gain[slot]!;
      if (cells.isOnAir[ap] === 1 && power > best.power) best = { device, ap, power };
    }
    return best;
  }).filter(({ ap }) => ap >= 0);
}

/** A raster of one point, where the device is. */
function mapAt(state: WorldState, technology: AccessPointType, layer: CoverageLayer, device: number): number {
  const { accessPoints, cells, devices } = state;
  const [origin] = accessPoints;
  const latitude = origin!.latitude + (devices.y[device]! - cells.y[0]!) / metresPerDegree;
  const longitude = origin!.longitude + (devices.x[device]! - cells.x[0]!) / metresPerDegreeEast(origin!.latitude);
  const half = 1e-8;
  const bounds = { south: latitude - half, west: longitude - half, north: latitude + half, east: longitude + half };
  return coverage(state, { technology, layer, bounds, columns: 1, rows: 1 }).values[0]!;
}

const share = (flags: boolean[]) => flags.filter(Boolean).length / flags.length;

describe('at the place of a device the radio map has what the device measures', () => {
  test('5G: signal, SINR with the loads of all cells, and rate', () => {
    const state = plain('5G', 7, 3);
    const found = follow(state, state.nr, nrLinks).slice(0, 40);
    expect(found.length).toBeGreaterThan(30);
    const isRate: boolean[] = [];
    for (const { device, ap, power } of found) {
      expect(mapAt(state, '5G', 'signal', device)).toBeCloseTo(toDb(power), 1);
      const sinr = nrSinrAt(state, device, ap);
      expect(mapAt(state, '5G', 'sinr', device)).toBeCloseTo(toDb(sinr), 1);
      isRate.push(Math.abs(mapAt(state, '5G', 'rate', device) - nrRateBps(sinr) / 1e6) < 1e-3);
    }
    // Beside a step of the table a hundredth of a decibel decides.
    expect(share(isRate)).toBeGreaterThan(0.95);
  });

  test('WiFi: signal, SINR beside access points that do not hear each other, and rate', () => {
    const state = plain('WiFi', 5, 40);
    // All on one channel, in part or wholly, so weak that the far ones do not hear each other.
    for (let ap = 0; ap < state.cells.count; ap++) {
      state.cells.channel[ap] = 36;
      state.cells.widthMhz[ap] = ap % 2 === 0 ? 40 : 20;
      state.cells.power[ap] = 1;
      state.cells.load[ap] = 0.3;
    }
    state.wifiVersion++;
    const found = follow(state, state.wifi, wifiLinks)
      .filter(({ power }) => power > fromDb(-85))
      .slice(0, 40);
    expect(found.length).toBeGreaterThan(30);
    const disturbed: boolean[] = [];
    const isRate: boolean[] = [];
    for (const { device, ap, power } of found) {
      expect(mapAt(state, 'WiFi', 'signal', device)).toBeCloseTo(toDb(power), 1);
      const width = state.cells.widthMhz[ap] as WifiWidth;
      const interferenceMw = hiddenMw(state, device, ap);
      disturbed.push(interferenceMw > 0);
      const sinr = power / (fromDb(noiseFloorDbm(width)) + interferenceMw);
      expect(Math.abs(mapAt(state, 'WiFi', 'sinr', device) - toDb(sinr))).toBeLessThan(0.2);
      const link = wifiLinkOf(sinr, width);
      const rate = link ? goodputMbps(link) : 0;
      isRate.push(Math.abs(mapAt(state, 'WiFi', 'rate', device) - rate) < 0.05 * rate + 0.01);
    }
    expect(disturbed).toContain(true);
    expect(share(isRate)).toBeGreaterThan(0.9);
  });

  test('LiFi: signal and SINR of a device that faces the ceiling, less beside busy lamps of the same sub-band', () => {
    const state = plain('LiFi', 4, 3);
    const { cells, devices, tallies } = state;
    cells.channel.fill(1);
    cells.load.fill(0);
    devices.axisX.fill(0);
    devices.axisY.fill(0);
    devices.hidden.fill(0);
    const noiseA2 = Float64Array.from(state.accessPoints, ({ longitude }) =>
      lifiNoiseA2(daylightLx(localHour(state.startMs + state.step * 1000, longitude)) / brightestLx),
    );
    const found = follow(state, state.lifi, lifiLinks)
      .map(({ device }) => ({ device, ...bestLamp(state, device) }))
      .filter(({ facing }) => facing > 0.6)
      .slice(0, 30);
    expect(found.length).toBeGreaterThan(20);
    for (const { device, ap } of found) {
      for (const column of [tallies.signal, tallies.tiltDegrees, tallies.quality]) column.fill(0);
      measureLifi(state, device, ap, noiseA2);
      const leaning = cos(radians(tallies.tiltDegrees[ap]!));
      const measuredDbm = toDb(tallies.signal[ap]! / 1000 / leaning);
      if (tallies.signal[ap]! === 0) continue;
      expect(mapAt(state, 'LiFi', 'signal', device)).toBeCloseTo(measuredDbm, 1);
      // Electrical decibels count twice, and the light of the signal has a noise of its own.
      const straightDb = tallies.quality[ap]! - 2 * toDb(leaning);
      const shown = mapAt(state, 'LiFi', 'sinr', device);
      expect(Math.abs(shown - straightDb)).toBeLessThan(0.3);
      cells.load.fill(0.5);
      expect(mapAt(state, 'LiFi', 'sinr', device)).toBeLessThan(shown - 0.5);
      cells.load.fill(0);
      expect(mapAt(state, 'LiFi', 'rate', device)).toBeGreaterThan(0);
    }
  });
});

/** By what arrives at a receiver that faces the ceiling. */
function bestLamp({ cells, devices, lifi: { links } }: WorldState, device: number) {
  let best = { ap: -1, power: 0, facing: 0 };
  for (let slot = device * links.slots; slot < (device + 1) * links.slots; slot++) {
    const ap = links.ap[slot]!;
    if (ap < 0) break;
    const distance2 = (cells.x[ap]! - devices.x[device]!) ** 2 + (cells.y[ap]! - devices.y[device]!) ** 2;
    const facing = lampHeightM / Math.sqrt(distance2 + lampHeightM * lampHeightM);
    const power = cells.power[ap]! * links.gain[slot]! * facing;
    if (power > best.power) best = { ap, power, facing };
  }
  return best;
}

test('a pillar leaves a shadow of what arrives over walls and ceiling', () => {
  const world = createWorld(town({ counts: { LiFi: 9 }, devicesEach: 0 }));
  world.step();
  const state = world.radioState();
  expect(state.pillars.x.length).toBe(1);
  const open = structuredClone(state);
  open.pillars.near = open.pillars.near.map(() => new Int32Array());
  const [shaded, free] = [state, open].map((from) =>
    coverage(from, { technology: 'LiFi', layer: 'signal', columns: 60, rows: 60 }),
  );
  const losses = shaded!.values.map((value, n) => free!.values[n]! - value);
  expect(Math.max(...losses)).toBeGreaterThan(3);
  expect(Math.max(...losses)).toBeLessThan(15.3);
  expect(share([...losses].map((loss) => loss > 0.1))).toBeLessThan(0.2);
});

test('higher floors see the beam of a mast from elsewhere, and lamps are brighter close by', () => {
  const world = createWorld(town({ counts: { '5G': 1, LiFi: 1 }, devicesEach: 0 }));
  world.step();
  const state = world.radioState();
  const max = (technology: AccessPointType, heightM: number) =>
    coverage(state, { technology, layer: 'signal', columns: 40, rows: 40, heightM }).max;
  expect(max('LiFi', 1.5)).toBeGreaterThan(max('LiFi', 0.85) + 3);
  expect(max('5G', 9)).toBeGreaterThan(max('5G', 1.5));
  expect(() => max('5G', 30)).toThrow('height must be 1.5 to 22.5 m');
});

test('a jammer lowers the SINR around it, and the signal nowhere', () => {
  const world = createWorld(town({ counts: { '5G': 2, WiFi: 2, LiFi: 2 }, devicesEach: 2 }));
  world.step();
  const jammed = world.clone();
  for (const ap_id of ['5g-0', 'wifi-0', 'lifi-0']) jammed.fault(ap_id, { kind: 'jammed_channel', seconds: 60 });
  for (const one of [world, jammed]) one.step();
  for (const technology of ['5G', 'WiFi', 'LiFi'] as const) {
    const of = (one: typeof world, layer: CoverageLayer) =>
      coverage(one.radioState(), { technology, layer, columns: 30, rows: 30 }).values;
    const [before, after] = [of(world, 'sinr'), of(jammed, 'sinr')];
    expect(Math.max(...before.map((value, n) => value - after[n]!))).toBeGreaterThan(1);
    expect(of(jammed, 'signal')).toEqual(of(world, 'signal'));
  }
});
