// Reads windows from blocks, roll-ups and heads. Short windows are returned as samples, long ones as buckets.

import type { Rows } from '../blocks/block-codec.ts';
import type { Field, SourceSeries } from '../heads/source-series.ts';
import type { Frame, SeriesQuery, TimeRange } from '../time-series.ts';
import { bucketFrame } from './bucket-frame.ts';
import { blocksIfFew, endOfPart, partsOf, rawRows, type SealedRows } from './raw-rows.ts';
import { concatenate, countInRange, cut, dropEmptyColumns, dropEmptyRows, longestSeries } from './row-ranges.ts';

/**
 * Up to so many rows, and this many times `maxPoints`, are read to count the points of the requested series. Of more rows the
 * answer is in buckets, even if the requested series have few points among them.
 */
const countedRows = 4096;
const exactCountFactor = 4;

export function queryFrame(...args: Parameters<typeof querySteps>): Frame {
  const steps = querySteps(...args);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/**
 * In steps, each of which reads a part of the window as it is then: between them others may be answered, and anything may be
 * stored or sealed.
 */
export function* querySteps(
  series: SourceSeries | undefined,
  query: SeriesQuery,
  sealed: SealedRows,
  rawHorizonMs: number,
): Generator<void, Frame> {
  if (!series) return emptyFrame();
  const fields = requestedFields(series, query.metrics);
  const headRows = countInRange(series.head.ts, query);
  const places = blocksIfFew(series, query, sealed);
  const sealedRows = places
    ? places.reduce((sum, place) => sum + place.rows, 0)
    : sealed.tables.countRows(series.no, query.startMs, query.endMs);
  if (sealedRows + headRows <= query.maxPoints * exactCountFactor + countedRows) {
    const numbers = fields.map(({ no }) => no);
    const parts: Rows[] = [];
    for (const part of places ? [query] : partsOf(query, series, sealed)) {
      parts.push(rawRows(series, part, numbers, sealed));
      yield;
    }
    const raw = concatenate(parts, numbers);
    if (longestSeries(raw) <= query.maxPoints) return toFrame(raw, fields, undefined);
  }
  yield;
  return yield* bucketFrame(
    series,
    query,
    fields.filter(({ isText }) => !isText),
    sealed,
    rawHorizonMs,
  );
}

export function readRows(
  series: SourceSeries | undefined,
  range: TimeRange,
  limit: number,
  metrics: readonly string[] | undefined,
  sealed: SealedRows,
): Frame {
  if (!series) return emptyFrame();
  const fields = requestedFields(series, metrics);
  const numbers = fields.map(({ no }) => no);
  const parts: Rows[] = [];
  let found = 0;
  // Step by step, because rows of blocks need not have any of the requested fields.
  for (let { startMs } = range; startMs <= range.endMs && found < limit; ) {
    const endMs = endOfPart({ startMs, endMs: range.endMs }, series.no, limit - found, sealed.tables);
    const part = dropEmptyRows(rawRows(series, { startMs, endMs }, numbers, sealed));
    parts.push(part);
    found += part.ts.length;
    startMs = endMs + 1;
  }
  const raw = concatenate(parts, numbers);
  return toFrame(dropEmptyColumns(found > limit ? cut(raw, 0, limit) : raw), fields, undefined);
}

function requestedFields(series: SourceSeries, metrics: readonly string[] | undefined): Field[] {
  if (metrics === undefined) return series.fields;
  return metrics.flatMap((name) => series.metrics.get(name) ?? []);
}

/** Rows in which none of the requested fields has a value are left out. */
function toFrame(raw: Rows, fields: readonly Field[], resolution_seconds: number | undefined): Frame {
  const kept = dropEmptyRows(raw);
  const columns = new Map<string, Float64Array>();
  const texts = new Map<string, (string | undefined)[]>();
  for (const { no, name } of fields) {
    const column = kept.columns.get(no);
    if (column) columns.set(name, column);
    const text = kept.texts.get(no);
    if (text) texts.set(name, text);
  }
  return { resolution_seconds, ts: kept.ts, columns, texts };
}

function emptyFrame(): Frame {
  return { resolution_seconds: undefined, ts: new Float64Array(0), columns: new Map(), texts: new Map() };
}
