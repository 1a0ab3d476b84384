// Operations on rows of one source that are ordered by time: cut, concatenate, count.
import type { Rows } from '../blocks/block-codec.ts';
import { lowerBound } from '../heads/head.ts';
import type { TimeRange } from '../time-series.ts';

export function countInRange(ts: Float64Array, { startMs, endMs }: TimeRange): number {
  return lowerBound(ts, ts.length, endMs + 1) - lowerBound(ts, ts.length, startMs);
}

export function inRange(rows: Rows, { startMs, endMs }: TimeRange): Rows {
  const start = lowerBound(rows.ts, rows.ts.length, startMs);
  const end = lowerBound(rows.ts, rows.ts.length, endMs + 1);
  return start === 0 && end === rows.ts.length ? rows : cut(rows, start, end);
}

export function cut(rows: Rows, start: number, end: number): Rows {
  return {
    ts: rows.ts.subarray(start, end),
    columns: new Map([...rows.columns].map(([field, values]) => [field, values.subarray(start, end)])),
    texts: new Map([...rows.texts].map(([field, values]) => [field, values.slice(start, end)])),
  };
}

/** The parts must follow one another in time. */
export function concatenate(parts: Rows[], fields: readonly number[]): Rows {
  if (parts.length === 1) return parts[0]!;
  const size = parts.reduce((sum, part) => sum + part.ts.length, 0);
  const ts = new Float64Array(size);
  const columns = new Map<number, Float64Array>();
  const texts = new Map<number, (string | undefined)[]>();
  let at = 0;
  for (const part of parts) {
    ts.set(part.ts, at);
    for (const field of fields) {
      const values = part.columns.get(field);
      if (values) {
        if (!columns.has(field)) columns.set(field, new Float64Array(size).fill(Number.NaN));
        columns.get(field)!.set(values, at);
      }
      const words = part.texts.get(field);
      if (words) {
        if (!texts.has(field)) texts.set(field, Array(size).fill(undefined));
        for (let row = 0; row < words.length; row++) texts.get(field)![at + row] = words[row];
      }
    }
    at += part.ts.length;
  }
  return { ts, columns, texts };
}

/** Rows without a value in any column are left out. */
export function dropEmptyRows(raw: Rows): Rows {
  const columns = [...raw.columns.values()];
  const texts = [...raw.texts.values()];
  const isUsed = (row: number) =>
    columns.some((values) => !Number.isNaN(values[row]!)) || texts.some((values) => values[row] !== undefined);
  const used: number[] = [];
  for (let row = 0; row < raw.ts.length; row++) if (isUsed(row)) used.push(row);
  if (used.length === raw.ts.length) return raw;
  return {
    ts: Float64Array.from(used, (row) => raw.ts[row]!),
    columns: new Map(
      [...raw.columns].map(([field, values]) => [field, Float64Array.from(used, (row) => values[row]!)]),
    ),
    texts: new Map([...raw.texts].map(([field, values]) => [field, used.map((row) => values[row])])),
  };
}

/** Of a thousand names few have values in a few rows. */
export function dropEmptyColumns({ ts, columns, texts }: Rows): Rows {
  return {
    ts,
    columns: new Map([...columns].filter(([, values]) => values.some((value) => !Number.isNaN(value)))),
    texts: new Map([...texts].filter(([, words]) => words.some((word) => word !== undefined))),
  };
}

/** How many values the column with the most of them has. */
export function longestSeries({ ts, columns, texts }: Rows): number {
  let longest = 0;
  for (const values of columns.values()) {
    let count = 0;
    for (let row = 0; row < ts.length; row++) if (!Number.isNaN(values[row]!)) count++;
    longest = Math.max(longest, count);
  }
  for (const words of texts.values()) {
    let count = 0;
    for (const word of words) if (word !== undefined) count++;
    longest = Math.max(longest, count);
  }
  return longest;
}
