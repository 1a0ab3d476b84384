// The rows of one source that are in memory and in the journal but not yet in a block, ordered by time.
import type { Rows } from '../blocks/block-codec.ts';

/** An array of so many numbers has no buffer of its own: most sources of a large network have a row or two. */
const firstCapacity = 8;
/** Of most heads. */
const noTexts: ReadonlyMap<number, (string | undefined)[]> = new Map();

/**
 * Samples of one source in order of time, each time once, with the same metrics and no texts, as numbers: from `at` on, each
 * has its source, its time, the count of its metrics, number and value of each of these, and a zero.
 */
export interface SampleRun {
  numbers: Float64Array;
  at: number;
  /** From one sample to the next. */
  stride: number;
  count: number;
}

export class Head implements Rows {
  #capacity = firstCapacity;
  #count = 0;
  #ts = new Float64Array(firstCapacity);
  /** By the number of the field. Values behind the last row are NaN. */
  readonly #columns: (Float64Array | undefined)[] = [];
  #columnCount = 0;
  #texts: Map<number, (string | undefined)[]> | undefined;

  get count(): number {
    return this.#count;
  }

  get ts(): Float64Array {
    return this.#ts.subarray(0, this.#count);
  }

  get columns(): Map<number, Float64Array> {
    const columns = new Map<number, Float64Array>();
    for (const [field, values] of this.#columns.entries()) {
      if (values) columns.set(field, values.subarray(0, this.#count));
    }
    return columns;
  }

  get texts(): ReadonlyMap<number, (string | undefined)[]> {
    return this.#texts ?? noTexts;
  }

  get bytes(): number {
    return this.#capacity * 8 * (1 + this.#columnCount);
  }

  /** The index of the row of that time, which is created if there is none. */
  row(ts: number): number {
    const last = this.#count - 1;
    if (last < 0 || ts > this.#ts[last]!) return this.#insert(this.#count, 1, ts);
    const index = lowerBound(this.#ts, this.#count, ts);
    return this.#ts[index] === ts ? index : this.#insert(index, 1, ts);
  }

  setValue(row: number, field: number, value: number): void {
    this.#column(field)[row] = value;
  }

  setText(row: number, field: number, text: string): void {
    let column = this.texts.get(field);
    if (!column) {
      column = Array(this.#count).fill(undefined);
      this.#texts ??= new Map();
      this.#texts.set(field, column);
    }
    column[row] = text;
  }

  /** All rows of the run with their values; false, and nothing is changed, if its rows would not be next to each other. */
  addRun(run: SampleRun): boolean {
    const { numbers, at, stride, count } = run;
    const first = this.#rowsOf(run);
    if (first < 0) return false;
    const end = first + count;
    for (let place = at + 3; place < at + stride - 1; place += 2) {
      const column = this.#column(numbers[place]!);
      for (let row = first, from = place + 1; row < end; row++, from += stride) column[row] = numbers[from]!;
    }
    return true;
  }

  removeFirst(rows: number): void {
    this.#ts.copyWithin(0, rows, this.#count);
    for (const column of this.#columns) {
      column?.copyWithin(0, rows, this.#count);
      column?.fill(Number.NaN, this.#count - rows, this.#count);
    }
    for (const texts of this.texts.values()) texts.splice(0, rows);
    this.#count -= rows;
  }

  /** The first of the rows of a run: all of them exist and nothing is between them, or none does and all fit into one gap. */
  #rowsOf({ numbers, at, stride, count }: SampleRun): number {
    const first = numbers[at + 1]!;
    const last = numbers[at + 1 + (count - 1) * stride]!;
    const index = lowerBound(this.#ts, this.#count, first);
    const isNew = index === this.#count || last < this.#ts[index]!;
    if (isNew) this.#insert(index, count, first);
    else if (index + count > this.#count) return -1;
    for (let row = index, from = at + 1; row < index + count; row++, from += stride) {
      if (isNew) this.#ts[row] = numbers[from]!;
      else if (this.#ts[row] !== numbers[from]) return -1;
    }
    return index;
  }

  #column(field: number): Float64Array {
    let column = this.#columns[field];
    if (!column) {
      // No holes: each would make the list slower for all.
      while (this.#columns.length <= field) this.#columns.push(undefined);
      column = new Float64Array(this.#capacity).fill(Number.NaN);
      this.#columns[field] = column;
      this.#columnCount++;
    }
    return column;
  }

  /** So many rows without values, the first one with this time. */
  #insert(index: number, rows: number, ts: number): number {
    if (this.#count + rows > this.#capacity) this.#grow(this.#count + rows);
    if (index < this.#count) {
      this.#ts.copyWithin(index + rows, index, this.#count);
      for (const column of this.#columns) {
        column?.copyWithin(index + rows, index, this.#count);
        column?.fill(Number.NaN, index, index + rows);
      }
    }
    for (const texts of this.texts.values()) texts.splice(index, 0, ...Array(rows).fill(undefined));
    this.#ts[index] = ts;
    this.#count += rows;
    return index;
  }

  #grow(rows: number): void {
    while (this.#capacity < rows) this.#capacity *= 2;
    const ts = new Float64Array(this.#capacity);
    ts.set(this.#ts);
    this.#ts = ts;
    for (const [field, column] of this.#columns.entries()) {
      if (!column) continue;
      const larger = new Float64Array(this.#capacity).fill(Number.NaN, column.length);
      larger.set(column);
      this.#columns[field] = larger;
    }
  }
}

/** The first of the first `count` sorted values that is not below `value`, or `count`. */
export function lowerBound(sorted: Float64Array, count: number, value: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
