import { expect, test } from 'vitest';
import { DevicePoints } from './device-points.ts';

const view = { width: 1000, height: 1000, zoom: 1, scale: 1000, left: 0, top: 0 };
const places = { a: { x: 0.2, y: 0.5 }, b: { x: 0.8, y: 0.5 } };
const placeOf = (ap_id: string) => ({ ...places[ap_id as 'a' | 'b'], technology: 'WiFi' as const });
const at = (ap_id: string, isServing = true) => [{ name: 'd1', ties: [{ ap_id, isServing, rssi_dbm: -50 }] }];
const spots = (points: DevicePoints, now: number, isShown = true) => [...points.spots(view, () => isShown, now)];

test('a device that another access point takes over moves there, and stands still then', () => {
  const points = new DevicePoints();
  points.set(at('a'), placeOf, true, 0);
  const [first] = spots(points, 0);
  expect(first).toMatchObject({ isMoving: false, technology: 'WiFi' });
  points.set(at('b'), placeOf, true, 1_000);
  expect(spots(points, 1_600)).toMatchObject([{ isMoving: true, x: expect.closeTo(first!.x + 300, 6), y: first!.y }]);
  expect(spots(points, 9_000)).toMatchObject([{ isMoving: false, x: expect.closeTo(first!.x + 600, 6), y: first!.y }]);
});

test('without motion it is there at once; what is in a cluster or attached nowhere has no point', () => {
  const points = new DevicePoints();
  points.set(at('a'), placeOf, false, 0);
  const [first] = spots(points, 0);
  points.set(at('b'), placeOf, false, 1_000);
  expect(spots(points, 1_000)).toMatchObject([{ isMoving: false, x: expect.closeTo(first!.x + 600, 6) }]);
  expect(spots(points, 1_000, false)).toEqual([]);
  points.set(at('a', false), placeOf, false, 2_000);
  expect(spots(points, 2_000)).toEqual([]);
});
