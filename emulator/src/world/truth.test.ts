// What a control program learns here must hold elsewhere: the sign and size of what commands do, and each indicator by its
// definition, computed by hand from a small world.
import { describe, expect, test } from 'vitest';
import { isLong } from '../../../test/rounds.ts';
import { streams, uniform } from '../randomness.ts';
import { town } from '../town.ts';
import { mostDraws, sizeOf } from '../traffic/demand.ts';
import { slotOf } from './link-table.ts';
import { traced } from './links.ts';
import { nrLinks, nrSinrAt } from './nr-layer.ts';
import { createWorld, type World } from './world.ts';
import type { AccessPointType, WorldSpec } from './world-spec.ts';
import type { WorldState } from './world-state.ts';

const run = (world: World, seconds: number) => {
  for (let second = 0; second < seconds; second++) world.step();
};
const means = (world: World, ap_id: string, seconds: number) => {
  const sums = new Map<string, { sum: number; count: number }>();
  for (let second = 0; second < seconds; second++) {
    world.step();
    for (const [name, value] of Object.entries(world.latest(ap_id)!.fields)) {
      const { sum, count } = sums.get(name) ?? { sum: 0, count: 0 };
      sums.set(name, { sum: sum + value, count: count + 1 });
    }
  }
  return Object.fromEntries([...sums].map(([name, { sum, count }]) => [name, sum / count]));
};
const built = (
  counts: Partial<Record<AccessPointType, number>>,
  devicesEach: number,
  mbps: number,
  more: Partial<WorldSpec> = {},
) => createWorld({ ...town({ counts, devicesEach }), peakMbpsPerDevice: mbps, ...more });
/** Two access points so far apart that devices stay, and near enough to hear each other. */
const pairOfWifi = (devices: [number, number], mbps: number, metres: number) => {
  const spec = town({ counts: { WiFi: 2 }, devicesEach: 0 });
  const [first, second] = spec.accessPoints;
  return createWorld({
    ...spec,
    peakMbpsPerDevice: mbps,
    accessPoints: [
      { ...first!, devices: devices[0] },
      { ...second!, latitude: first!.latitude, longitude: first!.longitude + metres / 69_350, devices: devices[1] },
    ],
  });
};

