// What must hold in every world with devices that hold several links; see world/laws.test.ts for those with one.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { town } from '../town.ts';
import { createWorld, restoreWorld, type World } from '../world/world.ts';
import { type AccessPointSpec, accessPointTypes, linkModes } from '../world/world-spec.ts';
import type { WorldState } from '../world/world-state.ts';
import { isMultiLink, rowOf } from './link-policies.ts';

const modes = linkModes.slice(1);
const policies = fc.record({
  mode: fc.constantFrom(...modes),
  primary: fc.constantFrom(...accessPointTypes),
  share: fc.constantFrom(0.3, 1),
});
type Policy = NonNullable<AccessPointSpec['linkPolicy']>;

function office(seed: number, linkPolicy: Policy | undefined, mbps: number, devicesEach = 5): World {
  const { accessPoints, ...rest } = town({ counts: { '5G': 1, WiFi: 2, LiFi: 4 }, devicesEach, seed });
  const withPolicy = accessPoints.map((ap) => ({ ...ap, ...(linkPolicy && { linkPolicy }) }));
  return createWorld({ ...rest, accessPoints: withPolicy, peakMbpsPerDevice: mbps });
}

const pass = (world: World, seconds: number) => {
  for (let second = 0; second < seconds; second++) world.step();
  return world;
};
const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);
const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const demands = fc.double({ min: 0.2, max: 60, noNaN: true });

/** What all access points have delivered since their last report, which never comes. */
const sentBits = ({ tallies }: WorldState) => sum(tallies.deliveredBits);

test('asked = delivered + dropped + waiting; what the links carried, less copies, is what was delivered', () => {
  fc.assert(
    fc.property(seeds, policies, demands, (seed, policy, mbps) => {
      const world = office(seed, policy, mbps);
      world.measureFromNow();
      for (let second = 0; second < 8; second++) {
        world.step();
        const state = world.snapshot();
        for (const [balance, column] of [
          [state.balance, 'backlogBits'],
          [state.uplink, 'upBacklogBits'],
        ] as const) {
          const waiting = sum(state.devices[column]);
          const accounted = balance.deliveredBits + balance.lostBits + waiting;
          expect(Math.abs(balance.askedBits - accounted)).toBeLessThan(1 + balance.askedBits * 1e-9);
          expect(waiting).toBeGreaterThanOrEqual(0);
        }
        const copies = sum(state.multi.duplicateBits);
        expect(Math.abs(sentBits(state) - copies - state.balance.deliveredBits)).toBeLessThan(
          1 + state.balance.askedBits * 1e-9,
        );
        if (policy.mode !== 'redundant') expect(copies).toBe(0);
      }
    }),
    { numRuns: rounds(30) },
  );
});

test('copies never deliver more than was asked for, and rows of links are empty between seconds', () => {
  fc.assert(
    fc.property(seeds, demands, (seed, mbps) => {
      const world = office(seed, { mode: 'redundant' }, mbps);
      for (let second = 0; second < 8; second++) {
        world.step();
        const { balance, devices } = world.snapshot();
        expect(balance.deliveredBits).toBeLessThanOrEqual(balance.askedBits * (1 + 1e-12));
        for (const bits of devices.backlogBits.subarray(devices.count)) expect(bits).toBe(0);
      }
    }),
    { numRuns: rounds(15) },
  );
});

