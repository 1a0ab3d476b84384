// How numbers are written.
// How times are written.
import { describe, expect, it } from 'vitest';
import {
  formatAge,
  formatCount,
  formatExactly,
  formatMetric,
  formatMoment,
  formatNumber,
  formatSpan,
  formatValue,
  fromLocalMoment,
  labelWithoutUnit,
  shortAgentName,
  toLocalMoment,
  typedNumber,
  unitOf,
} from './format.ts';

describe('a number', () => {
  it.each([
    [-61.5, '−61.5'],
    [0, '0'],
    [-0.000_000_000_012_5, '−1.25\u2009×\u200910⁻¹¹'],
    [0.0005, '5\u2009×\u200910⁻⁴'],
    [-1e-17, '0'],
    [-Number.MAX_VALUE, '−1.8\u2009×\u200910³⁰⁸'],
    [9e15, '9\u2009×\u200910¹⁵'],
    [2.34567, '2.35'],
    [0.01234, '0.0123'],
    [118, '118'],
    [1234.5, '1235'],
    [12_345.6, '12\u2009346'],
    [-1_234_567, '−1\u2009234\u2009567'],
    [Number.NaN, '–'],
  ])('%d is written %s', (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });
});

describe('a value', () => {
  it('has its unit behind a thin space', () => {
    expect(formatValue(-61.5, 'dBm')).toBe('−61.5\u2009dBm');
    expect(formatValue(42, '%')).toBe('42\u2009%');
    expect(formatValue(7)).toBe('7');
  });

  it('of devices is whole, or less than one', () => {
    const served = [0.0056, 0, 1.6, -0.2, 5.8].map((value) => formatMetric('served_devices', value, ''));
    expect(served).toEqual(['less than one', '0', '2', 'less than one', '6']);
    expect(formatMetric('Devices served', 1.6, '')).toBe('2');
    expect(formatMetric('devices_share', 1.6, '%')).toBe(formatValue(1.6, '%'));
    expect(formatMetric('load', 1.6, '')).toBe('1.6');
  });

  it('moves to the next unit once it has grown out of its own', () => {
    expect(formatValue(2400, 'Mb/s')).toBe('2.4\u2009Gb/s');
    expect(formatValue(31_200, 'W')).toBe('31.2\u2009kW');
    expect(formatValue(0.0768, 'Mb/s')).toBe('76.8\u2009kb/s');
    expect(formatValue(0.2, 'Mb/s')).toBe('0.2\u2009Mb/s');
    expect(formatValue(0, 'Mb/s')).toBe('0\u2009Mb/s');
    expect(formatValue(0.02, 'W')).toBe('0.02\u2009W');
    expect(formatValue(5000, 'dBm')).toBe('5000\u2009dBm');
    expect(formatValue(9e15, 'B')).toBe('9\u2009PB');
  });
});

it('the unit of a metric is what its label says, else how its name ends', () => {
  expect(unitOf('tx_power_dbm', 'Tx power (dBm)')).toBe('dBm');
  expect(unitOf('throughput_mbps')).toBe('Mb/s');
  expect(unitOf('throughput_mbps', 'Throughput (Mbit/s)')).toBe('Mb/s');
  expect(unitOf('power_w')).toBe('W');
  expect(unitOf('load', 'Load (%)')).toBe('%');
  expect(unitOf('clients', 'Clients')).toBe('');
  expect(labelWithoutUnit('Tx power (dBm)')).toBe('Tx power');
});

it('things are counted', () => {
  expect([formatCount(1, 'agent'), formatCount(12, 'agent')]).toEqual(['1\u00a0agent', '12\u00a0agents']);
});

it.each([
  [0, '0\u2009s'],
  [40, '40\u2009s'],
  [65, '1\u2009min'],
  [7199, '1\u2009h'],
  [500_000, '5\u2009d'],
])('a span of %d s in one part is %s', (seconds, text) => {
  expect(formatSpan(seconds)).toBe(text);
});

it('a span in two parts leaves out what is nothing', () => {
  expect([formatSpan(125, 2), formatSpan(7200, 2), formatSpan(86_400 + 60, 2)]).toEqual([
    '2\u2009min 5\u2009s',
    '2\u2009h',
    '1\u2009d',
  ]);
});

it('an age begins with now', () => {
  expect([formatAge(0.4), formatAge(3)]).toEqual(['just now', '3\u2009s']);
});

it('a moment has its date unless it is today', () => {
  const noon = Date.UTC(2026, 0, 5, 12, 30, 9);
  expect(formatMoment(noon, noon + 1000)).toBe('12:30:09');
  expect(formatMoment(noon, noon + 86_400_000)).toBe('5 Jan 12:30:09');
  expect(formatMoment(noon, noon + 365 * 86_400_000)).toBe('5 Jan 2026 12:30:09');
  expect(formatExactly(noon)).toBe('2026-01-05 12:30:09.000 UTC');
});

it('a moment comes back from the field as it went in, to the second', () => {
  const ms = Date.parse('2026-07-01T10:42:07.000Z');
  expect(Date.parse(fromLocalMoment(toLocalMoment(ms)))).toBe(ms);
});

it('what is no moment is passed on as it is', () => {
  expect(fromLocalMoment('')).toBe('');
  expect(fromLocalMoment('soon')).toBe('soon');
  expect(toLocalMoment(Number.NaN)).toBe('');
});

it.each([
  ['emu-wifi-376d54ed-4a59-4758-a020-cbee5477a8c7-5', 'emu-wifi-376d…-5'],
  ['ap-roof-1', 'ap-roof-1'],
  ['376d54ed-not-a-number-of-a-run', '376d54ed-not-a-number-of-a-run'],
])('%s is shown as %s', (ap_id, shown) => {
  expect(shortAgentName(ap_id)).toBe(shown);
});

it('a number is read with either minus; what is none goes out as it was typed', () => {
  expect(['5', ' −2.5 ', '-3', '', '1,000', 'many'].map(typedNumber)).toEqual([5, -2.5, -3, '', '1,000', 'many']);
});
