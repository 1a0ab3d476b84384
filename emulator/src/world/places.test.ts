import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toPlaces } from './places.ts';

const distance = (locations: [number, number][]) => {
  const { x, y } = toPlaces(locations.map(([latitude, longitude]) => ({ latitude, longitude })));
  return Math.hypot(x[0]! - x[1]!, y[0]! - y[1]!);
};

test('degrees become metres: a thousandth is 111 m to the north, and less to the east away from the equator', () => {
  expect(
    distance([
      [51.45, -2.58],
      [51.451, -2.58],
    ]),
  ).toBeCloseTo(111.3, 1);
  expect(
    distance([
      [51.45, -2.58],
      [51.45, -2.579],
    ]),
  ).toBeCloseTo(111.32 * Math.cos((51.45 * Math.PI) / 180), 1);
  expect(
    distance([
      [0, 179.9995],
      [0, -179.9995],
    ]),
  ).toBeCloseTo(111.3, 1);
  expect(
    distance([
      [0, -179.9995],
      [0, 179.9995],
    ]),
  ).toBeCloseTo(111.3, 1);
});

test('places far apart never come near each other on the map', () => {
  expect(
    distance([
      [51.45, -2.58],
      [35.68, 139.69],
    ]),
  ).toBeGreaterThanOrEqual(10_000);
});

test('neighbours stay together in whatever order they are named', () => {
  expect(
    distance([
      [48.0999, 11.0999],
      [48.1001, 11.1001],
    ]),
  ).toBeLessThan(50);
});

test('any place on the globe has finite metres', () => {
  const location = fc.record({
    latitude: fc.double({ min: -90, max: 90, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(location, { minLength: 1, maxLength: 20 }), (locations) => {
      const { x, y } = toPlaces(locations);
      return [...x, ...y].every(Number.isFinite) && [...x].every((value) => value >= 0);
    }),
  );
});
