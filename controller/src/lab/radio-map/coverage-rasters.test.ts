import { decodeCoverage, encodeCoverage } from '@weft/contract/coverage-values';
import type { CoverageLayer } from '@weft/contract/lab';
import { expect, test } from 'vitest';
import { ValidationError } from '../../core/base/errors.ts';
import { subtract } from './coverage-rasters.ts';
import { parseBounds } from './coverage-service.ts';

const no = Number.NaN;
const raster = (...values: number[]) => ({
  scale: 0.5,
  values: encodeCoverage(Float32Array.from(values), 0.5),
  min: 0,
  max: 0,
});

test.each<[CoverageLayer, number[], number | null, number | null]>([
  ['signal', [2, no, no, no], 2, 2],
  ['sinr', [2, no, no, no], 2, 2],
  ['rate', [2, -3, 4, no], -3, 4],
  ['best_server', [1, 1, 1, no], 1, 1],
])('the difference of %s', (layer, expected, min, max) => {
  const found = subtract(layer, raster(5, no, 4, no), raster(3, 3, no, no));
  expect([...decodeCoverage(found.values as string, found.scale)]).toEqual(expected);
  expect([found.min, found.max]).toEqual([min, max]);
});

test('where nothing changes the best server has no difference', () => {
  const { values, scale } = subtract('best_server', raster(1, 2), raster(1, 3));
  expect([...decodeCoverage(values as string, scale)]).toEqual([0, 1]);
});

test('bounds are four numbers', () => {
  expect(parseBounds('51.4, -2.6,51.5,-2.5', 'query')).toEqual({ south: 51.4, west: -2.6, north: 51.5, east: -2.5 });
});

test.each([
  '',
  '1,2,3',
  '1,2,3,x',
  '2,0,1,1',
  '0,2,1,1',
  '-91,0,1,1',
  '0,0,1,361',
  '0,,1,1',
  '0,0,1,1,1',
  '0,-541,1,-540.5',
])('bounds are not %j', (text) => {
  expect(() => parseBounds(text, 'query')).toThrow(ValidationError);
});
