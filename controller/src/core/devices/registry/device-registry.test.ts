import { expect, test } from 'vitest';
import { hearsNothing, type ReportedDevice } from '../../telemetry/ingest/device-list.ts';
import { Pseudonyms } from '../privacy/pseudonyms.ts';
import type { DeviceChange } from './device-changes.ts';
import { DeviceRegistry } from './device-registry.ts';

const pseudonyms = new Pseudonyms(Buffer.alloc(32, 1));
const second = 1_000;

function setUp(maxDevices = 100) {
  const told: DeviceChange[] = [];
  const registry = new DeviceRegistry({ pseudonyms, maxDevices, onChanges: (changes) => told.push(...changes) });
  const list = (ap_id: string, ts: number, ...devices: (string | Partial<ReportedDevice>)[]) =>
    registry.apply(ap_id, { ts, devices: devices.map(deviceOf) });
  const takeTold = () => told.splice(0).map(({ kind, link, from, to }) => ({ kind, ap_id: link.ap_id, from, to }));
  return { registry, list, takeTold };
}

function deviceOf(device: string | Partial<ReportedDevice>): ReportedDevice {
  const unknown = Number.NaN;
  const values = { rssi_dbm: -50, snr_db: unknown, rx_mbps: unknown, tx_mbps: unknown, connected_seconds: unknown };
  return {
    identity: 'x',
    ...values,
    heard: hearsNothing,
    ...(typeof device === 'string' ? { identity: device } : device),
  };
}

test('a device that is gone here and comes there has moved', () => {
  const { list, takeTold } = setUp();
  list('a', 1 * second, 'd');
  list('a', 2 * second);
  list('b', 3 * second, 'd');
  expect(takeTold()).toEqual([
    { kind: 'joined', ap_id: 'a', from: undefined, to: 'a' },
    { kind: 'left', ap_id: 'a', from: 'a', to: undefined },
    { kind: 'moved', ap_id: 'b', from: 'a', to: 'b' },
  ]);
});

test('a device that comes there first and is gone here then has moved too', () => {
  const { list, takeTold } = setUp();
  list('a', 1 * second, 'd');
  list('b', 30 * second, 'd');
  list('a', 31 * second);
  expect(takeTold().slice(1)).toEqual([
    { kind: 'joined', ap_id: 'b', from: undefined, to: 'b' },
    { kind: 'moved', ap_id: 'a', from: 'a', to: 'b' },
  ]);
});

test('a link of another technology that was there before is no move', () => {
  const { list, takeTold } = setUp();
  list('wifi', 1 * second, 'd');
  list('5g', 2 * second, 'd');
  list('5g', 600 * second, 'd');
  list('wifi', 601 * second);
  expect(takeTold().at(-1)).toEqual({ kind: 'left', ap_id: 'wifi', from: 'wifi', to: undefined });
});

test('since is when the access point says that it came', () => {
  const { registry, list } = setUp();
  list('a', 100 * second, { identity: 'd', connected_seconds: 40 });
  const link = registry.agent('a')!.firstLink;
  expect(registry.table.links.since[link]).toBe(60 * second);
});

test('an access point that is offline serves nobody; what it spooled meanwhile still counts', () => {
  const { registry, list, takeTold } = setUp();
  list('a', 10 * second, 'd');
  registry.leaveAll('a', 100 * second, 'offline');
  list('a', 20 * second, 'd');
  expect(takeTold().map(({ kind }) => kind)).toEqual(['joined', 'left', 'joined']);
  expect(registry.table.linkCount).toBe(1);
});

test('above the bound those are forgotten that are attached nowhere; whoever is attached stays', () => {
  const { registry, list } = setUp(2);
  list('a', 1, 'd1', 'd2');
  expect(list('b', 2, 'd3').leftOut).toBe(1);
  list('a', 3, 'd1');
  expect(list('b', 4, 'd3').leftOut).toBe(0);
  expect(registry.table.find(pseudonyms.of('d2'))).toBeUndefined();
  expect(registry.leftOut).toBe(1);
});

test('an access point that is removed leaves nothing behind', () => {
  const { registry, list } = setUp();
  list('a', 1, 'd1');
  list('b', 1, 'd1');
  registry.removeAgent('a');
  expect(registry.table.linkCount).toBe(1);
  expect(registry.agent('a')).toBeUndefined();
  registry.requireAgent('c');
  list('b', 2);
  expect(registry.table.linkCount).toBe(0);
});

test('what is heard is kept in tenths, with its names', () => {
  const { registry, list } = setUp();
  const heard = [
    { name: 'b', isBssid: false, rssi_dbm: -61.3 },
    { name: '02:00:00:00:01:00', isBssid: true, rssi_dbm: Number.NaN },
  ];
  list('a', 1, { identity: 'd', heard });
  expect(registry.table.heardOf(registry.agent('a')!.firstLink)).toEqual(heard);
});
