// Merges older and newer rows of one source by time. Where both have a row of the same time, each field has the newer
// value, or the older one where the newer row has none.
import type { Rows } from '../blocks/block-codec.ts';

export function mergeRows(older: Rows, newer: Rows): Rows {
  const size = older.ts.length + newer.ts.length;
  const ts = new Float64Array(size);
  const fromOlder = new Int32Array(size).fill(-1);
  const fromNewer = new Int32Array(size).fill(-1);
  let count = 0;
  for (let o = 0, n = 0; o < older.ts.length || n < newer.ts.length; count++) {
    const olderTs = o < older.ts.length ? older.ts[o]! : Number.POSITIVE_INFINITY;
    const newerTs = n < newer.ts.length ? newer.ts[n]! : Number.POSITIVE_INFINITY;
    ts[count] = Math.min(olderTs, newerTs);
    if (olderTs <= newerTs) fromOlder[count] = o++;
    if (newerTs <= olderTs) fromNewer[count] = n++;
  }
  const columns = new Map<number, Float64Array>();
  for (const field of new Set([...older.columns.keys(), ...newer.columns.keys()])) {
    const [olderValues, newerValues] = [older.columns.get(field), newer.columns.get(field)];
    const values = new Float64Array(count);
    for (let row = 0; row < count; row++) {
      let value = newerValues && fromNewer[row]! >= 0 ? newerValues[fromNewer[row]!]! : Number.NaN;
      if (Number.isNaN(value) && olderValues && fromOlder[row]! >= 0) value = olderValues[fromOlder[row]!]!;
      values[row] = value;
    }
    columns.set(field, values);
  }
  const texts = new Map<number, (string | undefined)[]>();
  for (const field of new Set([...older.texts.keys(), ...newer.texts.keys()])) {
    const [olderTexts, newerTexts] = [older.texts.get(field), newer.texts.get(field)];
    texts.set(
      field,
      Array.from({ length: count }, (_, row) => newerTexts?.[fromNewer[row]!] ?? olderTexts?.[fromOlder[row]!]),
    );
  }
  return { ts: ts.subarray(0, count), columns, texts };
}

/** The rows from `start` up to but not including `end`; columns without a value in them are left out. */
export function sliceRows(rows: Rows, start: number, end: number): Rows {
  const columns = new Map<number, Float64Array>();
  for (const [field, values] of rows.columns) {
    const part = values.subarray(start, end);
    if (part.some((value) => !Number.isNaN(value))) columns.set(field, part);
  }
  const texts = new Map<number, (string | undefined)[]>();
  for (const [field, values] of rows.texts) {
    const part = values.slice(start, end);
    if (part.some((text) => text !== undefined)) texts.set(field, part);
  }
  return { ts: rows.ts.subarray(start, end), columns, texts };
}