describe('what commands teach', () => {
  test('E1: less quota, more latency', () => {
    const world = built({ '5G': 1 }, 40, 3);
    run(world, 30);
    const limited = world.clone();
    limited.command('5g-0', 'set_prb_quota', { percent: 5 });
    const [free, tight] = [world, limited].map((one) => means(one, '5g-0', 60));
    expect(tight!.latency_ms).toBeGreaterThan(10 * free!.latency_ms!);
    expect(tight!.backlog_mbit).toBeGreaterThan(free!.backlog_mbit!);
    expect(tight!.qos_met_pct).toBeLessThan(free!.qos_met_pct! / 2);
  });

  test('E2: less power, less throughput per device while it has data', () => {
    const world = built({ '5G': 7 }, 20, 0.8);
    run(world, 30);
    const weak = world.clone();
    for (let n = 0; n < 7; n++) weak.command(`5g-${n}`, 'set_tx_power', { dbm: 15 });
    const perDevice = (one: World) => {
      run(one, 5);
      let sum = 0;
      for (let second = 0; second < 30; second++) {
        one.step();
        for (let n = 0; n < 7; n++) sum += one.latest(`5g-${n}`)!.fields.ue_throughput_kbps ?? 0;
      }
      return sum;
    };
    expect(perDevice(weak)).toBeLessThan(0.8 * perDevice(world));
  });

  test('E3: a full carrier gives what equal shares of its blocks give, and one device alone gets all of it', () => {
    const world = built({ '5G': 1 }, 20, 100);
    run(world, 30);
    const { throughput_mbps, prb_load_pct } = means(world, '5g-0', 30);
    expect(prb_load_pct).toBeCloseTo(100, 6);
    const { devices } = world.snapshot();
    const rates = [...devices.rateBps].filter((rate, device) => rate > 0 && devices.need[device]! > 0);
    const equalShares = rates.reduce((sum, rate) => sum + rate, 0) / rates.length / 1e6;
    expect(throughput_mbps).toBeGreaterThan(280);
    expect(Math.abs(throughput_mbps! / equalShares - 1)).toBeLessThan(0.35);
    const alone = built({ '5G': 1 }, 1, 1000);
    run(alone, 30);
    const one = alone.snapshot().devices;
    expect(one.serviceBps[0]).toBeCloseTo(one.rateBps[0]!, 3);
    expect(one.rateBps[0]).toBeGreaterThan(6e6);
  });

  test('E4: reuse of a channel is not free: a plan gives a dense network many times what one channel gives', () => {
    const world = built({ WiFi: 36 }, 10, 20);
    run(world, 3);
    const crowded = world.clone();
    for (let n = 0; n < 36; n++) crowded.command(`wifi-${n}`, 'set_channel', { channel: 36 });
    const total = (one: World) => {
      run(one, 20);
      return Array.from({ length: 36 }, (_, n) => one.latest(`wifi-${n}`)!.fields.throughput_mbps!).reduce(
        (a, b) => a + b,
      );
    };
    expect(total(world)).toBeGreaterThan(3 * total(crowded));
  });

  test('E4: beyond carrier sense others are interference, and a device between them is slower', () => {
    const world = pairOfWifi([10, 10], 60, 25);
    for (const n of [0, 1]) world.command(`wifi-${n}`, 'set_tx_power', { dbm: 0 });
    run(world, 5);
    const apart = world.clone();
    for (const one of [world, apart]) one.command('wifi-0', 'set_channel', { channel: 36 });
    world.command('wifi-1', 'set_channel', { channel: 36 });
    apart.command('wifi-1', 'set_channel', { channel: 124 });
    const [together, alone] = [world, apart].map((one) => {
      run(one, 10);
      return means(one, 'wifi-0', 20);
    });
    // They do not hear each other: each has all of the air.
    expect(together!.channel_utilisation_pct! - together!.airtime_pct!).toBeLessThan(10);
    expect(together!.snr_db).toBeLessThan(alone!.snr_db! - 1);
    expect(together!.throughput_mbps).toBeLessThan(alone!.throughput_mbps!);
  });

  test('E5: two that hear each other have equal chances, however many clients they have', () => {
    const world = pairOfWifi([29, 2], 800, 36);
    run(world, 5);
    for (const n of [0, 1]) world.command(`wifi-${n}`, 'set_channel', { channel: 36 });
    run(world, 20);
    const [many, few] = [0, 1].map((n) => means(world.clone(), `wifi-${n}`, 20));
    expect(many!.connected_devices).toBeGreaterThan(20);
    expect(few!.connected_devices).toBeGreaterThan(0);
    expect(Math.abs(many!.airtime_pct! - few!.airtime_pct!)).toBeLessThan(3);
    expect(many!.airtime_pct! + few!.airtime_pct!).toBeLessThanOrEqual(98.001);
  });

  test('E6: a jammer stays on its channel and is felt by all who hear it there; whoever leaves is free', () => {
    const world = pairOfWifi([8, 8], 5, 20);
    run(world, 5);
    for (const n of [0, 1]) world.command(`wifi-${n}`, 'set_channel', { channel: 36 });
    run(world, 10);
    world.fault('wifi-0', { kind: 'jammed_channel', seconds: 600 });
    run(world, 2);
    for (const n of [0, 1]) {
      const jammed = world.latest(`wifi-${n}`)!.fields;
      expect(jammed.channel_utilisation_pct).toBeGreaterThan(55);
      expect(jammed.noise_floor_dbm).toBeGreaterThan(-80);
    }
    world.command('wifi-0', 'set_channel', { channel: 124 });
    run(world, 6);
    expect(world.latest('wifi-0')!.fields.noise_floor_dbm).toBeCloseTo(-91, 0);
    expect(world.latest('wifi-0')!.fields.channel_utilisation_pct).toBeLessThan(50);
    expect(world.latest('wifi-1')!.fields.noise_floor_dbm).toBeGreaterThan(-80);
  });

  test('E7: in an office everybody is inside and no faster than on foot, and the nearest hear best', () => {
    const spec = town({ counts: { '5G': 1 }, devicesEach: 60 });
    const world = createWorld({ ...spec, accessPoints: spec.accessPoints.map((ap) => ({ ...ap, scenario: 'InH' })) });
    run(world, 5);
    const { devices, cells, nr } = world.snapshot();
    expect(devices.isIndoor.every((inside) => inside === 1)).toBe(true);
    expect(Math.max(...devices.movedM)).toBeLessThan(2);
    const signalDb = (from: number, to: number) => {
      const heard = [...devices.x.keys()].flatMap((device) => {
        const distance = Math.hypot(devices.x[device]! - cells.x[0]!, devices.y[device]! - cells.y[0]!);
        return distance >= from && distance < to ? [10 * Math.log10(nr.links.gain[device * 8]!)] : [];
      });
      return heard.reduce((a, b) => a + b) / heard.length;
    };
    expect(signalDb(0, 4)).toBeGreaterThan(signalDb(6, 10));
  });

  test('E8: steering to where nothing is heard well is refused with what is heard; with force it is done', () => {
    const world = built({ '5G': 9 }, 12, 0.8);
    run(world, 10);
    const state = world.snapshot();
    const find = (): [device: number, from: number, to: number] => {
      for (const [device, from] of state.devices.serving.entries()) {
        if (from < 0) continue;
        for (let slot = device * 8; slot < device * 8 + 8; slot++) {
          const to = state.nr.links.ap[slot]!;
          if (to >= 0 && to !== from && nrSinrAt(state, device, to) < 0.05) return [device, from, to];
        }
      }
      throw new Error('nobody hears another cell badly');
    };
    const [device, from, to] = find();
    const args = { device: `device-${device}`, target: `5g-${to}` };
    const refused = world.command(`5g-${from}`, 'steer_device', args);
    expect(refused).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/hears it at -\d.* SINR of -\d.*force/),
    });
    expect(world.command(`5g-${from}`, 'steer_device', { ...args, force: true }).state).toBe('succeeded');
    run(world, 2);
    expect(world.snapshot().devices.serving[device]).toBe(to);
  });

  test('E9: whoever has one lamp hidden is served by another that is not', () => {
    const world = built({ WiFi: 1, LiFi: 9 }, 8, 0.8);
    run(world, 20);
    let hidden = 0;
    let served = 0;
    for (let second = 0; second < 60; second++) {
      world.step();
      const { devices, accessPoints } = world.snapshot();
      for (const device of devices.serving.keys()) {
        if (devices.isBlocked[device] === 0) continue;
        hidden++;
        if (devices.serving[device]! >= 0 && accessPoints[devices.serving[device]!]!.type === 'LiFi') served++;
      }
    }
    expect(hidden).toBeGreaterThan(200);
    expect(served / hidden).toBeGreaterThan(0.5);
  });

  test('E12: cells far away count: against the sum over all of them the mean error is below 0.1 dB', () => {
    const world = built({ '5G': 144 }, 6, 20);
    run(world, 5);
    const state = world.snapshot();
    const errors: number[] = [];
    for (const [device, serving] of state.devices.serving.entries()) {
      // Whoever moved has shadows of which only the strongest are remembered: nothing to compare with.
      if (serving < 0 || state.devices.kind[device] !== 0) continue;
      errors.push(10 * Math.log10(nrSinrAt(state, device, serving) / sinrAgainstAll(state, device, serving)));
    }
    expect(errors.length).toBeGreaterThan(200);
    expect(Math.abs(errors.reduce((a, b) => a + b) / errors.length)).toBeLessThan(0.1);
  });

  test('E15: a cell draws by load and by power, and asleep almost nothing', () => {
    const empty = built({ '5G': 1 }, 0, 1);
    const full = built({ '5G': 1 }, 30, 100);
    const watts = (one: World) => means(one, '5g-0', 20).power_w!;
    const weak = full.clone();
    weak.command('5g-0', 'set_tx_power', { dbm: 15 });
    run(weak, 5);
    expect(watts(full)).toBeGreaterThan(3 * watts(empty));
    expect(watts(full) - watts(weak)).toBeGreaterThan(20);
    weak.command('5g-0', 'sleep');
    run(weak, 6);
    expect(watts(weak)).toBeLessThan(5);
  });

  test('E15: energy has digits enough for a second of a lamp', () => {
    const world = built({ LiFi: 1 }, 0, 1);
    run(world, 1);
    const before = world.latest('lifi-0')!.fields.energy_kwh!;
    run(world, 1);
    const { energy_kwh, power_w } = world.latest('lifi-0')!.fields;
    expect(((energy_kwh! - before) * 3.6e6) / power_w!).toBeCloseTo(1, 3);
  });

  test('E16: the signal of a device that lies still varies, slowly', () => {
    for (let seed = 5; seed < 40; seed++) {
      const one = built({ '5G': 1 }, 1, 5, { seed });
      one.step();
      const { devices } = one.snapshot();
      if (devices.kind[0] !== 0 || devices.serving[0]! < 0) continue;
      const values = Array.from({ length: 120 }, () => {
        one.step();
        return one.latest('5g-0')!.fields.rsrp_dbm!;
      });
      const mean = values.reduce((a, b) => a + b) / values.length;
      const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
      const step = Math.sqrt(
        values.slice(1).reduce((sum, value, n) => sum + (value - values[n]!) ** 2, 0) / values.length,
      );
      expect(spread).toBeGreaterThan(0.2);
      expect(spread).toBeLessThan(6);
      expect(step).toBeLessThan(Math.SQRT2 * spread);
      return;
    }
    expect.unreachable('nobody sits still');
  });
});

