// A radio map as the page holds it: values on a raster over a part of the world. Pure.
import { decodeCoverage } from '@weft/contract/coverage-values';
import type { EmulatedTechnology } from '@weft/contract/emulated-model';
import type { CoverageAnswer, CoverageBounds, CoverageRaster } from '../api/client.ts';
import type { GeoPlace } from './mercator.ts';

type Heading = Pick<CoverageAnswer, 'layer' | 'technology' | 'unit' | 'bounds' | 'columns' | 'rows' | 'access_points'>;

export interface RadioRaster
  extends Omit<Heading, 'access_points' | 'technology'>,
    Pick<CoverageAnswer, 'min' | 'max'> {
  technology: EmulatedTechnology;
  /** Rows from north to south; NaN where nothing is heard. */
  values: Float32Array;
  /** What the values of best_server count. */
  accessPoints: readonly string[];
}

export function toRaster(
  { layer, technology: told, unit, bounds, columns, rows, access_points }: Heading,
  { values, scale, min, max }: CoverageRaster,
): RadioRaster {
  const decoded =
    typeof values === 'string'
      ? decodeCoverage(values, scale)
      : Float32Array.from(values, (value) => (value === null ? Number.NaN : value * scale));
  // Only emulated networks have radio maps.
  const technology = told as EmulatedTechnology;
  return { layer, technology, unit, bounds, columns, rows, values: decoded, min, max, accessPoints: access_points };
}

/** The position of the place in the values; -1 outside of the raster. */
export function pointAt({ bounds, columns, rows }: RadioRaster, { latitude, longitude }: GeoPlace): number {
  const column = Math.floor(((longitude - bounds.west) / (bounds.east - bounds.west)) * columns);
  const row = Math.floor(((bounds.north - latitude) / (bounds.north - bounds.south)) * rows);
  return column < 0 || column >= columns || row < 0 || row >= rows ? -1 : row * columns + column;
}

/** How long the border is between the numbers of a best-server raster that lie side by side, in points. */
export function bordersIn({ values, columns, rows }: RadioRaster): Map<number, Map<number, number>> {
  const found = new Map<number, Map<number, number>>();
  const meet = (one: number, other: number) => {
    if (one === other || Number.isNaN(one) || Number.isNaN(other)) return;
    for (const [a, b] of [
      [one, other],
      [other, one],
    ] as const) {
      const known = found.get(a) ?? new Map<number, number>();
      found.set(a, known.set(b, (known.get(b) ?? 0) + 1));
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
 * A colour number for each access point, so that neighbours differ: where `count` colours do not suffice, those with the
 * longest borders. Who has one keeps it while another is not clearly better, so that the picture does not change by itself.
 */
export function chooseColours(
  raster: RadioRaster,
  before: ReadonlyMap<string, number>,
  count: number,
): Map<string, number> {
  const borders = bordersIn(raster);
  const chosen = new Map<string, number>();
  for (const [place, ap_id] of raster.accessPoints.entries()) {
    const shared = new Array<number>(count).fill(0);
    for (const [other, length] of borders.get(place) ?? []) {
      const colour = chosen.get(raster.accessPoints[other]!);
      if (colour !== undefined) shared[colour]! += length;
    }
    const least = Math.min(...shared);
    const kept = before.get(ap_id);
    const order = Array.from({ length: count }, (_, n) => (place + n) % count);
    const isGood = kept !== undefined && shared[kept]! <= 1.5 * least;
    chosen.set(ap_id, isGood ? kept : order.find((colour) => shared[colour] === least)!);
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
