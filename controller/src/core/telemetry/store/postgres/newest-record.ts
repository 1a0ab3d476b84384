// The newest value of each field of a source, as one row of PostgreSQL holds them: field, time and value, one after the
// other. A text has its time only.
import { isNewest } from '../telemetry-store.ts';

export type NewestFields = Map<number, { ts: number; value: number }>;

const numbersEach = 3;

export function readNewest(bytes: Uint8Array): NewestFields {
  const numbers = new Float64Array(new Uint8Array(bytes).buffer);
  const newest: NewestFields = new Map();
  for (let at = 0; at < numbers.length; at += numbersEach) {
    newest.set(numbers[at]!, { ts: numbers[at + 1]!, value: numbers[at + 2]! });
  }
  return newest;
}

export function writeNewest(newest: NewestFields): Uint8Array {
  const numbers = new Float64Array(newest.size * numbersEach);
  let at = 0;
  for (const [field, { ts, value }] of newest) {
    numbers[at++] = field;
    numbers[at++] = ts;
    numbers[at++] = value;
  }
  return new Uint8Array(numbers.buffer);
}

/** The same bytes, to be changed by what comes in. */
export class NewestRecord {
  #numbers: Float64Array<ArrayBuffer>;
  #length: number;
  /** Where the field of the next value probably is: reports name them in the same order. */
  #next = 0;
  #places: Map<number, number> | undefined;

  constructor(bytes: Uint8Array) {
    this.#numbers = new Float64Array(new Uint8Array(bytes).buffer);
    this.#length = this.#numbers.length;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#numbers.buffer, 0, this.#length * this.#numbers.BYTES_PER_ELEMENT);
  }

  /** A value of the same time replaces the one before. */
  note(field: number, ts: number, value: number): void {
    const at = this.#find(field) ?? this.#add(field);
    this.#next = at + numbersEach;
    if (!isNewest(ts, this.#numbers[at + 1]!)) return;
    this.#numbers[at + 1] = ts;
    this.#numbers[at + 2] = value;
  }

  #find(field: number): number | undefined {
    if (this.#next >= this.#length) this.#next = 0;
    if (this.#next < this.#length && this.#numbers[this.#next] === field) return this.#next;
    return this.#index().get(field);
  }

  #add(field: number): number {
    const at = this.#length;
    this.#length += numbersEach;
    if (this.#length > this.#numbers.length) {
      const longer = new Float64Array(2 * this.#length);
      longer.set(this.#numbers);
      this.#numbers = longer;
    }
    this.#numbers[at] = field;
    this.#numbers[at + 1] = Number.NEGATIVE_INFINITY;
    this.#index().set(field, at);
    return at;
  }

  /** Only for those that come in another order. */
  #index(): Map<number, number> {
    if (this.#places) return this.#places;
    this.#places = new Map();
    for (let at = 0; at < this.#length; at += numbersEach) this.#places.set(this.#numbers[at]!, at);
    return this.#places;
  }
}
