// A device on the map: among its access points, nearer to the stronger ones.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { devicePlace, toDrawnDevice } from './draw-device.ts';

const places: Record<string, { x: number; y: number }> = { a: { x: 0, y: 0 }, b: { x: 1, y: 0 }, c: { x: 0, y: 1 } };
const placeOf = (ap_id: string) => places[ap_id];
const tie = (ap_id: string, rssi_dbm: number | null, isServing = false) => ({ ap_id, rssi_dbm, isServing });

it('ties a device to each access point once, and serving counts more than being heard', () => {
  const heard = [
    { ap_id: 'b', rssi_dbm: -60, by: 'a' },
    { ap_id: 'a', rssi_dbm: -50, by: 'a' },
    { bssid: '02:00:00:00:0a:00', rssi_dbm: -40, by: 'a' },
  ];
  const { ties } = toDrawnDevice({ device: 'dev-x', links: [{ ap_id: 'a', rssi_dbm: -50 }] as never[], heard });
  expect(ties).toEqual([tie('b', -60), tie('a', -50, true)]);
});

it('stands nearer to whom it hears better', () => {
  const { x } = devicePlace({ name: 'd', ties: [tie('a', -50), tie('b', -70)] }, placeOf)!;
  expect(x).toBeGreaterThan(0);
  expect(x).toBeLessThan(0.5);
});

it('has no place where none of its access points has one', () => {
  expect(devicePlace({ name: 'd', ties: [tie('nowhere', -50)] }, placeOf)).toBeUndefined();
  expect(devicePlace({ name: 'd', ties: [] }, placeOf)).toBeUndefined();
});

it('never leaves the ground between its access points', () => {
  const ties = fc.array(
    fc.record({
      ap_id: fc.constantFrom('a', 'b', 'c', 'nowhere'),
      rssi_dbm: fc.option(fc.integer({ min: -120, max: 0 })),
      isServing: fc.boolean(),
    }),
  );
  fc.assert(
    fc.property(ties, (all) => {
      const place = devicePlace({ name: 'd', ties: all }, placeOf);
      expect(place === undefined).toBe(all.every(({ ap_id }) => ap_id === 'nowhere'));
      if (!place) return;
      expect(Math.min(place.x, place.y)).toBeGreaterThanOrEqual(0);
      expect(place.x + place.y).toBeLessThanOrEqual(1 + 1e-9);
    }),
  );
});
