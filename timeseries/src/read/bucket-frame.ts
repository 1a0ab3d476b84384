// A long window as buckets: from roll-ups where whole minutes or hours are sealed, and from samples for the rest.
import type { Rows } from '../blocks/block-codec.ts';
import {
  Buckets,
  chunkOf,
  chunkStart,
  decodeChunk,
  hourMs,
  type Level,
  minuteMs,
  touchedMinutes,
} from '../blocks/rollup.ts';
import type { BlockTables } from '../blocks/tables.ts';
import type { Head } from '../heads/head.ts';
import type { Field, SourceSeries } from '../heads/source-series.ts';
import type { Aggregate, Frame, SeriesQuery, TimeRange } from '../time-series.ts';
import { partsOf, rawRows, type SealedRows } from './raw-rows.ts';
import { inRange } from './row-ranges.ts';

/** In steps, as querySteps is. */
export function* bucketFrame(
  series: SourceSeries,
  query: SeriesQuery,
  fields: Field[],
  sealed: SealedRows,
  rawHorizonMs: number,
): Generator<void, Frame> {
  const width = chooseBucketWidth(query.startMs, query.endMs, query.maxPoints);
  const origin = Math.floor(query.startMs / width) * width;
  const size = Math.floor((query.endMs - origin) / width) + 1;
  const buckets = new Map(fields.map(({ no }) => [no, new Buckets(size)]));
  const level: Level | undefined = width % hourMs === 0 ? hourMs : width % minuteMs === 0 ? minuteMs : undefined;
  const pieces = level ? splitRange(query, level, series.head, rawHorizonMs) : [{ ...query, isRolledUp: false }];
  for (const piece of pieces) {
    if (piece.isRolledUp) yield* addRollups(series.no, buckets, piece, level!, origin, width, sealed.tables);
    else {
      for (const part of partsOf(piece, series, sealed)) {
        addRaw(buckets, rawRows(series, part, [...buckets.keys()], sealed), origin, width);
        yield;
      }
    }
  }
  const hasValue = new Uint8Array(size);
  for (const { count } of buckets.values()) {
    for (let index = 0; index < size; index++) if (count[index]! > 0) hasValue[index] = 1;
  }
  const used = Array.from(hasValue.keys()).filter((index) => hasValue[index] === 1);
  const columns = new Map(
    fields.map(({ no, name }) => [
      name,
      Float64Array.from(used, (index) => bucketValue(buckets.get(no)!, index, query.aggregate)),
    ]),
  );
  return {
    resolution_seconds: width / 1000,
    ts: Float64Array.from(used, (index) => origin + index * width),
    columns,
    texts: new Map(),
  };
}

/**
 * The range in pieces, in order of time: whole minutes (hours) without a row in the head are read from roll-ups; the
 * others, and the partial ones at the ends, from samples, if these are still kept.
 */
function splitRange(
  range: TimeRange,
  level: Level,
  head: Head,
  rawHorizonMs: number,
): (TimeRange & { isRolledUp: boolean })[] {
  const fromSamples = touchedMinutes(inRange({ ts: head.ts, columns: new Map(), texts: new Map() }, range).ts, level);
  const edges = [range.startMs, range.endMs + 1].filter((edge) => edge % level !== 0 && edge > rawHorizonMs);
  for (const edge of edges) {
    const startMs = Math.floor(edge / level) * level;
    fromSamples.push({ startMs, endMs: startMs + level - 1 });
  }
  fromSamples.sort((a, b) => a.startMs - b.startMs);
  const pieces: (TimeRange & { isRolledUp: boolean })[] = [];
  let at = range.startMs;
  for (const { startMs, endMs } of fromSamples) {
    const from = Math.max(startMs, at);
    const to = Math.min(endMs, range.endMs);
    if (to < from) continue;
    if (from > at) pieces.push({ startMs: at, endMs: from - 1, isRolledUp: true });
    pieces.push({ startMs: from, endMs: to, isRolledUp: false });
    at = to + 1;
  }
  if (at <= range.endMs) pieces.push({ startMs: at, endMs: range.endMs, isRolledUp: true });
  return pieces;
}

function* addRollups(
  source: number,
  buckets: Map<number, Buckets>,
  range: TimeRange,
  level: Level,
  origin: number,
  width: number,
  tables: BlockTables,
): Generator<void> {
  const chunks = [chunkOf(level, range.startMs), chunkOf(level, range.endMs)] as const;
  for (const [field, target] of buckets) {
    for (const { chunk, data } of tables.rollups(source, field, level, ...chunks)) {
      const source = decodeChunk(data);
      const begin = chunkStart(level, chunk);
      const first = Math.max(0, Math.floor((range.startMs - begin) / level));
      const last = Math.min(source.size - 1, Math.floor((range.endMs - begin) / level));
      for (let index = first; index <= last; index++) {
        // At the far end of the past a whole minute may reach back beyond the range: it belongs to the first bucket.
        const bucket = Math.max(0, Math.floor((begin + index * level - origin) / width));
        target.merge(bucket, source, index);
      }
      yield;
    }
  }
}

function addRaw(buckets: Map<number, Buckets>, { ts, columns }: Rows, origin: number, width: number): void {
  for (const [field, values] of columns) {
    const target = buckets.get(field);
    if (!target) continue;
    for (let row = 0; row < ts.length; row++) {
      const value = values[row]!;
      if (!Number.isNaN(value)) target.add(Math.floor((ts[row]! - origin) / width), value);
    }
  }
}

function bucketValue({ min, max, sum, count, last }: Buckets, index: number, aggregate: Aggregate): number {
  if (count[index] === 0) return Number.NaN;
  if (aggregate === 'mean') return sum[index]! / count[index]!;
  return { min, max, sum, count, last }[aggregate][index]!;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const roundWidths = [
  ...[1, 2, 5, 10, 15, 20, 30].map((count) => count * second),
  ...[1, 2, 3, 5, 10, 15, 20, 30].map((count) => count * minute),
  ...[1, 2, 3, 4, 6, 8, 12].map((count) => count * hour),
  ...[1, 2, 4, 7, 14, 28, 56, 112, 224, 448].map((count) => count * day),
];

/** The narrowest round width at which the range has at most `maxBuckets` buckets, the partial ones at its ends counted. */
export function chooseBucketWidth(startMs: number, endMs: number, maxBuckets: number): number {
  const fitting = roundWidths.find(
    (width) => Math.floor(endMs / width) - Math.floor(startMs / width) + 1 <= maxBuckets,
  );
  return fitting ?? roundWidths.at(-1)!;
}
