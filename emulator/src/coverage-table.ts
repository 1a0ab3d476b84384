// Tables over the distance: a raster has many times as many points as a table has entries. Entries are closer together
// where the distance is short, because gains change more there.
import type { CoverageState } from './coverage-air.ts';
import type { Devices } from './world/devices.ts';
import type { WorldState } from './world/world-state.ts';

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

/** The world with one device, number 0: out of doors for 5G, inside for the others, and nothing else is known of it. */
export function withProbe(state: CoverageState, { isIndoor }: { isIndoor: boolean }): WorldState {
  const devices: Partial<Devices> = {
    count: 1,
    isIndoor: Uint8Array.of(isIndoor ? 1 : 0),
    wallDb: Float64Array.of(0),
    x: new Float64Array(1),
    y: new Float64Array(1),
  };
  return { ...state, devices: devices as Devices } as WorldState;
}
