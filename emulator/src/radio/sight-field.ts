// Who sees a cell: a smooth field over the ground for each cell (TR 38.901, 7.6.3.3), compared with how likely a line of sight is.
// Normal draws on a grid, interpolated so that every place has the same distribution, and correlated over the distance given.
import { exp } from '@weft/contract/exact-math';
import { normal, streams } from '../randomness.ts';

/** Of the grid, in correlation distances: the correlation over one of them is then e^-1, as the standard has it. */
const spacing = 1.15;

/** Draws of squares that were asked for, whatever the world and cell: they follow from the key alone. A power of two. */
const kept = 8192;
const keys = new Int32Array(4 * kept);
const corners = new Float64Array(4 * kept);

/** The field of a cell at a place, from 0 to 1, evenly; below the probability of a line of sight, the place has one. */
export function sightAt(seed: number, ap: number, correlationM: number, x: number, y: number): number {
  const squareM = spacing * correlationM;
  const column = Math.floor(x / squareM);
  const row = Math.floor(y / squareM);
  const at = cornersOf(seed, ap, column, row);
  const u = x / squareM - column;
  const v = y / squareM - row;
  const a = (1 - u) * (1 - v);
  const b = u * (1 - v);
  const c = (1 - u) * v;
  const d = u * v;
  const value = a * corners[at]! + b * corners[at + 1]! + c * corners[at + 2]! + d * corners[at + 3]!;
  return normalShare(value / Math.sqrt(a * a + b * b + c * c + d * d));
}

/** Where in `corners` those of the square begin. */
function cornersOf(seed: number, ap: number, column: number, row: number): number {
  const mixed = Math.imul(column, 0x9e3779b1) ^ Math.imul(row, 0x85ebca6b) ^ Math.imul(ap, 0xc2b2ae35) ^ seed;
  const at = 4 * ((mixed ^ (mixed >>> 16)) & (kept - 1));
  // Empty places have no number of an access point, which begins with 0.
  if (keys[at] === ap + 1 && keys[at + 1] === column && keys[at + 2] === row && keys[at + 3] === (seed | 0)) return at;
  keys[at] = ap + 1;
  keys[at + 1] = column;
  keys[at + 2] = row;
  keys[at + 3] = seed;
  corners[at] = draw(seed, ap, column, row);
  corners[at + 1] = draw(seed, ap, column + 1, row);
  corners[at + 2] = draw(seed, ap, column, row + 1);
  corners[at + 3] = draw(seed, ap, column + 1, row + 1);
  return at;
}

function draw(seed: number, ap: number, column: number, row: number): number {
  return normal(seed, streams.sight, ap, Math.imul(column, 0x9e3779b1) ^ row);
}

/** Share of a normal distribution below this many deviations (Abramowitz and Stegun 26.2.17, good to seven digits). */
export function normalShare(deviations: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(deviations));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const above = 0.3989422804014327 * exp((-deviations * deviations) / 2) * series;
  return deviations > 0 ? 1 - above : above;
}
