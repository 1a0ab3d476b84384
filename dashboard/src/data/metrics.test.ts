// Names and units of metrics, whatever an agent's configuration says.
import { expect, it } from 'vitest';
import { metricWords, reportedSince } from './metrics.ts';

it.each([
  [
    { metrics: { cell_load: { label: 'Cell load', unit: 'Erl' } } },
    'cell_load',
    '',
    { label: 'Cell load', unit: 'Erl' },
  ],
  [
    { metrics: { ue_kbps: { label: 'Per device', unit: 'kbit/s' } } },
    'ue_kbps',
    '',
    { label: 'Per device', unit: 'kb/s' },
  ],
  [{}, 'rssi_dbm', 'Signal (dBm)', { label: 'Signal', unit: 'dBm' }],
  [{}, 'throughput_mbps', '', { label: 'Throughput', unit: 'Mb/s' }],
  [{}, 'queue.depth', '', { label: 'Queue depth', unit: '' }],
  [{ metrics: null }, 'x', '', { label: 'X', unit: '' }],
  [{ metrics: { x: '<b>' } }, 'x', '', { label: 'X', unit: '' }],
])('%j, %s', (configuration, name, known, words) => {
  expect(metricWords(configuration, name, known)).toEqual(words);
});

it('reported metrics are the numbers reported since a moment', () => {
  const at = (seconds: number, value: unknown) => ({ ts: new Date(seconds * 1000).toISOString(), value });
  expect(reportedSince({ b: at(9, 1), a: at(10, 0), old: at(3, 1), text: at(9, 'x') }, 9000)).toEqual(['a', 'b']);
});
