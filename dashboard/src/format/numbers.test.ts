// How numbers are written.
import { describe, expect, it } from 'vitest';
import { formatCount, formatNumber, formatValue, labelWithoutUnit, unitOf } from './numbers.ts';

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
