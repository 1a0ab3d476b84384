// Laws of lists: whatever comes in whatever order, a device is attached to exactly the access points whose newest list has it,
// and what the journal was told says the same.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentsThat, devicesAt, isAtOneOf } from '../../../operations/devices/device-answer.ts';
import { hearsNothing, type ReportedDevice } from '../../telemetry/ingest/device-list.ts';
import { Pseudonyms } from '../privacy/pseudonyms.ts';
import type { DeviceLinkRecord } from '../store/device-store.ts';
import type { DeviceChange } from './device-changes.ts';
import { DeviceRegistry } from './device-registry.ts';

const pseudonyms = new Pseudonyms(Buffer.alloc(32, 1));

function deviceOf(identity: string): ReportedDevice {
  const unknown = Number.NaN;
  const values = { rssi_dbm: -50, snr_db: unknown, rx_mbps: unknown, tx_mbps: unknown, connected_seconds: unknown };
  return { identity, ...values, heard: hearsNothing };
}

function attachedIn(registry: DeviceRegistry): string[] {
  const pairs: string[] = [];
  for (const slot of registry.table.all()) {
    for (const link of registry.table.linksOf(slot)) {
      pairs.push(`${registry.table.idOf(slot)} ${registry.agentAt(registry.table.links.agent[link]!).ap_id}`);
    }
  }
  return pairs.sort();
}

const lists = fc.array(
  fc.record({
    ap_id: fc.constantFrom('a', 'b', 'c'),
    ts: fc.integer({ min: 1, max: 12 }),
    devices: fc.uniqueArray(fc.constantFrom('d1', 'd2', 'd3', 'd4', 'd5'), { maxLength: 5 }),
  }),
  { maxLength: 40 },
);

test('the newest list of each access point is what counts, in memory and in the journal', () => {
  fc.assert(
    fc.property(lists, (reports) => {
      const told: DeviceChange[] = [];
      const registry = new DeviceRegistry({
        pseudonyms,
        maxDevices: 100,
        onChanges: (changes) => told.push(...changes),
      });
      const newest = new Map<string, { ts: number; devices: string[] }>();
      for (const { ap_id, ts, devices } of reports) {
        registry.apply(ap_id, { ts, devices: devices.map(deviceOf) });
        if (ts >= (newest.get(ap_id)?.ts ?? 0)) newest.set(ap_id, { ts, devices });
      }
      const expected = [...newest].flatMap(([ap_id, { devices }]) =>
        devices.map((identity) => `${pseudonyms.of(identity)} ${ap_id}`),
      );
      expect(attachedIn(registry)).toEqual(expected.sort());
      const written = new Map<string, DeviceLinkRecord>();
      for (const { link } of told) {
        const key = `${link.device} ${link.ap_id}`;
        // As the store does: an older row never replaces a newer one.
        if (link.seen >= (written.get(key)?.seen ?? 0)) written.set(key, link);
      }
      const durable = [...written].filter(([, { left_at }]) => left_at === null).map(([key]) => key);
      expect(durable.sort()).toEqual(expected);
      expect(registry.table.linkCount).toBe(expected.length);
    }),
  );
});

test('each beginning of a link is told as joined or moved, each end as left or moved', () => {
  fc.assert(
    fc.property(lists, (reports) => {
      const told: DeviceChange[] = [];
      const registry = new DeviceRegistry({
        pseudonyms,
        maxDevices: 100,
        onChanges: (changes) => told.push(...changes),
      });
      for (const { ap_id, ts, devices } of reports) registry.apply(ap_id, { ts, devices: devices.map(deviceOf) });
      const state = new Map<string, boolean>();
      for (const { kind, link } of told) {
        const key = `${link.device} ${link.ap_id}`;
        const isJoin = link.left_at === null;
        expect(state.get(key) ?? false).toBe(!isJoin);
        expect(isJoin ? ['joined', 'moved'] : ['left', 'moved']).toContain(kind);
        state.set(key, isJoin);
      }
    }),
  );
});

test('names of devices stay in order, whoever comes and goes', () => {
  const step = fc.record({ name: fc.integer({ min: 0, max: 30 }), isAdded: fc.boolean(), isLookedAt: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const registry = new DeviceRegistry({ pseudonyms, maxDevices: 100, onChanges: () => 0 });
      const { table } = registry;
      const model = new Set<string>();
      for (const { name, isAdded, isLookedAt } of steps) {
        const id = `dev-${name}`;
        const slot = table.find(id);
        if (isAdded && slot === undefined) table.addDevice(id, false);
        if (!isAdded && slot !== undefined) table.removeDevice(slot);
        if (isAdded) model.add(id);
        else model.delete(id);
        if (isLookedAt) expect(table.order.slots().map((each) => table.idOf(each))).toEqual([...model].sort());
      }
      expect(table.order.slots().map((each) => table.idOf(each))).toEqual([...model].sort());
    }),
  );
});

test('the devices at some access points are those that a look at all of them finds', () => {
  fc.assert(
    fc.property(lists, fc.subarray(['a', 'b', 'c']), fc.integer({ min: 0, max: 6 }), (reports, chosen, max) => {
      const registry = new DeviceRegistry({ pseudonyms, maxDevices: 100, onChanges: () => 0 });
      for (const { ap_id, ts, devices } of reports) registry.apply(ap_id, { ts, devices: devices.map(deviceOf) });
      const flags = agentsThat(registry, (ap_id) => chosen.includes(ap_id));
      const expected = [...registry.table.all()].filter((slot) => isAtOneOf(slot, registry, flags));
      const found = devicesAt(registry, flags, 1_000)!;
      expect([...found].sort()).toEqual(expected.sort());
      const ids = registry.table.order.sorted(found).map((slot) => registry.table.idOf(slot));
      expect(ids).toEqual([...ids].sort());
      // More than asked for is none at all, never some.
      const few = devicesAt(registry, flags, max);
      if (few) expect(few).toEqual(found);
      else expect(registry.table.linkCount + expected.length).toBeGreaterThan(max);
    }),
  );
});
