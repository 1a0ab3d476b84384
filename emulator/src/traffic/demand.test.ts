import { type TrafficMix, trafficClasses } from '@weft/contract/emulated-model';
import { expect, test } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { createDevices } from '../world/devices.ts';
import { profiles } from '../world/world-spec.ts';
import { askForTraffic, brightestLx, daylightLx, demandFactor, localHour } from './demand.ts';

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

const noBalance = () => ({ askedBits: 0, deliveredBits: 0, lostBits: 0 });

test('over time devices ask for what the hour says, in flows of many sizes', () => {
  for (const meanBps of [0.8e6, 50e6]) {
    const devices = createDevices(3, [{ type: 'WiFi', x: 0, y: 0, devices: 4000, meanBps }]);
    const [down, up] = [noBalance(), noBalance()];
    const seconds = rounds(300, 100);
    for (let step = 1; step <= seconds; step++) {
      devices.backlogBits.fill(0);
      devices.upBacklogBits.fill(0);
      askForTraffic(3, step, devices, Float64Array.of(0.5), down, up);
    }
    expect(Math.abs(down.askedBits / seconds / 4000 / (meanBps / 2) - 1)).toBeLessThan(0.05);
    expect(up.askedBits).toBeGreaterThan(0.03 * down.askedBits);
  }
});

test('a mix gives its shares of devices, and the mean that was asked for whatever the mix', () => {
  for (const mix of [{ voice: 1 }, { video: 1, bulk: 1 }, { sensor: 3, web: 1 }] as TrafficMix[]) {
    const devices = createDevices(3, [{ type: 'WiFi', x: 0, y: 0, devices: 4000, meanBps: 1e6, mix }]);
    const total = Object.values(mix).reduce((sum, share) => sum + share, 0);
    for (const [index, name] of trafficClasses.entries()) {
      const count = devices.trafficClass.filter((use) => use === index).length;
      expect(Math.abs(count / 4000 - (mix[name] ?? 0) / total)).toBeLessThan(0.03);
    }
    const mean = devices.peakBps.reduce((sum, bps) => sum + bps, 0) / 4000;
    expect(Math.abs(mean / 1e6 - 1)).toBeLessThan(0.05);
  }
});

test('nothing is given up while everything is served at once, however large it is', () => {
  const devices = createDevices(3, [{ type: 'WiFi', x: 0, y: 0, devices: 1000, meanBps: 0.8e6 }]);
  const [down, up] = [noBalance(), noBalance()];
  for (let step = 1; step <= 300; step++) {
    askForTraffic(3, step, devices, Float64Array.of(1), down, up);
    devices.backlogBits.fill(0);
    devices.upBacklogBits.fill(0);
  }
  expect(down.askedBits).toBeGreaterThan(1e9);
  expect([down.lostBits, up.lostBits]).toEqual([0, 0]);
});

test('what waits is bounded; the rest counts as lost', () => {
  const devices = createDevices(3, [{ type: 'WiFi', x: 0, y: 0, devices: 50, meanBps: 20e6 }]);
  const [down, up] = [noBalance(), noBalance()];
  for (let step = 1; step <= 400; step++) askForTraffic(3, step, devices, Float64Array.of(1), down, up);
  for (const [balance, backlog] of [
    [down, devices.backlogBits],
    [up, devices.upBacklogBits],
  ] as const) {
    const waiting = backlog.reduce((sum, bits) => sum + bits, 0);
    expect(balance.lostBits).toBeGreaterThan(0);
    expect(Math.abs(waiting + balance.lostBits - balance.askedBits)).toBeLessThan(balance.askedBits * 1e-9);
  }
});
