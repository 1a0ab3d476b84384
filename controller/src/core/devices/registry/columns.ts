// Growing columns of numbers: a hundred thousand devices as objects would cost several times the memory.

const firstSize = 64;
const growth = 1.25;

type Column = Float64Array | Float32Array | Int32Array | Int16Array | Uint8Array;
type Columns = Record<string, Column>;

/** Rows with a number of their own, which is given to another row once it is free. */
export class Rows<C extends Columns> {
  /** Replaced when they grow: never to be kept. */
  readonly columns: C;
  /** For each column how many values a row has. */
  readonly #widths: Readonly<Record<keyof C, number>>;
  readonly #free: number[] = [];
  #size = 0;
  #capacity = firstSize;

  constructor(columns: C, widths: Partial<Record<keyof C, number>> = {}) {
    this.columns = columns;
    this.#widths = Object.fromEntries(Object.keys(columns).map((name) => [name, widths[name] ?? 1])) as Record<
      keyof C,
      number
    >;
    this.#resize();
  }

  /** Every row is below this. */
  get end(): number {
    return this.#size;
  }

  /** How many rows are in use. */
  get count(): number {
    return this.#size - this.#free.length;
  }

  /** Its values are those of whoever had it before. */
  take(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#size === this.#capacity) {
      this.#capacity = Math.ceil(this.#capacity * growth);
      this.#resize();
    }
    return this.#size++;
  }

  release(row: number): void {
    this.#free.push(row);
  }

  #resize(): void {
    for (const name of Object.keys(this.columns) as (keyof C & string)[]) {
      const old = this.columns[name]!;
      const Kind = old.constructor as new (length: number) => Column;
      const larger = new Kind(this.#capacity * this.#widths[name]);
      larger.set(old as never);
      this.columns[name] = larger as C[typeof name];
    }
  }
}
