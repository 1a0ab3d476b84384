// From degrees to metres. Access points near one another share a flat map of their own; maps that are far apart on the
// globe lie side by side on one plane, with a gap that no radio crosses.
import { cos, radians } from '@weft/contract/exact-math';

export interface Location {
  latitude: number;
  longitude: number;
}

export interface Places {
  x: Float64Array;
  y: Float64Array;
}

export const metresPerDegree = 111_320;
/** Squares of this many degrees that touch belong to one map. */
const squareDegrees = 0.05;
const squaresAround = 360 / squareDegrees;
const gapM = 10_000;

export function toPlaces(locations: readonly Location[]): Places {
  const x = new Float64Array(locations.length);
  const y = new Float64Array(locations.length);
  let edge = 0;
  for (const members of maps(locations)) {
    const origin = locations[members[0]!]!;
    const perDegreeEast = metresPerDegreeEast(origin.latitude);
    let left = 0;
    let right = 0;
    for (const index of members) {
      const { latitude, longitude } = locations[index]!;
      x[index] = shortestTurn(longitude - origin.longitude) * perDegreeEast;
      y[index] = (latitude - origin.latitude) * metresPerDegree;
      left = Math.min(left, x[index]!);
      right = Math.max(right, x[index]!);
    }
    for (const index of members) x[index]! += edge - left;
    edge += right - left + gapM;
  }
  return { x, y };
}

/** Of a map whose first location has this latitude. */
export function metresPerDegreeEast(latitude: number): number {
  // At the poles degrees of longitude are nothing; a map there need not be true, but must stay a map.
  return metresPerDegree * Math.max(0.01, cos(radians(latitude)));
}

/** The indices of the locations of each map, maps in the order of their first. */
export function maps(locations: readonly Location[]): number[][] {
  // Node 20, which runs this package too, has no Map.groupBy.
  const squares = new Map<number, number[]>();
  for (const [index, location] of locations.entries()) {
    const key = squareOf(location);
    const members = squares.get(key);
    if (members) members.push(index);
    else squares.set(key, [index]);
  }
  const found: number[][] = [];
  for (const start of squares.keys()) {
    const members: number[] = [];
    const waiting = [start];
    while (waiting.length > 0) {
      const square = waiting.pop()!;
      const inside = squares.get(square);
      if (inside === undefined || inside.length === 0) continue;
      members.push(...inside);
      // Emptied, so that it is not walked again; the keys stay for the loop around.
      squares.set(square, []);
      waiting.push(...neighboursOf(square));
    }
    if (members.length > 0) found.push(members.sort((a, b) => a - b));
  }
  return found;
}

function squareOf({ latitude, longitude }: Location): number {
  const row = Math.floor((latitude + 90) / squareDegrees);
  const column = Math.floor((longitude + 180) / squareDegrees) % squaresAround;
  return row * squaresAround + column;
}

function neighboursOf(square: number): number[] {
  const row = Math.floor(square / squaresAround);
  const column = square % squaresAround;
  return [-1, 0, 1].flatMap((up) =>
    [-1, 0, 1].map((right) => (row + up) * squaresAround + ((column + right + squaresAround) % squaresAround)),
  );
}

export function shortestTurn(degrees: number): number {
  if (degrees > 180) return degrees - 360;
  return degrees < -180 ? degrees + 360 : degrees;
}
