import { describe, expect, test } from 'vitest';
import { town } from '../town.ts';
import { slotOf } from './link-table.ts';
import { createWorld, type World } from './world.ts';
import type { Layer, WorldState } from './world-state.ts';

const run = (world: World, seconds: number) => Array.from({ length: seconds }, () => world.step());
const strengthDbm = ({ cells }: WorldState, { links }: Layer, device: number, ap: number) => {
  const slot = slotOf(links, device, ap);
  return slot < 0 ? -Infinity : 10 * Math.log10(cells.power[ap]! * links.gain[slot]!);
};

interface Change {
  device: number;
  from: number;
  to: number;
  before: WorldState;
  after: WorldState;
}

/** Who changed from one access point to another in so many seconds, with the world just before and just after. */
function* changes(world: World, seconds: number): Generator<Change> {
  let before = world.snapshot();
  for (let second = 0; second < seconds; second++) {
    world.step();
    const after = world.snapshot();
    for (const [device, to] of after.devices.serving.entries()) {
      const from = before.devices.serving[device]!;
      if (from !== to && from >= 0 && to >= 0) yield { device, from, to, before, after };
    }
    before = after;
  }
}

test('a 5G device changes cell for one that was better in the second before as well, unless it loses its own', () => {
  const world = createWorld(town({ counts: { '5G': 9 }, devicesEach: 10 }));
  run(world, 2);
  let count = 0;
  for (const { device, from, to, before, after } of changes(world, 40)) {
    count++;
    if (strengthDbm(after, after.nr, device, from) <= -125) continue;
    expect(before.devices.contender[device]).toBe(to);
    expect(strengthDbm(after, after.nr, device, to)).toBeGreaterThanOrEqual(
      strengthDbm(after, after.nr, device, from) + 2.99,
    );
  }
  expect(count).toBeGreaterThan(20);
});

test('a WiFi device roams only once its access point is weak', () => {
  const world = createWorld(town({ counts: { WiFi: 9 }, devicesEach: 20 }));
  for (let ap = 0; ap < 9; ap++) world.command(`wifi-${ap}`, 'set_tx_power', { dbm: 3 });
  run(world, 5);
  let count = 0;
  for (const { device, from, after } of changes(world, 60)) {
    count++;
    expect(strengthDbm(after, after.wifi, device, from)).toBeLessThan(-70);
  }
  expect(count).toBeGreaterThan(5);
});

test('light comes first, and again once it was free for three seconds', () => {
  const world = createWorld(town({ counts: { WiFi: 1, LiFi: 9 }, devicesEach: 8 }));
  run(world, 5);
  let returns = 0;
  for (const { device, from, to, after } of changes(world, 60)) {
    if (after.accessPoints[to]!.type !== 'LiFi' || after.accessPoints[from]!.type === 'LiFi') continue;
    returns++;
    expect(after.devices.isBlocked[device]).toBe(0);
    expect(after.step - after.devices.clearSinceStep[device]!).toBeGreaterThanOrEqual(3);
  }
  expect(returns).toBeGreaterThan(10);
});

describe('a cell that goes to sleep', () => {
  test('sends away at once whoever can go, while it still serves', () => {
    const world = createWorld(town({ counts: { WiFi: 9 }, devicesEach: 10 }));
    run(world, 10);
    world.command('wifi-4', 'sleep');
    run(world, 1);
    expect(world.accessPoint('wifi-4')).toMatchObject({ power_state: 'draining', connected_devices: 0 });
  });

  test('keeps whoever has nowhere to go until the end, and nobody after', () => {
    const world = createWorld(town({ counts: { WiFi: 1 }, devicesEach: 10 }));
    run(world, 10);
    world.command('wifi-0', 'sleep');
    run(world, 2);
    expect(world.accessPoint('wifi-0').connected_devices).toBeGreaterThan(5);
    expect(world.totals().served).toBeGreaterThan(5);
    run(world, 1);
    expect(world.accessPoint('wifi-0').connected_devices).toBe(0);
    expect(world.totals()).toMatchObject({ served: 0, unserved: 10 });
  });

  test('lets its devices find one that they had no eye for before', () => {
    const spot = town({ counts: { WiFi: 12 }, devicesEach: 5 });
    const { latitude, longitude } = spot.accessPoints[0]!;
    const world = createWorld({
      ...spot,
      accessPoints: spot.accessPoints.map((ap) => ({ ...ap, latitude, longitude })),
    });
    run(world, 5);
    for (let ap = 0; ap < 11; ap++) world.command(`wifi-${ap}`, 'sleep');
    run(world, 5);
    expect(world.accessPoint('wifi-11').connected_devices).toBeGreaterThan(55);
  });
});

test('WiFi neighbours on one channel share the air; with channels of their own they do not', () => {
  const together = createWorld({ ...town({ counts: { WiFi: 4 }, devicesEach: 25 }), peakMbpsPerDevice: 6 });
  run(together, 5);
  const apart = together.clone();
  for (let ap = 0; ap < 4; ap++) {
    together.command(`wifi-${ap}`, 'set_channel', { channel: 124 });
    apart.command(`wifi-${ap}`, 'set_channel', { channel: 100 + 8 * ap });
  }
  run(together, 20);
  run(apart, 20);
  const metric = (world: World, name: string) => world.latest('wifi-0')!.fields[name]!;
  expect(metric(together, 'channel_utilisation_pct')).toBeGreaterThan(metric(apart, 'channel_utilisation_pct') + 10);
  expect(metric(together, 'airtime_pct')).toBeLessThan(metric(apart, 'airtime_pct'));
  expect(metric(together, 'backlog_mbit')).toBeGreaterThan(metric(apart, 'backlog_mbit'));
});

test('lamps in one sub-band disturb each other', () => {
  const together = createWorld({ ...town({ counts: { LiFi: 9 }, devicesEach: 10 }), peakMbpsPerDevice: 6 });
  const apart = together.clone();
  for (let ap = 0; ap < 9; ap++) together.command(`lifi-${ap}`, 'set_channel', { channel: 1 });
  run(together, 10);
  run(apart, 10);
  expect(together.latest('lifi-4')!.fields.snr_db).toBeLessThan(apart.latest('lifi-4')!.fields.snr_db! - 3);
});
