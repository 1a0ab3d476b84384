// What happened to a device, and the lines of what was kept.
import { expect, it } from 'vitest';
import { historyLines, pastEntries } from './device-history.ts';

const time = (second: number) => new Date(second * 1000).toISOString();

it('tells moves and attempts in one order, newest first', () => {
  const entries = pastEntries({
    moves: [
      { ts: time(30), kind: 'moved', ap_id: 'b', from: 'a' },
      { ts: time(10), kind: 'joined', ap_id: 'a' },
    ],
    steering: [
      { ts: time(30), ap_id: 'a', target: 'b', outcome: 'moved', command_id: '2' },
      { ts: time(20), ap_id: 'a', target: 'c', outcome: 'refused', command_id: '1' },
    ],
  });
  expect(entries.map((entry) => ('move' in entry ? entry.move.kind : entry.attempt.outcome))).toEqual([
    'moved',
    'moved',
    'refused',
    'joined',
  ]);
  expect('attempt' in entries[0]!).toBe(true);
});

it('draws a line for each access point, the newest first, without samples that lack the value', () => {
  const samples = [
    { ts: time(1), ap_id: 'a', rssi_dbm: -50 },
    { ts: time(2), ap_id: 'a' },
    { ts: time(3), ap_id: 'b', rssi_dbm: -60 },
    { ts: time(4), ap_id: 'b', rssi_dbm: -61 },
  ];
  expect(historyLines(samples, 'rssi_dbm', (name) => name.toUpperCase())).toEqual([
    { name: 'b', label: 'B', times: [3, 4], values: [-60, -61] },
    { name: 'a', label: 'A', times: [1], values: [-50] },
  ]);
  expect(historyLines(samples, 'tx_mbps', String)).toEqual([]);
});
