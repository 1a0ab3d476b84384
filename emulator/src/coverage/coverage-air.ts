// What differs between technologies on a radio map: how far an access point reaches and how well it is received there, what
// disturbs it, and what a receiver makes of it. Every formula is the world's own.

export interface Air {
  heightM: number;
  /** How much is shown around the outermost access points. */
  marginM: number;
  /** What is weaker counts as nothing; as `cells.power` counts. */
  leastPower: number;
  toDbm(power: number): number;
  /** In the unit of noise and interference. */
  electrical(power: number): number;
  reach(ap: number): Reach;
  /** Which share of what is received of `other` disturbs those that `server` serves. */
  weight(server: number, other: number): number;
  /** What is received of `other` where the table of its reach has ended, if that counts. */
  beyond?(server: number, other: number): number;
  /** Noise and whatever else disturbs, beside the access points in reach, at a place on the plane of the world. */
  noise(server: number, power: number, x: number, y: number): number;
  /** What all of the air would give a single device. */
  rateMbps(server: number, power: number, sinr: number): number;
}

/** Gains over the distance d, at place `lookUp * d / (d + range / 2)` of the tables. */
export interface Reach {
  rangeM: number;
  clear: Float64Array;
  /** Without a line of sight; how likely there is one, and over which distance that is correlated. */
  blocked?: Float64Array;
  chance?: Float64Array;
  sightCorrelationM?: number;
  /** What is left where something stands in the way; the place is given from the access point. */
  left?(x: number, y: number): number;
}

// Tables over the distance: a raster has many times as many points as a table has entries. Entries are closer together
// where the distance is short, because gains change more there.
const entries = 2048;

/** The distance d is found at place `lookUp * d / (d + range / 2)`; the range itself at the last entry. */
export const lookUp = entries * 1.5;

/** A value for each place, and one more, so that there is always a next. */
export function tabulate(rangeM: number, valueAt: (distanceM: number) => number): Float64Array {
  return Float64Array.from({ length: entries + 2 }, (_, index) => {
    const place = Math.min(index, entries);
    return valueAt((place * (rangeM / 2)) / (lookUp - place));
  });
}

/** Makes a value once for each key. */
export class Made<Value> {
  readonly #values = new Map<string, Value>();

  get(key: string, make: () => Value): Value {
    let value = this.#values.get(key);
    if (value === undefined) {
      value = make();
      this.#values.set(key, value);
    }
    return value;
  }
}
