// The law of sorted lists: in whatever pages they are read, every device comes once, in order, those without a value last.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rounds } from '../../../../test/rounds.ts';
import type { ListCursor } from '../../core/base/lists/list-cursor.ts';
import { Pseudonyms } from '../../core/devices/privacy/pseudonyms.ts';
import { DeviceRegistry } from '../../core/devices/registry/device-registry.ts';
import type { AgentRow } from '../../core/network/agent-rows.ts';
import { hearsNothing } from '../../core/telemetry/ingest/device-list.ts';
import type { DeviceSight } from './device-answer.ts';
import { deviceSorts, pageOfDevices, readDeviceOrder, takeDeviceSnapshot } from './device-sorting.ts';

const pseudonyms = new Pseudonyms(Buffer.alloc(32, 1));
const level = fc.oneof(fc.integer({ min: -5, max: 0 }), fc.constant(Number.NaN));
const attached = fc.record({ agent: fc.constantFrom('a', 'b', 'hidden'), device: fc.nat(8), rssi: level, tx: level });
const sort = fc.constantFrom(...deviceSorts.flatMap((field) => [field, `-${field}`]));
const types: Record<string, string> = { a: 'WiFi', b: '5G', hidden: 'LiFi' };
const sight: DeviceSight = {
  seesAll: false,
  has: (ap_id) => ap_id !== 'hidden',
  get: (ap_id) => (ap_id === 'hidden' ? undefined : ({ access_point_type: types[ap_id] ?? null } as AgentRow)),
};

test('every device comes once, in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(attached, { maxLength: 12 }),
      sort,
      fc.integer({ min: 1, max: 4 }),
      async (all, by, limit) => {
        const registry = new DeviceRegistry({ pseudonyms, maxDevices: 100, onChanges: () => 0 });
        for (const [index, ap_id] of ['a', 'b', 'hidden'].entries()) {
          const devices = all
            .filter(({ agent }) => agent === ap_id)
            .map(({ device, rssi, tx }) => ({
              identity: `d${device}`,
              rssi_dbm: rssi,
              snr_db: Number.NaN,
              rx_mbps: Number.NaN,
              tx_mbps: tx,
              connected_seconds: Number.NaN,
              heard: hearsNothing,
            }));
          registry.apply(ap_id, { ts: 1_000 + index, devices });
        }
        const order = readDeviceOrder(by);
        const snapshot = await takeDeviceSnapshot({ registry, sight, order, passes: () => true });
        const found: { name: string; key: string | number | null }[] = [];
        for (let cursor: ListCursor | undefined; found.length <= snapshot.count; ) {
          const page = await pageOfDevices(snapshot, { order, cursor, limit });
          found.push(...page.slice(0, limit));
          if (page.length <= limit) break;
          cursor = { ...page[limit - 1]!, snapshot: undefined };
        }
        expect(found.map(({ name }) => name).sort()).toEqual([...snapshot.names]);
        const keys = found.map(({ key }) => key);
        const values = keys.filter((key) => key !== null);
        const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        expect(keys.slice(0, values.length)).toEqual(order.isDescending ? sorted.reverse() : sorted);
        // What the caller may not see decides nothing.
        if (order.field === 'ap_id') expect(values).not.toContain('hidden');
      },
    ),
    { numRuns: rounds(60) },
  );
});
