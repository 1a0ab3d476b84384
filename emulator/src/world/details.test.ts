// Parts of the model that are easily lost without a trace in any total: each computed by hand from a world made for it.

import type { TrafficMix } from '@weft/contract/emulated-model';
import { describe, expect, test } from 'vitest';
import { wallLossDb } from '../radio/nr.ts';
import { town } from '../town.ts';
import { traced } from './links.ts';
import { nrLinks } from './nr-layer.ts';
import { createWorld, type World } from './world.ts';
import type { AccessPointSpec } from './world-spec.ts';

const run = (world: World, seconds: number) => {
  for (let second = 0; second < seconds; second++) world.step();
};
const midnight = Date.UTC(2026, 0, 7);
const at = (ap_id: string, type: AccessPointSpec['type'], eastM: number, devices: number): AccessPointSpec => {
  return { ap_id, type, latitude: 0, longitude: eastM / 111_320, devices, profile: 'always' };
};

describe('what a cell draws while nobody is there', () => {
  // A unit of TR 38.864 in the street: a thirty-second of what two chains of EARTH draw at most.
  const unitW = (2 * (56 + 2.6 * 6.3)) / 32;
  const watts = (world: World) => world.latest('5g-0')!.fields.power_w!;

  test.each([
    { order: 'sleep', asleepUnits: 1, wakeUnits: 17 },
    { order: 'doze', asleepUnits: 2.1, wakeUnits: 1.088 },
  ])('$order: in its state, and for the way there and back', ({ order, asleepUnits, wakeUnits }) => {
    const world = createWorld(town({ counts: { '5G': 1 }, devicesEach: 0 }));
    run(world, 2);
    const awake = watts(world);
    world.command('5g-0', order);
    run(world, 10);
    expect(watts(world)).toBeCloseTo(asleepUnits * unitW, 3);
    world.command('5g-0', 'wake');
    const seconds = Array.from({ length: 30 }, () => {
      world.step();
      return watts(world);
    });
    expect(Math.max(...seconds) - awake).toBeCloseTo(wakeUnits * unitW, 3);
  });
});

test('the signal’s own shot noise counts in the SNR of light', () => {
  let compared = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const world = createWorld({ seed, startMs: midnight, accessPoints: [at('lamp', 'LiFi', 0, 1)] });
    run(world, 5);
    const { rx_power_uw, snr_db } = world.latest('lamp')!.fields;
    if (rx_power_uw === undefined || rx_power_uw < 5) continue;
    const current = 0.53 * rx_power_uw * 1e-6;
    const capacity = 112e-12;
    const thermal =
      ((8 * Math.PI * 1.380649e-23 * 295) / 10) * capacity * 0.562 * 4e14 +
      ((16 * Math.PI ** 2 * 1.380649e-23 * 295 * 1.5) / 0.03) * capacity ** 2 * 0.0868 * 8e21;
    const shot = 2 * 1.602176634e-19 * (current + 0.05 * 5.1e-3 * 0.562) * 20e6;
    expect(snr_db).toBeCloseTo(10 * Math.log10(current ** 2 / (shot + thermal)), 3);
    compared++;
  }
  expect(compared).toBeGreaterThan(3);
});

test('somebody hides one lamp, mostly not all of them', () => {
  const world = createWorld({ ...town({ counts: { LiFi: 9 }, devicesEach: 6 }), peakMbpsPerDevice: 10 });
  let [ownHidden, anotherClear, servedByIt] = [0, 0, 0];
  for (let second = 0; second < 60; second++) {
    world.step();
    const { devices, lifi } = world.snapshot();
    for (let device = 0; device < devices.count; device++) {
      if (devices.isBlocked[device] === 0) continue;
      ownHidden++;
      const slots = [0, 1, 2, 3].filter((slot) => lifi.links.ap[device * 4 + slot]! >= 0);
      const clear = slots.filter((slot) => ((devices.hidden[device]! >> slot) & 1) === 0);
      if (clear.length === 0) continue;
      anotherClear++;
      const isClear = clear.some((slot) => lifi.links.ap[device * 4 + slot] === devices.serving[device]);
      if (isClear && devices.rateBps[device]! > 0) servedByIt++;
    }
  }
  expect(ownHidden).toBeGreaterThan(100);
  expect(anotherClear / ownHidden).toBeGreaterThan(0.6);
  expect(servedByIt / anotherClear).toBeGreaterThan(0.4);
});

