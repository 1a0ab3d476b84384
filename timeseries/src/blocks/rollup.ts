// Roll-ups: minimum, maximum, sum, count and last value of each field for each minute and hour. They are stored in chunks
// of 360 buckets and answer long windows without reading samples.
import { Block, encodeBlock } from './block-codec.ts';

export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const levels = [minuteMs, hourMs] as const;
export type Level = (typeof levels)[number];

const bucketsPerChunk = 360;
/** Sums are rounded to this: a sum of decimals is no exact decimal, and exact decimals take less space. */
const sumPrecision = 1e6;
const stat = { min: 0, max: 1, sum: 2, count: 3, last: 4 } as const;
const statNames = ['min', 'max', 'sum', 'count', 'last'] as const;

/** Consecutive buckets of one field. A bucket without values has count 0. */
export class Buckets {
  readonly size: number;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly sum: Float64Array;
  readonly count: Float64Array;
  readonly last: Float64Array;

  constructor(size: number) {
    this.size = size;
    const all = new Float64Array(size * 5);
    this.min = all.subarray(0, size).fill(Number.POSITIVE_INFINITY);
    this.max = all.subarray(size, 2 * size).fill(Number.NEGATIVE_INFINITY);
    this.sum = all.subarray(2 * size, 3 * size);
    this.count = all.subarray(3 * size, 4 * size);
    this.last = all.subarray(4 * size);
  }

  /** Values must be added in order of time. */
  add(index: number, value: number): void {
    if (value < this.min[index]!) this.min[index] = value;
    if (value > this.max[index]!) this.max[index] = value;
    this.sum[index]! += value;
    this.count[index]!++;
    this.last[index] = value;
  }

  /** Adds a bucket of other buckets; these too must be added in order of time. */
  merge(index: number, other: Buckets, from: number): void {
    if (other.count[from] === 0) return;
    if (other.min[from]! < this.min[index]!) this.min[index] = other.min[from]!;
    if (other.max[from]! > this.max[index]!) this.max[index] = other.max[from]!;
    this.sum[index]! += other.sum[from]!;
    this.count[index]! += other.count[from]!;
    this.last[index] = other.last[from]!;
  }

  clear(index: number): void {
    this.min[index] = Number.POSITIVE_INFINITY;
    this.max[index] = Number.NEGATIVE_INFINITY;
    this.sum[index] = 0;
    this.count[index] = 0;
    this.last[index] = 0;
  }
}

export function chunkOf(level: Level, ms: number): number {
  return Math.floor(ms / (level * bucketsPerChunk));
}

export function chunkStart(level: Level, chunk: number): number {
  return chunk * level * bucketsPerChunk;
}

export function chunkSpan(level: Level): number {
  return level * bucketsPerChunk;
}

/** Sealing a head takes dozens, of 14 KB each: without these, allocating and collecting them costs more than filling them. */
const spareChunks: Buckets[] = [];
const maxSpareChunks = 64;

export function emptyChunk(): Buckets {
  return spareChunks.pop() ?? new Buckets(bucketsPerChunk);
}

/** Takes back what `emptyChunk` or `decodeChunk` has returned; it must not be used afterwards. */
export function reuseChunk(buckets: Buckets): void {
  if (spareChunks.length >= maxSpareChunks) return;
  for (let index = 0; index < buckets.size; index++) if (buckets.count[index]! > 0) buckets.clear(index);
  spareChunks.push(buckets);
}

export function encodeChunk(buckets: Buckets): Uint8Array {
  let used = 0;
  for (let index = 0; index < buckets.size; index++) if (buckets.count[index]! > 0) used++;
  const ts = new Float64Array(used);
  for (let index = 0, row = 0; row < used; index++) if (buckets.count[index]! > 0) ts[row++] = index;
  const pick = (values: Float64Array) => {
    const picked = new Float64Array(used);
    for (let row = 0; row < used; row++) picked[row] = values[ts[row]!]!;
    return picked;
  };
  const sum = pick(buckets.sum);
  for (let row = 0; row < used; row++) {
    const value = sum[row]!;
    if (Math.abs(value) < 1e9) sum[row] = Math.round(value * sumPrecision) / sumPrecision;
  }
  return encodeBlock({
    ts,
    columns: new Map(statNames.map((name) => [stat[name], name === 'sum' ? sum : pick(buckets[name])])),
    texts: new Map(),
  });
}

export function decodeChunk(data: Uint8Array): Buckets {
  const block = new Block(data);
  const buckets = emptyChunk();
  const { ts } = block;
  for (const name of statNames) {
    const [target, source] = [buckets[name], block.column(stat[name])!];
    for (let row = 0; row < ts.length; row++) target[ts[row]!] = source[row]!;
  }
  return buckets;
}

/** Ranges of whole minutes (or other units) that have a row; adjacent ones are joined. */
export function touchedMinutes(ts: Float64Array, unitMs: number = minuteMs): { startMs: number; endMs: number }[] {
  const ranges: { startMs: number; endMs: number }[] = [];
  for (const time of ts) {
    const startMs = Math.floor(time / unitMs) * unitMs;
    const last = ranges.at(-1);
    if (last && startMs <= last.endMs + 1) last.endMs = startMs + unitMs - 1;
    else ranges.push({ startMs, endMs: startMs + unitMs - 1 });
  }
  return ranges;
}

/** Calls back with each chunk of the range, and its first and last bucket in it. */
export function eachChunk(
  level: Level,
  startMs: number,
  endMs: number,
  visit: (chunk: number, first: number, last: number) => void,
): void {
  const lastPerChunk = chunkSpan(level) / level - 1;
  for (let chunk = chunkOf(level, startMs); chunk <= chunkOf(level, endMs); chunk++) {
    const begin = chunkStart(level, chunk);
    const first = Math.max(0, Math.floor((startMs - begin) / level));
    const last = Math.min(lastPerChunk, Math.floor((endMs - begin) / level));
    visit(chunk, first, last);
  }
}
