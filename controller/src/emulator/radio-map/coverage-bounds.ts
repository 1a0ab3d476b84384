// The part of the world that a radio map shows, as it is written in a query.
import type { CoverageBounds } from '@weft/contract';
import { invalidValue } from '../../input/value-rules.ts';

/** `south,west,north,east` in degrees. Throws ValidationError. */
export function parseBounds(text: string, place: 'query' | 'body'): CoverageBounds {
  const parts = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const [south, west, north, east] = parts as [number, number, number, number];
  if (parts.length !== 4 || !parts.every(Number.isFinite)) {
    throw invalidValue([place, 'bounds'], 'bounds must be four numbers: south,west,north,east');
  }
  if (south < -90 || north > 90 || !(south < north)) {
    throw invalidValue([place, 'bounds'], 'south must be below north, both from -90 to 90');
  }
  if (Math.abs(west) > 540 || !(west < east) || east - west > 360) {
    throw invalidValue([place, 'bounds'], 'west must be less than east; add 360 to east beyond the 180th meridian');
  }
  return { south, west, north, east };
}
