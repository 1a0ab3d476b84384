// Who sees a cell: a smooth field over the ground for each cell (TR 38.901, 7.6.3.3), compared with how likely a line of sight is.
// Normal draws on a grid, interpolated so that every place has the same distribution, and correlated over the distance given.
import { exp } from '../exact-math.ts';
import { normal, streams } from '../randomness.ts';

/** Of the grid, in correlation distances: the correlation over one of them is then e^-1, as the standard has it. */
const spacing = 1.15;

/** The field of one cell; reads along a row use the draws of the square that they stay in. */
export class SightField {
  readonly #seed: number;
  readonly #ap: number;
  readonly #squareM: number;
  #column = Number.NaN;
  #row = Number.NaN;
  #corners: [number, number, number, number] = [0, 0, 0, 0];

  constructor(seed: number, ap: number, correlationM: number) {
    this.#seed = seed;
    this.#ap = ap;
    this.#squareM = spacing * correlationM;
  }

  /** From 0 to 1, evenly; below the probability of a line of sight, the place has one. */
  at(x: number, y: number): number {
    const column = Math.floor(x / this.#squareM);
    const row = Math.floor(y / this.#squareM);
    if (column !== this.#column || row !== this.#row) {
      this.#column = column;
      this.#row = row;
      this.#corners = [
        this.#draw(column, row),
        this.#draw(column + 1, row),
        this.#draw(column, row + 1),
        this.#draw(column + 1, row + 1),
      ];
    }
    const u = x / this.#squareM - column;
    const v = y / this.#squareM - row;
    const [a, b, c, d] = [(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v];
    const [first, second, third, fourth] = this.#corners;
    const value = a * first + b * second + c * third + d * fourth;
    return normalShare(value / Math.sqrt(a * a + b * b + c * c + d * d));
  }

  #draw(column: number, row: number): number {
    return normal(this.#seed, streams.sight, this.#ap, Math.imul(column, 0x9e3779b1) ^ row);
  }
}

/** Share of a normal distribution below this many deviations (Abramowitz and Stegun 26.2.17, good to seven digits). */
export function normalShare(deviations: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(deviations));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const above = 0.3989422804014327 * exp((-deviations * deviations) / 2) * series;
  return deviations > 0 ? 1 - above : above;
}
