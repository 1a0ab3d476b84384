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
