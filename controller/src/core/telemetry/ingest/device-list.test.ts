import { expect, test } from 'vitest';
import { parseReport } from './parse-report.ts';
import { ServerTimes } from './sample-time.ts';

const now = Date.parse('2026-11-16T10:00:00Z');

function parse(body: unknown) {
  return parseReport(body, 'ap', now, { retentionMs: 86_400_000, serverTimes: new ServerTimes() });
}

function ignoredOf(body: unknown): string[] {
  return (parse(body).ignored?.named ?? []).map(({ field, reason }) => `${field}: ${reason}`);
}

function problemsOf(body: unknown) {
  try {
    parse(body);
  } catch (error) {
    return (error as { problems: { loc: unknown[]; msg: string }[] }).problems;
  }
  throw new Error('it was not refused');
}

test('a list has the time of its sample, or that of its arrival', () => {
  const device = { device: 'd' };
  expect(parse({ x: 1, devices: [device] }).devices).toMatchObject([{ ts: now, devices: [{ identity: 'd' }] }]);
  expect(parse({ payload: { x: 1, devices: [device] }, ts: now - 5 }).devices).toMatchObject([{ ts: now - 5 }]);
  const samples = [
    { ts: now - 10, x: 1, devices: [device] },
    { ts: now - 20, devices: [] },
    { ts: now - 30, x: 1 },
  ];
  expect(parse({ samples }).devices?.map(({ ts, devices }) => [ts, devices.length])).toEqual([
    [now - 20, 0],
    [now - 10, 1],
  ]);
  expect(parse({ x: 1 }).devices).toBeUndefined();
});

test('every value of a device is read, and those that are not there are unknown', () => {
  const heard = [{ ap_id: 'b', rssi_dbm: -70 }, { bssid: '02:00:00:00:00:01' }];
  const values = { rssi_dbm: -51, snr_db: '20.5', rx_mbps: 100, tx_mbps: 200.5, connected_seconds: 9 };
  const [list] = parse({ devices: [{ device: 'd', ...values, heard }, { device: 'e' }] }).devices!;
  expect(list!.devices).toEqual([
    {
      identity: 'd',
      ...values,
      snr_db: 20.5,
      heard: [
        { name: 'b', isBssid: false, rssi_dbm: -70 },
        { name: '02:00:00:00:00:01', isBssid: true, rssi_dbm: Number.NaN },
      ],
    },
    expect.objectContaining({ identity: 'e', rssi_dbm: Number.NaN, heard: [] }),
  ]);
});

test('what cannot be used is left out and named, never by its value', () => {
  expect(ignoredOf({ x: 1, devices: 'none' })).toEqual(['devices: not_a_list']);
  const bad = [{ mac: 'x' }, 5, { device: '' }, { device: 'a\u0000b' }, { device: 'x'.repeat(129) }];
  expect(ignoredOf({ x: 1, devices: bad })).toEqual(['devices: no_device']);
  expect(ignoredOf({ x: 1, devices: [{ device: 'd' }, { device: 'd' }] })).toEqual(['devices: repeated']);
  const odd = { device: 'd', rssi_dbm: 'loud', tx_mbps: [], heard: [{ rssi_dbm: 1 }, 'b'] };
  expect(ignoredOf({ x: 1, devices: [odd, { device: 'e', heard: 'all' }] })).toEqual([
    'devices.rssi_dbm: not_a_number',
    'devices.tx_mbps: not_a_number',
    'devices.heard: no_device',
    'devices.heard: not_a_list',
  ]);
});

test('lists that are too long are refused, and so is a credential in one', () => {
  const many = Array.from({ length: 2_001 }, (_, index) => ({ device: `d${index}` }));
  expect(problemsOf({ devices: many })).toMatchObject([
    { loc: ['body', 'devices'], msg: 'Value error, a report has at most 2000 devices' },
  ]);
  const heard = Array.from({ length: 9 }, (_, index) => ({ ap_id: `a${index}` }));
  expect(problemsOf({ devices: [{ device: 'd', heard }] })).toMatchObject([
    { loc: ['body', 'devices', 0, 'heard'], msg: 'Value error, a device has at most 8 heard access points' },
  ]);
  expect(problemsOf({ devices: [{ device: 'd', password: 'x' }] })).toMatchObject([
    { loc: ['body', 'devices', 0, 'password'] },
  ]);
});