test('between an office and the street stands a facade', () => {
  const world = createWorld({
    seed: 1,
    startMs: midnight,
    accessPoints: [{ ...at('office', '5G', 0, 1), scenario: 'InH' }],
  });
  const state = world.snapshot();
  state.devices.wallDb[0] = 0;
  const lossDb = (isIndoor: number) => {
    state.devices.isIndoor[0] = isIndoor;
    nrLinks.trace(state, 0, 0, -1);
    return -10 * Math.log10(traced[0]!);
  };
  expect(lossDb(0) - lossDb(1)).toBeCloseTo(wallLossDb('low', 3.5), 6);
});

test('whoever hears another and is not heard waits for it', () => {
  const world = createWorld({
    seed: 4,
    startMs: midnight,
    accessPoints: [at('loud', 'WiFi', 0, 8), at('quiet', 'WiFi', 32, 8)],
    peakMbpsPerDevice: 200,
  });
  for (const ap_id of ['loud', 'quiet']) world.command(ap_id, 'set_channel', { channel: 36 });
  world.command('quiet', 'set_tx_power', { dbm: 2 });
  run(world, 15);
  const [loud, quiet] = ['loud', 'quiet'].map((ap_id) => world.latest(ap_id)!.fields);
  expect(quiet!.connected_devices).toBeGreaterThan(0);
  expect(loud!.airtime_pct).toBeGreaterThan(80);
  expect(loud!.channel_utilisation_pct! - loud!.airtime_pct!).toBeLessThan(7);
  expect(quiet!.airtime_pct!).toBeLessThan(15);
});

test('uplink takes its part of the air of WiFi', () => {
  const mix: TrafficMix = { sensor: 1 };
  const world = createWorld({
    seed: 2,
    startMs: midnight,
    accessPoints: [{ ...at('wifi', 'WiFi', 0, 1), mix }],
    peakMbpsPerDevice: 5,
  });
  run(world, 10);
  const { efficiency } = world.snapshot().cells;
  world.step();
  const { throughput_mbps, uplink_mbps, airtime_pct } = world.latest('wifi')!.fields;
  // The access point and its device contend: what collides takes air, too.
  expect(efficiency[0]).toBeLessThan(1);
  const rateMbps = (efficiency[0]! * world.snapshot().devices.rateBps[0]!) / 1e6;
  expect(uplink_mbps! / throughput_mbps!).toBeCloseTo(5, 3);
  expect((throughput_mbps! + uplink_mbps!) / rateMbps).toBeCloseTo(airtime_pct! / 100, 4);
});

test('a jammer is noise at the devices, too', () => {
  const world = createWorld({ seed: 3, startMs: midnight, accessPoints: [at('wifi', 'WiFi', 0, 6)] });
  run(world, 5);
  const jammed = world.clone();
  jammed.fault('wifi', { kind: 'jammed_channel', seconds: 100 });
  run(world, 1);
  run(jammed, 1);
  expect(world.latest('wifi')!.fields.connected_devices).toBeGreaterThan(3);
  expect(jammed.latest('wifi')!.fields.snr_db).toBeLessThan(world.latest('wifi')!.fields.snr_db! - 10);
  expect(world.latest('wifi')!.fields.tx_retries_pct).toBeLessThan(10);
  expect(jammed.latest('wifi')!.fields.tx_retries_pct).toBeGreaterThan(20);
});

test('a hand-over to a cell that is too noisy when it is carried out fails', () => {
  const world = createWorld(town({ counts: { '5G': 2 }, devicesEach: 20 }));
  run(world, 10);
  expect(world.command('5g-0', 'steer_device', { target: '5g-1' })).toMatchObject({ state: 'succeeded' });
  world.fault('5g-1', { kind: 'jammed_channel', seconds: 10, amount: 60 });
  run(world, 1);
  const { handover_attempts, handover_failures, handovers_out } = world.latest('5g-0')!.fields;
  expect(handover_failures).toBeGreaterThan(0);
  expect(handover_failures).toBe(handover_attempts! - handovers_out!);
  const { serving, steeredTo } = world.snapshot().devices;
  expect([...steeredTo.keys()].filter((device) => steeredTo[device] === 1 && serving[device] === 1)).toEqual([]);
});
