import { expect, test } from 'vitest';
import { town } from '../town.ts';
import { createWorld, type World } from '../world/world.ts';
import type { ListedDevice } from './sample.ts';

const listening = (world: World, seconds = 1) => {
  world.listDevicesEvery(seconds);
  return world;
};
const mixed = () => createWorld(town({ counts: { '5G': 2, WiFi: 4, LiFi: 4 }, devicesEach: 9 }));

/** The newest list of each access point. */
function lists(world: World, seconds: number): Map<string, readonly ListedDevice[]> {
  const newest = new Map<string, readonly ListedDevice[]>();
  for (let second = 0; second < seconds; second++) {
    for (const { ap_id, devices } of world.step()) if (devices) newest.set(ap_id, devices);
  }
  return newest;
}

test('every device that is attached is in the list of its access point, with what the access point sees of it', () => {
  const world = listening(mixed());
  const newest = lists(world, 30);
  for (const { ap_id, type } of world.accessPoints) {
    const listed = newest.get(ap_id)!;
    expect(listed.map(({ device }) => device)).toEqual(world.devicesOf(ap_id));
    const { fields } = world.latest(ap_id)!;
    if (listed.length === 0) continue;
    const mean = (of: (device: ListedDevice) => number) =>
      listed.reduce((sum, each) => sum + of(each), 0) / listed.length;
    const quality = type === '5G' ? fields.sinr_db! : fields.snr_db!;
    expect(mean(({ snr_db }) => snr_db)).toBeCloseTo(quality, 0);
    if (type !== 'LiFi') expect(mean((each) => each.rssi_dbm)).toBeCloseTo((fields.rssi_dbm ?? fields.rsrp_dbm)!, 0);
    for (const { connected_seconds, tx_mbps, rx_mbps } of listed) {
      expect(connected_seconds).toBeGreaterThanOrEqual(0);
      expect(connected_seconds).toBeLessThan(30);
      expect(Math.min(tx_mbps, rx_mbps)).toBeGreaterThanOrEqual(0);
    }
  }
});

test('what a device hears: other access points that are on, at most eight, the strongest of each technology first', () => {
  const world = listening(mixed());
  world.command('wifi-3', 'sleep');
  const types = new Map(world.accessPoints.map(({ ap_id, type }) => [ap_id, type]));
  let heardOtherTechnologies = 0;
  for (const [ap_id, listed] of lists(world, 20)) {
    for (const { heard } of listed) {
      expect(heard.length).toBeLessThanOrEqual(8);
      const names = heard.map((each) => each.ap_id);
      expect(names).not.toContain(ap_id);
      expect(names).not.toContain('wifi-3');
      expect(new Set(names).size).toBe(names.length);
      for (const type of ['5G', 'WiFi', 'LiFi'] as const) {
        const strengths = heard.filter((each) => types.get(each.ap_id) === type).map(({ rssi_dbm }) => rssi_dbm);
        expect(strengths).toEqual(strengths.toSorted((a, b) => b - a));
      }
      if (names.some((name) => types.get(name) !== types.get(ap_id))) heardOtherTechnologies++;
    }
  }
  expect(heardOtherTechnologies).toBeGreaterThan(20);
});

test('a long list is cut: two thousand devices, and together no more than two thousand access points that they hear', () => {
  const world = listening(createWorld(town({ counts: { '5G': 4, WiFi: 1 }, devicesEach: 700 })));
  world.command('5g-1', 'sleep');
  world.command('5g-2', 'sleep');
  world.command('5g-3', 'sleep');
  const listed = lists(world, 8).get('5g-0')!;
  expect(listed.length).toBe(Math.min(2000, world.devicesOf('5g-0').length));
  expect(listed.length).toBeGreaterThan(1000);
  expect(listed.reduce((sum, { heard }) => sum + heard.length, 0)).toBeLessThanOrEqual(2000);
});

test('lists come once in the time that is asked for, and change nothing else', () => {
  const [quiet, world] = [mixed(), listening(mixed(), 10)];
  let listed = 0;
  for (let second = 0; second < 40; second++) {
    const samples = world.step();
    listed += samples.filter(({ devices }) => devices).length;
    expect(samples.map(({ ap_id, ts, fields }) => ({ ap_id, ts, fields }))).toEqual(quiet.step());
  }
  expect(listed).toBe(4 * world.accessPoints.length);
});

test('a list stays with its sample when that comes late', () => {
  const world = listening(mixed());
  world.fault('wifi-0', { kind: 'late_samples', seconds: 60, amount: 7 });
  const then = lists(world, 1).get('wifi-1');
  expect(then).toBeDefined();
  for (let second = 1; second <= 7; second++) {
    const late = world.step().filter(({ ap_id }) => ap_id === 'wifi-0');
    if (second < 7) expect(late).toEqual([]);
    else expect(late).toMatchObject([{ ts: world.time - 7000, devices: expect.any(Array) }]);
  }
});

test('names begin as the run wants it; commands take them with and without it', () => {
  const world = listening(createWorld(town({ counts: { WiFi: 2 }, devicesEach: 8 })));
  world.nameDevices('emu-1f2e3d4c-');
  const [{ device }] = lists(world, 5).get('wifi-0') as [ListedDevice];
  expect(device).toMatch(/^emu-1f2e3d4c-device-\d+$/);
  const bare = device.replace('emu-1f2e3d4c-', '');
  const steered = world.command('wifi-0', 'steer_device', { device: bare, target: 'wifi-1' });
  expect(steered).toMatchObject({ state: 'succeeded', applied: { device } });
  world.step();
  expect(world.command('wifi-0', 'steer_device', { device, target: 'wifi-1' })).toMatchObject({ answer: 'not_here' });
  expect(world.command('wifi-1', 'steer_device', { device, target: 'wifi-0' })).toMatchObject({ state: 'succeeded' });
  const stranger = device.replace('1f2e', 'aaaa');
  expect(world.command('wifi-1', 'steer_device', { device: stranger, target: 'wifi-0' })).toMatchObject({
    state: 'failed',
    answer: 'not_here',
  });
});
