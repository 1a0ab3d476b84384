// The list that is read without parsing is the one that the parser makes, or none.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { DeviceScanner } from './device-scanner.ts';
import { findDeviceList } from './find-lists.ts';
import { parseReport } from './parse-report.ts';
import { ReportReader } from './report-reader.ts';
import { ServerTimes } from './sample-time.ts';

const now = 1_790_000_000_000;
const limits = () => ({ retentionMs: 1e12, serverTimes: new ServerTimes() });
const parse = (body: unknown) => parseReport(body, 'ap', now, limits());

const number = fc.oneof(
  fc.integer({ min: -120, max: 1_000_000 }),
  fc.double({ min: -200, max: 2_000, noNaN: true }),
  fc.constantFrom(-0, 1e21, 1e-9, null, '5', 'x', true),
);
const name = fc.oneof(fc.constantFrom('02:5e:ed:00:00:01', 'ap-1', ' x', 'é', '', 'a"b'), fc.string({ maxLength: 12 }));
const value = (items: Record<string, fc.Arbitrary<unknown>>) => fc.record(items, { requiredKeys: [] });
const neighbour = value({ ap_id: name, bssid: name, rssi_dbm: number });
const device = value({
  device: name,
  rssi_dbm: number,
  snr_db: number,
  rx_mbps: number,
  tx_mbps: number,
  connected_seconds: number,
  heard: fc.array(neighbour, { maxLength: 9 }),
  other: number,
});
const devices = fc.array(device, { maxLength: 6 });
const spacing = fc.constantFrom('', ' ');

function write(body: unknown, gap: string): Buffer {
  const text = JSON.stringify(body);
  // As Python writes it; strings with these characters are for the parser anyway.
  return Buffer.from(gap === '' ? text : text.replaceAll(',"', ', "').replaceAll('":', '": '));
}

test('a list is read as the parser reads it, or left to the parser', () => {
  let read = 0;
  fc.assert(
    fc.property(devices, spacing, (list, gap) => {
      const bytes = write({ devices: list }, gap);
      const place = findDeviceList(bytes)!;
      const scanner = new DeviceScanner();
      const end = scanner.scan(bytes, place.from);
      if (end < 0) return;
      read++;
      expect(end).toBe(place.to);
      const report = parseReport(JSON.parse(bytes.toString()), 'ap', now, limits());
      expect(scanner.take()).toEqual(report.devices![0]!.devices);
      expect(report.ignored).toBeUndefined();
    }),
    { numRuns: rounds(2_000) },
  );
  expect(read).toBeGreaterThan(rounds(100));
});

test('reports with devices are remembered by their shape, whatever the list is, and read as the parser does', () => {
  const good = fc.array(
    fc.record({ device: fc.constantFrom('a', 'b', 'c', 'd'), rssi_dbm: fc.integer({ min: -99, max: -20 }) }),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(
      fc.array(good, { minLength: 3, maxLength: 6 }),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      (lists, hasTime, isLast, isInside) => {
        const reader = new ReportReader(limits(), { now: () => now });
        let recalled = 0;
        for (const [index, list] of lists.entries()) {
          const fields = { load: index + 0.5, ...(hasTime && { ts: now - 1_000 + index }) };
          const inside = isLast ? { ...fields, devices: list } : { devices: list, ...fields };
          const body = isInside ? { payload: inside } : inside;
          const bytes = Buffer.from(JSON.stringify(body));
          if (reader.recall(bytes, 'ap')) recalled++;
          const report = reader.read(bytes, 'ap');
          report.onStored?.();
          const expected = parse(body);
          expect(report.devices).toEqual(expected.devices);
          expect(report.samples[0]).toMatchObject({ names: ['load'], values: [index + 0.5] });
        }
        const unique = lists.slice(1).filter((list) => new Set(list.map((each) => each.device)).size === list.length);
        expect(recalled).toBe(unique.length);
      },
    ),
  );
});

test('the list is found where it stands, and only at the top', () => {
  const find = (text: string) => {
    const place = findDeviceList(Buffer.from(text));
    return place && text.slice(place.from, place.to);
  };
  expect(find('{"a":1,"devices":[{"device":"]"}],"b":[2]}')).toBe('{"device":"]"}');
  expect(find('{"devices" : [ ]}')).toBe(' ');
  expect(find('{"a":{"devices":[1]},"b":"devices"}')).toBeUndefined();
  expect(find('{"devices":null}')).toBeUndefined();
  expect(find('{"payload":{"a":{"devices":[1]},"devices":[2]}}')).toBe('2');
});
