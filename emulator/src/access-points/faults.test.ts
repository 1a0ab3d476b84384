import { describe, expect, test } from 'vitest';
import { town } from '../town.ts';
import { createWorld, type World } from '../world/world.ts';
import type { FaultRequest } from './faults.ts';
import { mostHeld } from './report-outbox.ts';

const run = (world: World, seconds: number) => Array.from({ length: seconds }, () => world.step());
const build = () => {
  const world = createWorld(town({ counts: { WiFi: 4 }, devicesEach: 8 }));
  run(world, 5);
  return world;
};
const reportsOf = (world: World, seconds: number) =>
  run(world, seconds).map((samples) => samples.filter(({ ap_id }) => ap_id === 'wifi-0').map(({ ts }) => ts));

test('a crash: no service, no reports, no answers, no power; then it starts again', () => {
  const world = build();
  world.fault('wifi-0', { kind: 'crash', seconds: 10 });
  expect(world.command('wifi-0', 'wake')).toEqual({ state: 'unanswered' });
  expect(reportsOf(world, 9).flat()).toEqual([]);
  expect(world.accessPoint('wifi-0')).toMatchObject({ power_state: 'down', connected_devices: 0 });
  run(world, 12);
  expect(world.accessPoint('wifi-0').power_state).toBe('on');
  expect(world.latest('wifi-0')!.ts).toBe(world.time);
});

test('a cut backhaul: devices hang on in vain, samples wait, and come all at once', () => {
  const world = build();
  const connected = world.accessPoint('wifi-0').connected_devices;
  world.fault('wifi-0', { kind: 'backhaul_cut', seconds: 10 });
  expect(world.command('wifi-0', 'sleep')).toEqual({ state: 'unanswered' });
  expect(reportsOf(world, 9).flat()).toEqual([]);
  expect(world.latest('wifi-0')!.fields).toMatchObject({ served_devices: 0, throughput_mbps: 0 });
  expect(world.accessPoint('wifi-0').connected_devices).toBeGreaterThanOrEqual(connected - 2);
  const [burst] = reportsOf(world, 1);
  expect(burst).toEqual(Array.from({ length: 10 }, (_, n) => world.time - 9000 + n * 1000));
});

test('what waits is bounded: the oldest is forgotten', () => {
  const world = build();
  world.fault('wifi-0', { kind: 'backhaul_cut', seconds: mostHeld + 50 });
  run(world, mostHeld + 49);
  const [burst] = reportsOf(world, 1);
  expect(burst).toHaveLength(mostHeld);
  expect(burst!.at(-1)).toBe(world.time);
});

test('a wrong clock shifts what is told, not what is', () => {
  const world = build();
  world.fault('wifi-0', { kind: 'clock_skew', seconds: 5, amount: -90 });
  expect(reportsOf(world, 1)).toEqual([[world.time - 90_000]]);
  expect(world.latest('wifi-0')!.ts).toBe(world.time);
  run(world, 5);
  expect(reportsOf(world, 1)).toEqual([[world.time]]);
});

test('samples come twice', () => {
  const world = build();
  world.fault('wifi-0', { kind: 'duplicate_samples', seconds: 20, amount: 1 });
  expect(reportsOf(world, 1)).toEqual([[world.time, world.time]]);
  world.fault('wifi-0', { kind: 'duplicate_samples', seconds: 200, amount: 0.5 });
  const doubled = reportsOf(world, 100).filter(({ length }) => length === 2).length;
  expect(doubled).toBeGreaterThan(25);
  expect(doubled).toBeLessThan(75);
});

test('samples come late, with the time they were taken', () => {
  const world = build();
  world.fault('wifi-0', { kind: 'late_samples', seconds: 5, amount: 10 });
  const start = world.time;
  const reports = reportsOf(world, 16);
  expect(reports[0]).toEqual([]);
  expect(reports.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, n) => start + (n + 1) * 1000));
  expect(reports[10]).toContain(start + 1000);
});

test('a jammed channel: more noise, fuller air, slower service', () => {
  const world = build();
  const before = world.latest('wifi-0')!.fields;
  world.fault('wifi-0', { kind: 'jammed_channel', seconds: 5, amount: 30 });
  run(world, 2);
  const jammed = world.latest('wifi-0')!.fields;
  // 30 dBm from 8 m away: 40.05 + 6.8 + 18.06 dB of loss; 60 % of the time.
  const heardDbm = 30 - (40.05 + 20 * Math.log10(5.25 / 2.4) + 20 * Math.log10(8)) + 10 * Math.log10(0.6);
  expect(jammed.noise_floor_dbm).toBeCloseTo(heardDbm, 1);
  expect(jammed.channel_utilisation_pct).toBeGreaterThan(50);
  expect(jammed.mcs).toBeLessThan(before.mcs!);
  run(world, 5);
  expect(world.latest('wifi-0')!.fields.noise_floor_dbm).toBe(before.noise_floor_dbm);
});

test('an ignored command gets no answer and has no effect', () => {
  const world = build();
  world.fault('wifi-0', { kind: 'command_ignored', seconds: 5 });
  const witness = world.clone();
  expect(world.command('wifi-0', 'sleep')).toEqual({ state: 'unanswered' });
  expect(run(world, 10)).toEqual(run(witness, 10));
  expect(world.command('wifi-0', 'sleep').state).toBe('succeeded');
});

describe('faults that make no sense are refused', () => {
  test.each<[FaultRequest, string]>([
    [{ kind: 'fire' as never, seconds: 1 }, 'one of crash'],
    [{ kind: 'crash', seconds: 0 }, 'seconds'],
    [{ kind: 'crash', seconds: Number.NaN }, 'seconds'],
    [{ kind: 'crash', seconds: 1, amount: 1 }, 'no amount'],
    [{ kind: 'duplicate_samples', seconds: 1, amount: 2 }, '0 to 1'],
    [{ kind: 'late_samples', seconds: 1, amount: 4000 }, '1 to 3600'],
  ])('%j', (fault, word) => {
    expect(() => build().fault('wifi-0', fault)).toThrow(word);
  });
});
