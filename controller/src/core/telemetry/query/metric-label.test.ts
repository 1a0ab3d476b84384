import { expect, test } from 'vitest';
import { labelOf, readableName } from './metric-label.ts';

test.each([
  ['tx_power_dbm', 'Tx power (dBm)'],
  ['cpu_percent', 'CPU (%)'],
  ['rssi', 'RSSI'],
  ['throughput_mbps', 'Throughput (Mbit/s)'],
  ['connected_devices', 'Connected devices'],
  ['s', 'S'],
  ['_', '_'],
  ['__proto__', 'Proto'],
  ['x_constructor', 'X constructor'],
  ['élan', 'Élan'],
  ['=1+1', '=1+1'],
  ['🦊_ms', '🦊 (ms)'],
])('%s reads %s', (name, label) => {
  expect(readableName(name)).toBe(label);
});

test("the agent's own label comes first, if it is one", () => {
  const configuration = JSON.parse(
    '{"metrics":{"a":{"label":"Own"},"b":{"label":7},"c":"x","__proto__":{"label":"P"}}}',
  );
  expect(['a', 'b', 'c', 'd', '__proto__'].map((name) => labelOf(name, configuration))).toEqual([
    'Own',
    'B',
    'C',
    'D',
    'P',
  ]);
  expect(labelOf('constructor', { metrics: {} })).toBe('Constructor');
  expect(labelOf('a', { metrics: [] })).toBe('A');
});
