import { expect, test } from 'vitest';
import { town } from './town.ts';
import { whatIf } from './what-if.ts';
import { createWorld } from './world/world.ts';

const build = () => {
  const world = createWorld(town({ counts: { WiFi: 9, '5G': 1 }, devicesEach: 8 }));
  for (let n = 0; n < 10; n++) world.step();
  return world;
};

test('tells what would come of commands, without touching the world', () => {
  const world = build();
  const witness = world.clone();
  const { results, predictions, served, powerW } = whatIf(world, [{ ap_id: 'wifi-4', name: 'sleep' }], 1);
  expect(results).toMatchObject([{ state: 'succeeded' }]);
  const asleep = predictions.get('wifi-4')!;
  expect(asleep.get('power_w')!.with).toBeLessThan(asleep.get('power_w')!.without! / 2);
  expect(asleep.get('connected_devices')!.with).toBeLessThan(asleep.get('connected_devices')!.without!);
  const neighbour = predictions.get('wifi-1')!.get('connected_devices')!;
  expect(neighbour.with).toBeGreaterThanOrEqual(neighbour.without!);
  expect(powerW.with).toBeLessThan(powerW.without);
  expect(served.with).toBeGreaterThan(0);
  expect(world.time).toBe(witness.time);
  expect(world.step()).toEqual(witness.step());
});

test('comes true if the commands are given', () => {
  const world = build();
  const { predictions } = whatIf(world, [{ ap_id: 'wifi-4', name: 'set_tx_power', args: { dbm: 5 } }], 0.5);
  world.command('wifi-4', 'set_tx_power', { dbm: 5 });
  const rssi: number[] = [];
  for (let n = 0; n < 30; n++) {
    world.step();
    const { rssi_dbm } = world.latest('wifi-4')!.fields;
    if (rssi_dbm !== undefined) rssi.push(rssi_dbm);
  }
  expect(predictions.get('wifi-4')!.get('rssi_dbm')!.with).toBeCloseTo(
    rssi.reduce((sum, value) => sum + value) / rssi.length,
    3,
  );
});

test('tells minute by minute how the whole network fares', () => {
  const world = build();
  const { timeline } = whatIf(world, [{ ap_id: 'wifi-4', name: 'sleep' }], 1.5);
  expect(timeline.map(({ minute }) => minute)).toEqual([1, 1.5]);
  const before = world.totals().deliveredBits;
  let [served, powerW] = [0, 0];
  for (let n = 0; n < 60; n++) {
    world.step();
    served += world.totals().served / 60;
    powerW += world.totals().powerW / 60;
  }
  const [first, second] = timeline;
  expect(first!.served.without).toBeCloseTo(served, 3);
  expect(first!.powerW.without).toBeCloseTo(powerW, 3);
  expect(first!.deliveredMbps.without).toBeCloseTo((world.totals().deliveredBits - before) / 60e6, 3);
  expect(first!.powerW.with).toBeLessThan(powerW);
  expect(second!.powerW.with).toBeLessThan(second!.powerW.without);
});

test('without commands both sides are the same', () => {
  const { predictions } = whatIf(build(), [], 0.2);
  for (const metrics of predictions.values())
    for (const { with: one, without } of metrics.values()) expect(one).toBe(without);
});

test('says what a command would be refused for', () => {
  const { results } = whatIf(build(), [{ ap_id: 'wifi-4', name: 'set_tilt', args: { degrees: 1 } }], 0.1);
  expect(results).toMatchObject([{ state: 'failed' }]);
});

test.each([0, -1, 61, Number.NaN])('%d minutes are refused', (minutes) => {
  expect(() => whatIf(build(), [], minutes)).toThrow(RangeError);
});