/** SINR with every other cell on the map counted one by one. */
function sinrAgainstAll(state: WorldState, device: number, serving: number): number {
  const { cells, nr } = state;
  let signal = 0;
  let rest = 10 ** ((-174 + 10 * Math.log10(30_000) + 9) / 10);
  for (let ap = 0; ap < cells.count; ap++) {
    const slot = slotOf(nr.links, device, ap);
    if (slot < 0) nrLinks.trace(state, device, ap, -1);
    const gain = slot >= 0 ? nr.links.gain[slot]! : traced[0]!;
    const mw = gain * cells.power[ap]!;
    if (ap === serving) signal = mw;
    else rest += mw * (0.05 + 0.95 * cells.load[ap]!);
  }
  return signal / rest;
}

describe('indicators by hand, from a world of two devices', () => {
  test('volume, load, throughput per device and latency of 5G', () => {
    let measured = 0;
    const spec = town({ counts: { '5G': 1 }, devicesEach: 2, seed: 11 });
    const accessPoints = spec.accessPoints.map((ap) => ({ ...ap, mix: { web: 1 }, mbpsPerDevice: 60 }));
    for (let tries = 0; tries < 20 && (isLong || measured <= 5); tries++) {
      const world = createWorld({ ...spec, accessPoints });
      run(world, tries + 5);
      const before = world.snapshot();
      world.step();
      const after = world.snapshot();
      const { devices, chance, step } = after;
      const { fields } = world.latest('5g-0')!;
      const needs = [0, 1].map((n) => devices.need[n]!);
      if ([0, 1].some((n) => needs[n]! > 0 && devices.rateBps[n] === 0)) continue;
      // Equal shares of one carrier among those that have data, in small steps of time.
      const parts = 20_000;
      const arrives = [0, 1].map((n) =>
        Array.from({ length: devices.newBits[n]! > 0 ? devices.arrivals[n]! : 0 }, (_, each) => ({
          at: uniform(chance, streams.arrival, n, step * mostDraws + each),
          size: sizeOf(chance, step, n, each, 1),
        })),
      );
      const isNew = [0, 1].map((n) => (needs[n]! > 0 ? devices.newBits[n]! / (needs[n]! * devices.rateBps[n]!) : 0));
      const left = [0, 1].map((n) => needs[n]! * (1 - isNew[n]!));
      const totals = { volume: 0, busy: 0, waited: 0, load: 0 };
      for (let part = 0; part < parts; part++) {
        for (const n of [0, 1]) {
          const sizes = (of: (typeof arrives)[0]) => of.reduce((sum, { size }) => sum + size, 0);
          const come = arrives[n]!.filter(({ at }) => Math.floor(at * parts) === part);
          left[n]! += come.length > 0 ? (needs[n]! * isNew[n]! * sizes(come)) / sizes(arrives[n]!) : 0;
        }
        const active = left.filter((work) => work > 0).length;
        for (const n of [0, 1]) {
          if (left[n] === 0) continue;
          const done = Math.min(left[n]!, 1 / active / parts);
          totals.load += done;
          totals.volume += done * devices.rateBps[n]!;
          totals.busy += 1 / parts;
          totals.waited += ((left[n]! - done / 2) * devices.rateBps[n]!) / parts;
          left[n]! -= done;
        }
      }
      const { volume, busy, waited, load } = totals;
      if (volume === 0) continue;
      measured++;
      expect(fields.volume_mbit! / (volume / 1e6)).toBeCloseTo(1, 2);
      expect(fields.prb_load_pct! / (100 * load)).toBeCloseTo(1, 2);
      expect(fields.ue_throughput_kbps! / (volume / 1e3 / busy)).toBeCloseTo(1, 2);
      expect(fields.latency_ms! / (3 + (1000 * waited) / volume)).toBeCloseTo(1, 2);
      expect(fields.throughput_mbps).toBe(fields.volume_mbit);
      expect(fields.backlog_mbit! / ((waited + 0.003 * volume) / 1e6)).toBeCloseTo(1, 2);
      expect((after.balance.deliveredBits - before.balance.deliveredBits) / volume).toBeCloseTo(1, 2);
    }
    expect(measured).toBeGreaterThan(5);
  });

  test('devices, uplink load, RSRQ, CQI, budgets, energy and its efficiency of 5G', () => {
    const thresholds = [
      0.1523, 0.377, 0.877, 1.4766, 1.9141, 2.4063, 2.7305, 3.3223, 3.9023, 4.5234, 5.1152, 5.5547, 6.2266, 6.9141,
      7.4063,
    ];
    const budgets = [100, 4000, 50, 1000, 30_000, 300];
    const world = built({ '5G': 1 }, 2, 20, { seed: 11 });
    run(world, 20);
    for (let second = 0; second < 30; second++) {
      const before = world.snapshot();
      world.step();
      const after = world.snapshot();
      const { devices, cells } = after;
      const { fields } = world.latest('5g-0')!;
      const attached = [0, 1].filter((n) => devices.serving[n] === 0);
      expect(fields.connected_devices).toBe(attached.length);
      // One device's uplink never fills the cell here: what it asks for is what it uses.
      const sentUp = after.uplink.deliveredBits - before.uplink.deliveredBits;
      expect(fields.uplink_mbps).toBeCloseTo(sentUp / 1e6, 3);
      if (attached.length === 1 && devices.upRateBps[attached[0]!]! > 0) {
        expect(fields.uplink_load_pct).toBeCloseTo((100 * sentUp) / devices.upRateBps[attached[0]!]!, 2);
      }
      const withData = attached.filter((n) => devices.latencyMs[n]! > 0);
      const met = withData.filter((n) => devices.latencyMs[n]! <= budgets[devices.trafficClass[n]!]!);
      if (withData.length > 0) expect(fields.qos_met_pct).toBeCloseTo((100 * met.length) / withData.length, 3);
      else expect(fields.qos_met_pct).toBeUndefined();
      // 144.76 W at full load and 38 dBm; 33 dBm here.
      const unit = (2 * (56 + 2.6 * 6.3)) / 32;
      const active = 0.05 + 0.95 * (fields.prb_load_pct! / 100);
      const watts = unit * (5.5 + 26.5 * (0.4 + 0.6 * Math.sqrt(10 ** -0.5)) * active);
      expect(fields.power_w! / watts).toBeCloseTo(1, 4);
      expect(fields.energy_efficiency_bit_per_j! / ((fields.volume_mbit! * 1e6) / watts)).toBeCloseTo(1, 2);
      const grown = fields.energy_kwh! - before.accessPoints[0]!.latest.energy_kwh!;
      expect((grown * 3.6e6) / watts).toBeCloseTo(1, 2);
      if (attached.length !== 1) continue;
      const sinr = 10 ** (fields.sinr_db! / 10);
      if (fields.sinr_db! < 40) {
        expect(fields.cqi).toBe(thresholds.filter((efficiency) => 0.75 * Math.log2(1 + sinr) >= efficiency).length);
      }
      // Reference signals are a sixth of the elements at least; nobody else is there.
      const rsrp = 10 ** (fields.rsrp_dbm! / 10);
      const noise = 10 ** ((-174 + 10 * Math.log10(30_000) + 9) / 10);
      const load = Math.max(1 / 6, before.cells.load[0]!);
      expect(fields.rsrq_db).toBeCloseTo(10 * Math.log10(rsrp / (12 * (rsrp * load + noise))), 2);
      expect(cells.count).toBe(1);
    }
  });

  test('signal, SINR and what a carrier of 100 MHz gives at that', () => {
    const world = built({ '5G': 1 }, 1, 60, { seed: 3 });
    run(world, 3);
    const { devices, cells, nr } = world.snapshot();
    const { rsrp_dbm, sinr_db } = world.latest('5g-0')!.fields;
    const meanDbm = 10 * Math.log10(nr.links.gain[0]! * cells.power[0]!);
    // Small-scale variation is all that is between the two.
    expect(Math.abs(rsrp_dbm! - meanDbm)).toBeLessThan(5);
    const noiseDbm = -174 + 10 * Math.log10(30_000) + 9;
    expect(sinr_db).toBeCloseTo(Math.min(40, rsrp_dbm! - noiseDbm), 3);
    // At 28 dB and more: CQI 15 on two layers.
    const best = 2 * 273 * 12 * 28_000 * 7.4063 * 0.86 * 0.75 * 0.9;
    if (sinr_db! - 3 > 30) expect(devices.rateBps[0]! / best).toBeCloseTo(1, 6);
  });

  test('airtime and energy of WiFi', () => {
    const world = built({ WiFi: 1 }, 2, 30, { seed: 2 });
    run(world, 10);
    for (let second = 0; second < 20; second++) {
      const [efficiency] = world.snapshot().cells.efficiency;
      world.step();
      const { devices } = world.snapshot();
      const { fields } = world.latest('wifi-0')!;
      // What came through, and what collided.
      const used = [0, 1].reduce((sum, n) => sum + devices.airS[n]! + devices.upAirS[n]!, 0) / efficiency!;
      expect(fields.airtime_pct! / 100).toBeCloseTo(used, 3);
      expect(used).toBeLessThanOrEqual((devices.need[0]! + devices.need[1]!) / efficiency! + 1e-9);
      expect(fields.power_w).toBeCloseTo(6 + (3 + 12 * 0.1) * (fields.airtime_pct! / 100), 3);
    }
  });
});
