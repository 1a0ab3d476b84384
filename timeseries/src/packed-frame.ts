// A frame as a message between threads: all columns in one buffer, which is transferred instead of copied.
import type { Frame } from './time-series.ts';

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