test('attached devices are counted at each access point that they have a link to, and each device is served once', () => {
  fc.assert(
    fc.property(seeds, policies, (seed, policy) => {
      const world = pass(office(seed, policy, 1), 10);
      const { cells, devices } = world.snapshot();
      for (const [ap, attached] of cells.attached.entries()) {
        expect(attached).toBe(devices.serving.filter((serving) => serving === ap).length);
      }
      const { served, unserved, devices: all } = world.totals();
      expect(served + unserved).toBe(all);
      expect(unserved).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: rounds(15) },
  );
});

test('active_standby: in every second one link has traffic, at most', () => {
  const world = office(3, { mode: 'active_standby' }, 4);
  world.measureFromNow();
  let carried = 0;
  for (let second = 0; second < 30; second++) {
    world.step();
    const state = world.snapshot();
    for (let entry = 0; entry < state.multi.count; entry++) {
      const used = [0, 1, 2].filter((type) => state.devices.sentBits[rowOf(state, entry, type)]! > 0);
      expect(used.length).toBeLessThanOrEqual(1);
      carried += used.length;
    }
  }
  expect(carried).toBeGreaterThan(25);
});

test('load_balancing: with room everywhere, links deliver by weight', () => {
  const weights = { LiFi: 0, WiFi: 3, '5G': 1 };
  const world = office(7, { mode: 'load_balancing', weights }, 0.5, 3);
  world.measureFromNow();
  let compared = 0;
  for (let second = 0; second < 60; second++) {
    world.step();
    const state = world.snapshot();
    for (let entry = 0; entry < state.multi.count; entry++) {
      const [cell, wifi] = [0, 1].map((type) => rowOf(state, entry, type)) as [number, number];
      const { sentBits, rateBps, backlogBits } = state.devices;
      const isFree = rateBps[cell]! > 0 && rateBps[wifi]! > 0 && backlogBits[state.multi.device[entry]!] === 0;
      if (!isFree || sentBits[cell] === 0) continue;
      expect(sentBits[wifi]! / sentBits[cell]!).toBeCloseTo(3, 6);
      compared++;
    }
  }
  expect(compared).toBeGreaterThan(10);
});

test('a policy for one device takes nothing from others while there is room', () => {
  fc.assert(
    fc.property(seeds, fc.constantFrom(...modes), (seed, mode) => {
      const [as, changed] = [office(seed, undefined, 0.1, 4), office(seed, undefined, 0.1, 4)];
      pass(as, 5);
      pass(changed, 5);
      const at = changed.accessPoints.find(({ ap_id }) => changed.devicesOf(ap_id).length > 0)!.ap_id;
      const [device] = changed.devicesOf(at) as [string];
      expect(changed.command(at, 'set_link_policy', { device, mode }).state).toBe('succeeded');
      const one = Number(device.replace('device-', ''));
      for (let second = 0; second < 10; second++) {
        as.step();
        changed.step();
        const [before, after] = [as.snapshot(), changed.snapshot()];
        // A burst may take longer than its second, with or without a neighbour.
        for (let other = 0; other < before.devices.count; other++) {
          if (other === one || before.devices.backlogBits[other]! > 0) continue;
          expect(after.devices.serving[other]).toBe(before.devices.serving[other]);
          expect(after.devices.backlogBits[other]).toBeLessThan(1);
        }
      }
    }),
    { numRuns: rounds(15) },
  );
});

test('a policy is set and taken back by command: the link that carries stays, and the others go', () => {
  const world = pass(office(5, undefined, 1), 10);
  const ap_id = world.accessPoints.find(
    ({ ap_id, type }) => type === 'WiFi' && world.devicesOf(ap_id).length > 0,
  )!.ap_id;
  const device = world.devicesOf(ap_id)[0]!;
  const linksOf = () => world.accessPoints.filter((ap) => world.devicesOf(ap.ap_id).includes(device));
  expect(linksOf()).toHaveLength(1);
  const args = { device, mode: 'load_balancing', primary: 'WiFi', weights: { WiFi: 1, '5G': 1 } };
  expect(world.command(ap_id, 'set_link_policy', args)).toMatchObject({
    state: 'succeeded',
    applied: { device, mode: 'load_balancing' },
  });
  expect(linksOf()).toHaveLength(1);
  pass(world, 5);
  expect(linksOf().length).toBeGreaterThan(1);
  const cell = linksOf().find(({ type }) => type === '5G')!.ap_id;
  expect(world.command(cell, 'set_link_policy', { device, mode: 'single' }).state).toBe('succeeded');
  expect(linksOf()).toHaveLength(1);
  pass(world, 5);
  expect(linksOf()).toHaveLength(1);
  const state = world.snapshot();
  expect(isMultiLink(state, Number(device.replace('device-', '')))).toBe(false);
  const serving = state.devices.serving;
  for (const [ap, attached] of state.cells.attached.entries()) {
    expect(attached).toBe(serving.filter((each) => each === ap).length);
  }
});

test.each([
  [{ mode: 'fastest' }, 'mode must be one of'],
  [{ mode: 'priority', primary: 'Ethernet' }, 'primary must be one of'],
  [{ mode: 'load_balancing', weights: { LTE: 1 } }, 'by technology'],
  [{ mode: 'load_balancing', weights: { WiFi: 0 } }, 'above 0'],
  [{ mode: 'load_balancing', weights: { WiFi: -1 } }, '0 to 1000000'],
  [{ mode: 'load_balancing', weights: 3 }, 'must be an object'],
  [{ mode: 'redundant', device: 'device-9999' }, 'not attached'],
])('a policy that makes no sense is refused: %j', (wrong, reason) => {
  const world = pass(office(5, undefined, 1), 5);
  const ap_id = world.accessPoints.find((ap) => world.devicesOf(ap.ap_id).length > 0)!.ap_id;
  const args = { device: world.devicesOf(ap_id)[0]!, ...wrong };
  expect(world.command(ap_id, 'set_link_policy', args)).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining(reason),
  });
});

