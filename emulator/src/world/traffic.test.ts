import { expect, test } from 'vitest';
import { createDevices } from './devices.ts';
import { askForTraffic, brightestLx, daylightLx, demandFactor, localHour } from './traffic.ts';
import { profiles } from './world-spec.ts';

const wednesdayNoon = Date.UTC(2026, 0, 7, 12);

test('the hour follows the sun', () => {
  expect(localHour(wednesdayNoon, 0)).toBeCloseTo(2 * 24 + 12, 9);
  expect(localHour(wednesdayNoon, 90)).toBeCloseTo(2 * 24 + 18, 9);
  expect(localHour(Date.UTC(2026, 0, 5), -15)).toBeCloseTo(6 * 24 + 23, 9);
});

const daily = profiles.filter((profile) => profile !== 'always');

test('always is the same lively load at every hour of the week', () => {
  const week = Array.from({ length: 168 * 4 }, (_, quarter) => demandFactor('always', quarter / 4));
  expect(Math.min(...week)).toBeGreaterThan(0.7);
  expect(Math.max(...week) - Math.min(...week)).toBeLessThan(1e-9);
});

test.each(daily)('a day of %s has a quiet night and a busiest hour of 1, without a jump', (profile) => {
  const minutes = Array.from({ length: 24 * 60 }, (_, minute) => demandFactor(profile, 48 + minute / 60));
  expect(Math.max(...minutes)).toBeCloseTo(1, 9);
  expect(Math.min(...minutes)).toBeLessThan(0.15);
  for (const [n, value] of minutes.entries())
    expect(Math.abs(value - minutes[(n + 1) % minutes.length]!)).toBeLessThan(0.02);
});

test('offices are empty at weekends, stadiums are not', () => {
  expect(demandFactor('office', 5 * 24 + 10)).toBeLessThan(demandFactor('office', 10) / 3);
  expect(demandFactor('stadium', 5 * 24 + 19)).toBeGreaterThan(demandFactor('stadium', 19));
});

test('daylight comes and goes', () => {
  expect([daylightLx(0), daylightLx(12), daylightLx(36), daylightLx(20)]).toEqual([0, brightestLx, brightestLx, 0]);
});

test('over time devices ask for what the hour says, in flows of many sizes', () => {
  const devices = createDevices(3, [{ type: 'WiFi', x: 0, y: 0, devices: 1000 }]);
  const [asked, lost] = [new Float64Array(1), new Float64Array(1)];
  for (const [peakBps, expected] of [
    [0.8e6, 0.4e6],
    [50e6, 25e6],
  ] as const) {
    asked[0] = 0;
    for (let step = 1; step <= 300; step++) {
      devices.backlogBits.fill(0);
      askForTraffic(3, step, devices, Float64Array.of(0.5), peakBps, asked, lost);
    }
    expect(Math.abs(asked[0]! / 300 / 1000 / expected - 1)).toBeLessThan(0.05);
  }
});

test('what waits is bounded; the rest counts as lost', () => {
  const devices = createDevices(3, [{ type: 'WiFi', x: 0, y: 0, devices: 10 }]);
  const [asked, lost] = [new Float64Array(1), new Float64Array(1)];
  for (let step = 1; step <= 200; step++) askForTraffic(3, step, devices, Float64Array.of(1), 20e6, asked, lost);
  const waiting = devices.backlogBits.reduce((sum, bits) => sum + bits, 0);
  expect(Math.max(...devices.backlogBits)).toBeLessThanOrEqual(400e6);
  expect(waiting + lost[0]!).toBeCloseTo(asked[0]!, -1);
});
