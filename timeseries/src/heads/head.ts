// The rows of one source that are in memory and in the journal but not yet in a block, ordered by time.
import type { Rows } from '../blocks/block-codec.ts';

const firstCapacity = 32;

export class Head implements Rows {
  #capacity = firstCapacity;
  #count = 0;
  #ts = new Float64Array(firstCapacity);
  readonly #columns = new Map<number, Float64Array>();
  readonly texts = new Map<number, (string | undefined)[]>();

  get count(): number {
    return this.#count;
  }

  get ts(): Float64Array {
    return this.#ts.subarray(0, this.#count);
  }

  get columns(): Map<number, Float64Array> {
    return new Map([...this.#columns].map(([field, values]) => [field, values.subarray(0, this.#count)]));
  }

  get fields(): Iterable<number> {
    return this.#columns.keys();
  }

  column(field: number): Float64Array | undefined {
    return this.#columns.get(field)?.subarray(0, this.#count);
  }

  get bytes(): number {
    return this.#capacity * 8 * (1 + this.#columns.size);
  }

  /** The index of the row of that time, which is created if there is none. */
  row(ts: number): number {
    const last = this.#count - 1;
    if (last < 0 || ts > this.#ts[last]!) return this.#insert(this.#count, ts);
    const index = lowerBound(this.#ts, this.#count, ts);
    return this.#ts[index] === ts ? index : this.#insert(index, ts);
  }

  setValue(row: number, field: number, value: number): void {
    let column = this.#columns.get(field);
    if (!column) {
      column = new Float64Array(this.#capacity).fill(Number.NaN);
      this.#columns.set(field, column);
    }
    column[row] = value;
  }

  setText(row: number, field: number, text: string): void {
    let column = this.texts.get(field);
    if (!column) {
      column = Array(this.#count).fill(undefined);
      this.texts.set(field, column);
    }
    column[row] = text;
  }

  removeFirst(rows: number): void {
    this.#ts.copyWithin(0, rows, this.#count);
    for (const column of this.#columns.values()) {
      column.copyWithin(0, rows, this.#count);
      column.fill(Number.NaN, this.#count - rows, this.#count);
    }
    for (const texts of this.texts.values()) texts.splice(0, rows);
    this.#count -= rows;
  }

  #insert(index: number, ts: number): number {
    if (this.#count === this.#capacity) this.#grow();
    if (index < this.#count) {
      this.#ts.copyWithin(index + 1, index, this.#count);
      for (const column of this.#columns.values()) {
        column.copyWithin(index + 1, index, this.#count);
        column[index] = Number.NaN;
      }
    }
    for (const texts of this.texts.values()) texts.splice(index, 0, undefined);
    this.#ts[index] = ts;
    this.#count++;
    return index;
  }

  #grow(): void {
    this.#capacity *= 2;
    const ts = new Float64Array(this.#capacity);
    ts.set(this.#ts);
    this.#ts = ts;
    for (const [field, column] of this.#columns) {
      const larger = new Float64Array(this.#capacity).fill(Number.NaN);
      larger.set(column);
      this.#columns.set(field, larger);
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