test('a steered device with several links uses the target, and its policy again afterwards', () => {
  const world = pass(office(5, { mode: 'active_standby', primary: 'LiFi' }, 1), 10);
  const carrier = () => world.servedBy();
  const names = world.accessPoints.map(({ ap_id }) => ap_id);
  const wifi = names.indexOf('wifi-0');
  const device = carrier().findIndex((ap, n) => {
    return ap >= 0 && world.accessPoints[ap]!.type === 'LiFi' && world.devicesOf('wifi-0').includes(`device-${n}`);
  });
  expect(device).toBeGreaterThanOrEqual(0);
  const lamp = names[carrier()[device]!]!;
  const steered = world.command(lamp, 'steer_device', { device: `device-${device}`, target: 'wifi-0' });
  expect(steered.state).toBe('succeeded');
  pass(world, 2);
  expect(carrier()[device]).toBe(wifi);
  expect(world.devicesOf('wifi-0')).toContain(`device-${device}`);
  pass(world, 130);
  expect(world.accessPoints[carrier()[device]!]!.type).toBe('LiFi');
});

test('a world with policies goes on after a snapshot as if nothing had been', () => {
  for (const mode of modes) {
    const [whole, broken] = [office(9, { mode, share: 0.5 }, 3), office(9, { mode, share: 0.5 }, 3)];
    let parted = broken;
    for (let second = 0; second < 30; second++) {
      if (second % 7 === 0) parted = restoreWorld(parted.snapshot());
      expect(parted.step()).toEqual(whole.step());
    }
  }
});

test('a second link costs battery, copies cost air, and a standby link saves outages under lamps', () => {
  const figures = (mode?: string) => {
    const world = pass(office(11, mode === undefined ? undefined : { mode }, 2, 9), rounds(300, 150));
    return { ...world.totals(), loads: sum(world.snapshot().tallies.load) };
  };
  const [single, standby, copies] = [figures(), figures('active_standby'), figures('redundant')];
  expect(standby.deviceEnergyJ).toBeGreaterThan(single.deviceEnergyJ);
  expect(copies.deviceEnergyJ).toBeGreaterThan(standby.deviceEnergyJ);
  expect(copies.powerW).toBeGreaterThan(single.powerW);
  expect(standby.outageS).toBeLessThan(0.7 * single.outageS);
  expect(copies.outageS).toBeLessThanOrEqual(standby.outageS);
  expect(standby.metS / standby.dataS).toBeGreaterThanOrEqual(single.metS / single.dataS - 0.01);
});
