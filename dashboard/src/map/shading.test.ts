// Access points coloured by a metric.
import { expect, it } from 'vitest';
import { sequential } from './radio-colours.ts';
import { createShading, inkOn, isLowWorse, shadeOf } from './shading.ts';

const values = new Map([
  ['a', 0],
  ['b', 50],
  ['c', 100],
]);

it('one has the colour of its value, many that of the worst, and who has no value none', () => {
  const load = createShading('prb_load_pct', values);
  expect(shadeOf(load, ['a'])).toEqual(sequential(0));
  expect(shadeOf(load, ['a', 'b', 'nobody'])).toEqual(sequential(0.5));
  expect(shadeOf(load, ['nobody'])).toBeUndefined();
  const signal = createShading('rssi_dbm', values);
  expect(shadeOf(signal, ['b', 'c'])).toEqual(sequential(0.5));
});

it('equal values have a colour as well, and words on it can be read', () => {
  const same = createShading('x', new Map([['a', 7]]));
  expect(shadeOf(same, ['a'])).toEqual(sequential(0.5));
  expect([inkOn(sequential(0)), inkOn(sequential(1))]).toEqual(['#ffffff', '#0d1219']);
});

it('knows which end is the worse one', () => {
  expect(['sinr_db', 'throughput_mbps', 'illuminance_lux'].every(isLowWorse)).toBe(true);
  expect(['latency_ms', 'channel_utilisation_pct', 'handover_failures', 'power_w'].some(isLowWorse)).toBe(false);
});
