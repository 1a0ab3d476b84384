// Where the points of a raster lie on the plane of the world, seen from each access point.
import { maps, metresPerDegree, metresPerDegreeEast, shortestTurn } from '../world/places.ts';
import type { RadioState } from '../world/world-state.ts';

export interface CoverageBounds {
  south: number;
  west: number;
  north: number;
  east: number;
}

/** The request makes no sense; `field` is what of it. */
export class CoverageProblem extends RangeError {
  override name = 'CoverageProblem';
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

export interface Frame {
  columns: number;
  rows: number;
  /** From the access point to the first point (north-west), and from a point to the next, in metres. */
  window(ap: number): Window;
}

export interface Window {
  firstX: number;
  firstY: number;
  stepX: number;
  stepY: number;
}

export function frameOf(state: RadioState, bounds: CoverageBounds, columns: number, rows: number): Frame {
  const { south, west, north, east } = bounds;
  const isPlace = [south, west, north, east].every(Number.isFinite) && south >= -90 && north <= 90;
  if (!isPlace || !(south < north) || !(west < east) || east - west > 360) {
    throw new CoverageProblem(
      'bounds',
      'bounds must be south, west, north, east in degrees: south below north, west before east',
    );
  }
  const eastward = perDegreeEast(state);
  const degreesX = (east - west) / columns;
  const degreesY = (north - south) / rows;
  return {
    columns,
    rows,
    window(ap) {
      const { latitude, longitude } = state.accessPoints[ap]!;
      return {
        firstX: (shortestTurn(west - longitude) + degreesX / 2) * eastward[ap]!,
        firstY: (north - degreesY / 2 - latitude) * metresPerDegree,
        stepX: degreesX * eastward[ap]!,
        stepY: -degreesY * metresPerDegree,
      };
    },
  };
}

/** Around the members that share a map with the first. */
export function defaultBounds(state: RadioState, members: readonly number[], marginM: number): CoverageBounds {
  const wanted = new Set(members);
  const map = maps(state.accessPoints).find((all) => all.includes(members[0]!))!;
  const places = map.filter((index) => wanted.has(index)).map((index) => state.accessPoints[index]!);
  const [{ longitude: middle }] = places as [(typeof places)[number]];
  const eastward = places.map(({ longitude }) => middle + shortestTurn(longitude - middle));
  const northward = places.map(({ latitude }) => latitude);
  const perDegree = metresPerDegreeEast(northward[0]!);
  const [low, high] = extent(northward);
  const [left, right] = extent(eastward);
  return {
    south: Math.max(-90, low - marginM / metresPerDegree),
    west: left - marginM / perDegree,
    north: Math.min(90, high + marginM / metresPerDegree),
    east: right + marginM / perDegree,
  };
}

function extent(values: readonly number[]): [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

/** Metres in a degree of longitude on the map of each access point. */
function perDegreeEast({ accessPoints }: RadioState): Float64Array {
  const metres = new Float64Array(accessPoints.length);
  for (const members of maps(accessPoints)) {
    const perDegree = metresPerDegreeEast(accessPoints[members[0]!]!.latitude);
    for (const index of members) metres[index] = perDegree;
  }
  return metres;
}
