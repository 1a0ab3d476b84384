// What of an agent's samples is compared with a limit: a value, a difference of two, a mean over some time, or how far a
// value has moved within some time. Samples are given in the order of their times, each once.

export interface Quantity {
  /** The quantity at the time of this sample. `other` counts only where two metrics are compared. */
  add(ts: number, value: number, other: number): number;
}

/** The value itself, or its distance from another metric. */
export class PlainQuantity implements Quantity {
  readonly #times: number;

  constructor(times = 0) {
    this.#times = times;
  }

  add(_ts: number, value: number, other: number): number {
    return this.#times === 0 ? value : value - this.#times * other;
  }
}

const slotCount = 12;

/**
 * The mean over the last slots, of which twelve make the time asked for. Slots begin at multiples of their width, so that the
 * mean depends on the samples alone, and not on when anybody began to look.
 */
export class MeanQuantity implements Quantity {
  readonly #widthMs: number;
  readonly #times: number;
  readonly #sums = new Float64Array(slotCount);
  readonly #counts = new Uint32Array(slotCount);
  #slot = Number.NEGATIVE_INFINITY;

  constructor(overMs: number, times = 0) {
    this.#widthMs = overMs / slotCount;
    this.#times = times;
  }

  add(ts: number, value: number, other: number): number {
    const slot = Math.floor(ts / this.#widthMs);
    if (slot > this.#slot) this.#moveTo(slot);
    const at = slot % slotCount;
    this.#sums[at]! += this.#times === 0 ? value : value - this.#times * other;
    this.#counts[at]! += 1;
    let sum = 0;
    let count = 0;
    for (let index = 0; index < slotCount; index++) {
      sum += this.#sums[index]!;
      count += this.#counts[index]!;
    }
    return sum / count;
  }

  #moveTo(slot: number): void {
    const passed = Math.min(slotCount, slot - this.#slot);
    for (let back = 0; back < passed; back++) {
      const at = (slot - back) % slotCount;
      this.#sums[at] = 0;
      this.#counts[at] = 0;
    }
    this.#slot = slot;
  }
}

/** A steady climb of a day would fill the memory: beyond this the extremes in between are thinned out. */
const maxExtremes = 256;

/** How far the value has risen (`>`), fallen (`<`) or moved at most (`<>`) since some moment of the last `withinMs`. */
export class ChangeQuantity implements Quantity {
  readonly #withinMs: number;
  readonly #lowest: Extremes | undefined;
  readonly #highest: Extremes | undefined;

  constructor(withinMs: number, change: '>' | '<' | '<>') {
    this.#withinMs = withinMs;
    if (change !== '<') this.#lowest = new Extremes(1);
    if (change !== '>') this.#highest = new Extremes(-1);
  }

  add(ts: number, value: number): number {
    const since = ts - this.#withinMs;
    const risen = this.#lowest ? value - this.#lowest.add(ts, value, since) : 0;
    const fallen = this.#highest ? this.#highest.add(ts, value, since) - value : 0;
    return Math.max(risen, fallen);
  }
}

/** The least (sign 1) or greatest (sign -1) value of a moving window: a queue of those that may still become it. */
class Extremes {
  readonly #sign: number;
  #times: number[] = [];
  #values: number[] = [];

  constructor(sign: 1 | -1) {
    this.#sign = sign;
  }

  add(ts: number, value: number, since: number): number {
    const [times, values] = [this.#times, this.#values];
    while (values.length > 0 && this.#sign * values.at(-1)! >= this.#sign * value) {
      times.pop();
      values.pop();
    }
    times.push(ts);
    values.push(value);
    let old = 0;
    while (times[old]! < since) old++;
    if (old > 0) {
      times.splice(0, old);
      values.splice(0, old);
    }
    if (times.length > maxExtremes) {
      this.#times = thinned(times);
      this.#values = thinned(values);
    }
    return this.#values[0]!;
  }
}

/** Every second one of the older half; the first and the newer ones stay. */
function thinned(list: readonly number[]): number[] {
  const half = list.length / 2;
  return list.filter((_, index) => index === 0 || index >= half || index % 2 === 0);
}
