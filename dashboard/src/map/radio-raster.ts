// A radio map as the page holds it: values on a raster over a part of the world. Pure.
import { decodeCoverage } from '@weft/contract/coverage-values';
import type { CoverageBounds, CoverageLayer, CoverageRaster, Technology } from '../api/operations.ts';
import type { GeoPlace } from './mercator.ts';

export interface RadioRaster {
  layer: CoverageLayer;
  technology: Technology;
  unit: string;
  bounds: CoverageBounds;
  columns: number;
  rows: number;
  /** Rows from north to south; NaN where nothing is heard. */
  values: Float32Array;
  min: number | null;
  max: number | null;
  /** What the values of best_server count. */
  accessPoints: readonly string[];
}

type Heading = Omit<RadioRaster, 'values' | 'min' | 'max' | 'accessPoints'> & { access_points: readonly string[] };

export function toRaster(
  { layer, technology, unit, bounds, columns, rows, access_points }: Heading,
  { values, scale, min, max }: CoverageRaster,
): RadioRaster {
  const decoded =
    typeof values === 'string'
      ? decodeCoverage(values, scale)
      : Float32Array.from(values, (value) => (value === null ? Number.NaN : value * scale));
  return { layer, technology, unit, bounds, columns, rows, values: decoded, min, max, accessPoints: access_points };
}

/** The position of the place in the values; -1 outside of the raster. */
export function pointAt({ bounds, columns, rows }: RadioRaster, { latitude, longitude }: GeoPlace): number {
  const column = Math.floor(((longitude - bounds.west) / (bounds.east - bounds.west)) * columns);
  const row = Math.floor(((bounds.north - latitude) / (bounds.north - bounds.south)) * rows);
  return column < 0 || column >= columns || row < 0 || row >= rows ? -1 : row * columns + column;
}

/** Which numbers of a best-server raster lie side by side somewhere. */
export function neighboursIn({ values, columns, rows }: RadioRaster): Map<number, Set<number>> {
  const found = new Map<number, Set<number>>();
  const meet = (one: number, other: number) => {
    if (one === other || Number.isNaN(one) || Number.isNaN(other)) return;
    for (const [a, b] of [
      [one, other],
      [other, one],
    ] as const) {
      const known = found.get(a);
      if (known) known.add(b);
      else found.set(a, new Set([b]));
    }
  };
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const here = values[row * columns + column]!;
      if (column + 1 < columns) meet(here, values[row * columns + column + 1]!);
      if (row + 1 < rows) meet(here, values[(row + 1) * columns + column]!);
    }
  }
  return found;
}

/**
 * A colour number for each access point, so that neighbours differ where `count` colours suffice. Who has one keeps it, so
 * that the picture does not change by itself.
 */
export function chooseColours(
  raster: RadioRaster,
  before: ReadonlyMap<string, number>,
  count: number,
): Map<string, number> {
  const neighbours = neighboursIn(raster);
  const chosen = new Map<string, number>();
  for (const [place, ap_id] of raster.accessPoints.entries()) {
    const taken = new Set(
      [...(neighbours.get(place) ?? [])].map((other) => {
        const name = raster.accessPoints[other]!;
        return chosen.get(name) ?? (other > place ? undefined : before.get(name));
      }),
    );
    const kept = before.get(ap_id);
    const order = Array.from({ length: count }, (_, n) => (place + n) % count);
    const free = order.find((colour) => !taken.has(colour));
    chosen.set(ap_id, kept !== undefined && !taken.has(kept) ? kept : (free ?? place % count));
  }
  return chosen;
}

/** Whether all of `inner` lies in `outer`. */
export function contains(outer: CoverageBounds, inner: CoverageBounds): boolean {
  return (
    outer.south <= inner.south && outer.west <= inner.west && outer.north >= inner.north && outer.east >= inner.east
  );
}

/** What both show; undefined if they do not touch. */
export function intersect(one: CoverageBounds, other: CoverageBounds): CoverageBounds | undefined {
  const south = Math.max(one.south, other.south);
  const west = Math.max(one.west, other.west);
  const north = Math.min(one.north, other.north);
  const east = Math.min(one.east, other.east);
  return south < north && west < east ? { south, west, north, east } : undefined;
}

/** Larger on every side by this share of its size. */
export function padded({ south, west, north, east }: CoverageBounds, share: number): CoverageBounds {
  const [up, right] = [(north - south) * share, (east - west) * share];
  return {
    south: Math.max(-85, south - up),
    west: west - right,
    north: Math.min(85, north + up),
    east: east + right,
  };
}

export function areaOf({ south, west, north, east }: CoverageBounds): number {
  return (north - south) * (east - west);
}
