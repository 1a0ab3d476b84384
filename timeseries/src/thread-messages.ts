// Frames and newest values as messages between threads: a few large arrays, which are transferred, instead of thousands of small
// objects, which would be copied.
import type { Frame, LatestValues } from './time-series.ts';

export interface PackedFrame {
  resolution_seconds: number | undefined;
  rows: number;
  /** Their columns follow the times in `numbers`, in this order. */
  names: string[];
  numbers: Float64Array<ArrayBuffer>;
  texts: Frame['texts'];
}

/** Copies, because the columns may be the store's own memory. */
export function packFrame({ resolution_seconds, ts, columns, texts }: Frame): PackedFrame {
  const rows = ts.length;
  const numbers = new Float64Array(rows * (columns.size + 1));
  numbers.set(ts);
  let at = rows;
  for (const values of columns.values()) {
    numbers.set(values, at);
    at += rows;
  }
  return { resolution_seconds, rows, names: [...columns.keys()], numbers, texts };
}

export function unpackFrame({ resolution_seconds, rows, names, numbers, texts }: PackedFrame): Frame {
  const columns = new Map<string, Float64Array>();
  for (const [index, name] of names.entries()) {
    columns.set(name, numbers.subarray((index + 1) * rows, (index + 2) * rows));
  }
  return { resolution_seconds, ts: numbers.subarray(0, rows), columns, texts };
}

export interface PackedLatest {
  sources: string[];
  /** How many metrics each source has. */
  counts: Uint32Array<ArrayBuffer>;
  /** Every name once. */
  names: string[];
  /** For each metric its place in `names`, its time and its value. */
  nameNumbers: Uint32Array<ArrayBuffer>;
  ts: Float64Array<ArrayBuffer>;
  values: Float64Array<ArrayBuffer>;
}

export function packLatest(latest: readonly LatestValues[]): PackedLatest {
  const size = latest.reduce((sum, { metrics }) => sum + metrics.length, 0);
  const packed: PackedLatest = {
    sources: latest.map(({ source }) => source),
    counts: Uint32Array.from(latest, ({ metrics }) => metrics.length),
    names: [],
    nameNumbers: new Uint32Array(size),
    ts: new Float64Array(size),
    values: new Float64Array(size),
  };
  const numbers = new Map<string, number>();
  let at = 0;
  for (const { metrics } of latest) {
    for (const { name, ts, value } of metrics) {
      let number = numbers.get(name);
      if (number === undefined) {
        number = packed.names.push(name) - 1;
        numbers.set(name, number);
      }
      packed.nameNumbers[at] = number;
      packed.ts[at] = ts;
      packed.values[at++] = value;
    }
  }
  return packed;
}

export function unpackLatest({ sources, counts, names, nameNumbers, ts, values }: PackedLatest): LatestValues[] {
  let at = 0;
  return sources.map((source, index) => ({
    source,
    metrics: Array.from({ length: counts[index]! }, () => {
      const metric = { name: names[nameNumbers[at]!]!, ts: ts[at]!, value: values[at]! };
      at++;
      return metric;
    }),
  }));
}
