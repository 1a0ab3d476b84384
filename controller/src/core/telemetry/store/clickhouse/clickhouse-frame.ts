// From rows as ClickHouse has them to a Frame: samples with their maps of fields, of which later ones replace what they have in
// common with earlier ones of the same time, or buckets.
import type { Frame } from '../telemetry-store.ts';
import type { RowReader } from './row-binary.ts';

export class FrameBuilder {
  readonly #ts: number[] = [];
  readonly #columns = new Map<string, number[]>();
  readonly #texts = new Map<string, (string | undefined)[]>();

  /** Different times so far. */
  get size(): number {
    return this.#ts.length;
  }

  get lastTs(): number {
    return this.#ts.at(-1) ?? Number.NEGATIVE_INFINITY;
  }

  /** Points of the longest series. */
  get mostPoints(): number {
    const numbers = [...this.#columns.values()].map((values) => values.filter((value) => !Number.isNaN(value)).length);
    const texts = [...this.#texts.values()].map((words) => words.filter((word) => word !== undefined).length);
    return Math.max(0, ...numbers, ...texts);
  }

  /** Samples in the order of their times and, of the same time, of their insertion; some may be empty. Returns how many there were. */
  addSamples(rows: RowReader, withTexts: boolean): number {
    let samples = 0;
    for (; !rows.isAtEnd; samples++) {
      const ts = rows.int64();
      const count = rows.length();
      if (count > 0 || withTexts) this.#begin(ts);
      for (let place = 0; place < count; place++) {
        const name = rows.text(place);
        this.#put(this.#columns, name, rows.decimal(), Number.NaN);
      }
      const texts = withTexts ? rows.length() : 0;
      for (let place = count; place < count + 2 * texts; place += 2) {
        const name = rows.text(place);
        this.#put(this.#texts, name, rows.text(place + 1), undefined);
      }
    }
    return samples;
  }

  /** Start, name, value and number of points, in the order of time; a text has no value. Returns the points of the longest series. */
  addBuckets(rows: RowReader): number {
    const points = new Map<string, number>();
    while (!rows.isAtEnd) {
      const [ts, name, value, length] = [rows.int64(), rows.text(), rows.float64(), rows.int64()];
      const isText = Number.isNaN(value);
      const series = `${isText} ${name}`;
      points.set(series, (points.get(series) ?? 0) + length);
      if (isText) continue;
      this.#begin(ts);
      this.#put(this.#columns, name, value, Number.NaN);
    }
    return Math.max(0, ...points.values());
  }

  /** The first so many times of it. */
  toFrame({ widthMs, limit = Number.POSITIVE_INFINITY }: { widthMs?: number; limit?: number } = {}): Frame {
    const ts = Float64Array.from(this.#ts.length > limit ? this.#ts.slice(0, limit) : this.#ts);
    const columns = new Map<string, Float64Array>();
    for (const [name, values] of this.#columns) {
      const column = new Float64Array(ts.length).fill(Number.NaN);
      column.set(values.length > ts.length ? values.slice(0, ts.length) : values);
      if (ts.length === this.#ts.length || column.some((value) => !Number.isNaN(value))) columns.set(name, column);
    }
    const texts = new Map<string, (string | undefined)[]>();
    for (const [name, words] of this.#texts) {
      const text = Array.from(ts, (_, place) => words[place]);
      if (text.some((word) => word !== undefined)) texts.set(name, text);
    }
    return { resolution_seconds: widthMs === undefined ? undefined : widthMs / 1000, ts, columns, texts };
  }

  #begin(ts: number): void {
    if (ts !== this.lastTs) this.#ts.push(ts);
  }

  /** At the last time; for times at which a series has none, `empty`. */
  #put<Value>(series: Map<string, Value[]>, name: string, value: Value, empty: Value): void {
    let values = series.get(name);
    if (!values) {
      values = [];
      series.set(name, values);
    }
    const place = this.#ts.length - 1;
    while (values.length < place) values.push(empty);
    values[place] = value;
  }
}
