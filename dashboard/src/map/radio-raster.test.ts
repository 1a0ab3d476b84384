import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bordersIn,
  chooseColours,
  contains,
  intersect,
  padded,
  pointAt,
  type RadioRaster,
  toRaster,
} from './radio-raster.ts';

const bounds = { south: 51, west: -3, north: 52, east: -1 };
const heading = { layer: 'best_server', technology: '5G', unit: '', bounds, columns: 3, rows: 2 } as const;
const raster = (values: number[], accessPoints: string[], columns = 3): RadioRaster => ({
  ...heading,
  columns,
  rows: values.length / columns,
  values: Float32Array.from(values),
  min: 0,
  max: 1,
  accessPoints,
});

describe('a raster', () => {
  test('is read from base64 and from an array', () => {
    const rest = { ...heading, columns: 3, rows: 1, access_points: ['a'] };
    const written = toRaster(rest, { scale: 0.5, values: 'hf8AgAIA', min: -61.5, max: 1 });
    const plain = toRaster(rest, { scale: 1, values: [-61.5, null, 1], min: -61.5, max: 1 });
    expect([...written.values]).toEqual([-61.5, Number.NaN, 1]);
    expect(plain.values).toEqual(written.values);
  });

  test('has its first value in the north-west and none outside', () => {
    const map = raster([0, 1, 2, 3, 4, 5], []);
    expect(pointAt(map, { latitude: 51.9, longitude: -2.9 })).toBe(0);
    expect(pointAt(map, { latitude: 51.9, longitude: -1.1 })).toBe(2);
    expect(pointAt(map, { latitude: 51.1, longitude: -2.9 })).toBe(3);
    expect(pointAt(map, { latitude: 50.9, longitude: -2 })).toBe(-1);
    expect(pointAt(map, { latitude: 51.5, longitude: -0.9 })).toBe(-1);
  });
});

describe('colours of access points', () => {
  test('neighbours differ, and who has a colour keeps it while it can', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 36, maxLength: 36 }), (values) => {
        const map = raster(values, [...'abcdefghij'], 6);
        const first = chooseColours(map, new Map(), 12);
        for (const [one, others] of bordersIn(map)) {
          for (const other of others.keys()) {
            expect(first.get(map.accessPoints[one]!)).not.toBe(first.get(map.accessPoints[other]!));
          }
        }
        expect(chooseColours(map, first, 12)).toEqual(first);
      }),
    );
  });
});

test('bounds are cut, padded and compared', () => {
  expect(intersect(bounds, { ...bounds, south: 51.5, east: 4 })).toEqual({ ...bounds, south: 51.5 });
  expect(intersect(bounds, { ...bounds, south: 53, north: 54 })).toBeUndefined();
  expect(contains(padded(bounds, 0.1), bounds)).toBe(true);
  expect(contains(bounds, padded(bounds, 0.1))).toBe(false);
});
