// From rows of one value each, as ClickHouse has them, to a Frame.
import type { Frame } from '../telemetry-store.ts';
import type { RowReader } from './row-binary.ts';

export interface ValueRow {
  name: string;
  isText: boolean;
  ts: number;
  value: number | string;
}

export function emptyFrame(): Frame {
  return { resolution_seconds: undefined, ts: new Float64Array(0), columns: new Map(), texts: new Map() };
}

/** Ordered by name, kind and time. */
export function readValues(rows: RowReader): ValueRow[] {
  const values: ValueRow[] = [];
  while (!rows.isAtEnd) {
    const [name, isText, ts] = [rows.text(), rows.byte() === 1, rows.int64()];
    const [number, text] = [rows.float64(), rows.text()];
    values.push({ name, isText, ts, value: isText ? text : number });
  }
  return values;
}

export interface Buckets {
  values: ValueRow[];
  /** Of the longest series. */
  mostPoints: number;
}

export function readBuckets(rows: RowReader): Buckets {
  const values: ValueRow[] = [];
  const counts = new Map<string, number>();
  while (!rows.isAtEnd) {
    const [name, isText, ts] = [rows.text(), rows.byte() === 1, rows.int64()];
    const [value, count] = [rows.float64(), rows.float64()];
    const key = `${isText} ${name}`;
    counts.set(key, (counts.get(key) ?? 0) + count);
    if (!isText) values.push({ name, isText, ts, value });
  }
  return { values, mostPoints: Math.max(0, ...counts.values()) };
}

/** The longest run of one name: rows are ordered by it. */
export function longestSeries(values: readonly ValueRow[]): number {
  let longest = 0;
  let length = 0;
  for (const [index, { name, isText }] of values.entries()) {
    const before = values[index - 1];
    length = before?.name === name && before.isText === isText ? length + 1 : 1;
    longest = Math.max(longest, length);
  }
  return longest;
}

export function toFrame(values: readonly ValueRow[], widthMs?: number): Frame {
  const times = [...new Set(values.map(({ ts }) => ts))].sort((a, b) => a - b);
  const places = new Map(times.map((ts, place) => [ts, place]));
  const frame: Frame = {
    ...emptyFrame(),
    resolution_seconds: widthMs === undefined ? undefined : widthMs / 1000,
    ts: Float64Array.from(times),
  };
  for (const { name, ts, value } of values) {
    const place = places.get(ts)!;
    if (typeof value === 'number') {
      const column = frame.columns.get(name) ?? new Float64Array(times.length).fill(Number.NaN);
      column[place] = value;
      frame.columns.set(name, column);
    } else {
      const texts = frame.texts.get(name) ?? new Array<string | undefined>(times.length).fill(undefined);
      texts[place] = value;
      frame.texts.set(name, texts);
    }
  }
  return frame;
}
