import { describe, expect, test } from 'vitest';
import { isLong, rounds } from '../../../test/rounds.ts';
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

test('a 5G device changes cell for one that was better by the margin for the time to trigger, unless it loses its own', () => {
  const world = createWorld(town({ counts: { '5G': 9 }, devicesEach: 10 }));
  run(world, 2);
  let count = 0;
  for (const { device, from, to, before, after } of changes(world, 60)) {
    count++;
    if (strengthDbm(after, after.nr, device, from) <= -125) continue;
    expect(before.devices.betterSteps[device]).toBe(2);
    expect(strengthDbm(after, after.nr, device, to)).toBeGreaterThanOrEqual(
      strengthDbm(after, after.nr, device, from) + 2.99,
    );
  }
  expect(count).toBeGreaterThan(20);
});

describe('what a change of access point costs', () => {
  const counted = ['handover_attempts', 'handovers_out', 'handover_failures', 'ping_pongs'] as const;
  const drive = (margin: number, seconds: number) => {
    const world = createWorld(town({ counts: { '5G': 9 }, devicesEach: 20 }));
    for (const { ap_id } of world.accessPoints) {
      world.command(ap_id, 'set_handover_margin', { db: margin });
      world.command(ap_id, 'set_time_to_trigger', { seconds: margin === 0 ? 0 : 2 });
    }
    run(world, 10);
    const sums = Object.fromEntries(counted.map((name) => [name, 0])) as Record<(typeof counted)[number], number>;
    for (const { fields } of run(world, seconds).flat()) for (const name of counted) sums[name] += fields[name]!;
    return sums;
  };

  test('attempts are done or fail, at the source; a margin keeps devices from going to and fro', () => {
    const [eager, patient] = [drive(0, 60), drive(3, 60)];
    for (const sums of [eager, patient]) {
      expect(sums.handover_attempts).toBe(sums.handovers_out + sums.handover_failures);
    }
    expect(patient.handover_attempts).toBeLessThan(eager.handover_attempts / 2);
    const backAndForth = ({ ping_pongs, handover_attempts }: typeof eager) => ping_pongs / handover_attempts;
    expect(backAndForth(patient)).toBeLessThan(backAndForth(eager));
    expect(backAndForth(patient)).toBeLessThan(0.195);
  });

  test('part of the second without service, by technology', () => {
    const world = createWorld(town({ counts: { '5G': 4, WiFi: 4, LiFi: 9 }, devicesEach: 8 }));
    run(world, 5);
    const seen = new Set<string>();
    for (const { device, from, to, after } of changes(world, 120)) {
      const types = [from, to].map((ap) => after.accessPoints[ap]!.type);
      const lost = after.devices.lostS[device]!;
      const key = types[0] === types[1] ? types[0]! : 'between';
      const [least, most] = { '5G': [0.03, 0.05], WiFi: [0.05, 0.5], LiFi: [0.1, 0.3], between: [0.3, 0.7] }[key]!;
      seen.add(key);
      expect(lost).toBeGreaterThanOrEqual(least!);
      expect(lost).toBeLessThanOrEqual(most!);
    }
    expect(seen.size).toBeGreaterThanOrEqual(3);
  });

  test('a link that stays too weak is lost, and found again after a second', () => {
    const world = createWorld(town({ counts: { '5G': 9 }, devicesEach: 20 }));
    run(world, 5);
    let before = world.snapshot();
    let lost = 0;
    for (let second = 0; second < 120; second++) {
      world.step();
      const after = world.snapshot();
      for (const [device, serving] of after.devices.serving.entries()) {
        if (before.devices.weakSteps[device]! < 2 || before.devices.serving[device]! < 0) continue;
        lost++;
        expect(serving).toBe(-1);
        expect(after.devices.outUntilStep[device]).toBe(after.step + 1);
      }
      before = after;
    }
    expect(lost).toBeGreaterThan(0);
  });
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
  for (const { device, from, to, after } of changes(world, 300)) {
    if (after.accessPoints[to]!.type !== 'LiFi' || after.accessPoints[from]!.type === 'LiFi') continue;
    returns++;
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
  const together = createWorld({ ...town({ counts: { WiFi: 4 }, devicesEach: 25 }), peakMbpsPerDevice: 3 });
  run(together, 5);
  const apart = together.clone();
  for (let ap = 0; ap < 4; ap++) {
    together.command(`wifi-${ap}`, 'set_channel', { channel: 124 });
    apart.command(`wifi-${ap}`, 'set_channel', { channel: 100 + 8 * ap });
  }
  run(together, 20);
  run(apart, 20);
  const sums = new Map([together, apart].map((world) => [world, run(world, 20).flat()]));
  const metric = (world: World, name: string) =>
    sums.get(world)!.reduce((sum, { fields }) => sum + fields[name]!, 0) / sums.get(world)!.length;
  expect(metric(together, 'channel_utilisation_pct')).toBeGreaterThan(metric(apart, 'channel_utilisation_pct') + 10);
  expect(metric(together, 'airtime_pct')).toBeLessThan(metric(apart, 'airtime_pct'));
  expect(metric(together, 'latency_ms')).toBeGreaterThan(metric(apart, 'latency_ms'));
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

test('hand-overs fail when the source is lost before the command: never at once, more often the later they are', () => {
  const shareOfFailures = (db: number, seconds: number) => {
    const world = createWorld(town({ counts: { '5G': 9 }, devicesEach: 30, seed: 5 }));
    for (const { ap_id } of world.accessPoints) {
      world.command(ap_id, 'set_handover_margin', { db });
      world.command(ap_id, 'set_time_to_trigger', { seconds });
    }
    let [attempts, failures] = [0, 0];
    for (let second = 0; second < rounds(100, 60); second++) {
      for (const { fields } of world.step()) {
        attempts += fields.handover_attempts!;
        failures += fields.handover_failures!;
      }
    }
    expect(attempts).toBeGreaterThan(rounds(300, 180));
    return failures / attempts;
  };
  expect(shareOfFailures(3, 0)).toBeLessThan(0.005);
  // Each alone: a larger margin, and a longer time to trigger.
  const byMargin = (isLong ? [1, 3, 6, 10] : [1, 3, 10]).map((db) => shareOfFailures(db, 1));
  const byTime = [byMargin[1]!, shareOfFailures(3, 3)];
  for (const shares of [byMargin, byTime]) expect(shares).toEqual(shares.toSorted((one, other) => one - other));
  expect(byMargin[0]).toBeGreaterThan(0.02);
  expect(byMargin.at(-1)).toBeGreaterThan(1.5 * byMargin[0]!);
  expect(byTime[1]).toBeGreaterThan(1.2 * byTime[0]!);
});
