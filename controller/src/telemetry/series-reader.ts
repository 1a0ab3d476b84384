// Reads windows out of blocks, roll-ups and heads. Short windows come as the samples themselves; long ones as buckets,
// from roll-ups wherever whole minutes or hours lie sealed, and from samples for the rest.
import type { AgentSeries, Field } from './agent-series.ts';
import type { BlockCache } from './block-cache.ts';
import type { Block, Rows } from './block-codec.ts';
import { chooseBucketWidth } from './bucket-width.ts';
import { type Head, lowerBound } from './head.ts';
import { mergeRows } from './merge-rows.ts';
import { Buckets, chunkStart, decodeChunk, eachChunk, hourMs, type Level, minuteMs, touchedMinutes } from './rollup.ts';
import type { Aggregate, Frame, SeriesQuery, TimeRange } from './telemetry-store.ts';
import type { BlockPlace, TelemetryTables } from './telemetry-tables.ts';

export type RawRows = Rows;

/** Up to this many times the asked points are read to see whether the asked series are short enough after all. */
const exactCountFactor = 4;
const fewBlocks = 8;

export function queryFrame(
  series: AgentSeries | undefined,
  query: SeriesQuery,
  tables: TelemetryTables,
  blocks: BlockCache,
  rawHorizonMs: number,
): Frame {
  if (!series) return emptyFrame();
  const fields = askedFields(series, query.metrics);
  const headRows = countInRange(series.head.ts, query);
  const places = fewPlaces(series, query, tables);
  const sealedRows = places
    ? places.reduce((sum, place) => sum + place.rows, 0)
    : tables.countRows(series.no, query.startMs, query.endMs);
  if (sealedRows + headRows <= query.maxPoints * exactCountFactor + 4096) {
    const numbers = fields.map(({ no }) => no);
    const raw = rawRows(series.no, series.head, query, numbers, tables, blocks, places);
    if (longestSeries(raw) <= query.maxPoints) return toFrame(raw, fields, undefined);
  }
  return bucketFrame(
    series,
    query,
    fields.filter(({ isText }) => !isText),
    tables,
    blocks,
    rawHorizonMs,
  );
}

export function readRows(
  series: AgentSeries | undefined,
  range: TimeRange,
  limit: number,
  metrics: readonly string[] | undefined,
  tables: TelemetryTables,
  blocks: BlockCache,
): Frame {
  if (!series) return emptyFrame();
  const fields = askedFields(series, metrics);
  const numbers = fields.map(({ no }) => no);
  const parts: RawRows[] = [];
  let found = 0;
  // Step by step, since rows of blocks need not have any of the asked fields.
  for (let { startMs } = range; startMs <= range.endMs && found < limit; ) {
    const endMs = endOfStep({ startMs, endMs: range.endMs }, series.no, limit - found, tables);
    const part = dropEmptyRows(rawRows(series.no, series.head, { startMs, endMs }, numbers, tables, blocks));
    parts.push(part);
    found += part.ts.length;
    startMs = endMs + 1;
  }
  const raw = concatenate(parts, numbers);
  return toFrame(found > limit ? cut(raw, 0, limit) : raw, fields, undefined);
}

/** Where blocks that begin in the range have so many rows; heads can only add to them. */
function endOfStep(range: TimeRange, agent: number, rows: number, tables: TelemetryTables): number {
  let missing = rows;
  for (const place of tables.blocks(agent, range.startMs, range.endMs)) {
    if (place.start_ts >= range.startMs) missing -= place.rows;
    if (missing <= 0) return Math.min(range.endMs, place.end_ts);
  }
  return range.endMs;
}

/** The blocks of a range that has few; undefined if it has many. Those of the last minutes are remembered. */
function fewPlaces(
  series: AgentSeries,
  { startMs, endMs }: TimeRange,
  tables: TelemetryTables,
): readonly BlockPlace[] | undefined {
  if (series.recentBlocks === undefined || series.recentBlocks.fromMs > startMs) {
    const places = tables.blocks(series.no, startMs, Number.MAX_SAFE_INTEGER, fewBlocks);
    if (places.length < fewBlocks) series.recentBlocks = { fromMs: startMs, places };
  }
  const { recentBlocks } = series;
  if (recentBlocks && recentBlocks.fromMs <= startMs) {
    return recentBlocks.places.filter(({ start_ts, end_ts }) => start_ts <= endMs && end_ts >= startMs);
  }
  const places = tables.blocks(series.no, startMs, endMs, fewBlocks);
  return places.length < fewBlocks ? places : undefined;
}

/** All rows of the range with these fields, head and blocks merged. */
export function rawRows(
  agent: number,
  head: Head | undefined,
  range: TimeRange,
  fields: readonly number[],
  tables: TelemetryTables,
  blocks: BlockCache,
  places: readonly BlockPlace[] = tables.blocks(agent, range.startMs, range.endMs),
): RawRows {
  const parts: Rows[] = [];
  for (const place of places) {
    const block = blocks.get(place.id);
    if (block) parts.push(inRange(blockRows(block, fields), range));
  }
  const sealed = concatenate(parts, fields);
  if (!head || head.count === 0) return sealed;
  const wanted = new Set(fields);
  const columns = new Map([...head.columns].filter(([field]) => wanted.has(field)));
  const texts = new Map([...head.texts].filter(([field]) => wanted.has(field)));
  const fresh = inRange({ ts: head.ts, columns, texts }, range);
  if (fresh.ts.length === 0) return sealed;
  if (sealed.ts.length === 0) return fresh;
  return sealed.ts.at(-1)! < fresh.ts[0]! ? concatenate([sealed, fresh], fields) : mergeRows(sealed, fresh);
}

/** A block as rows, with all its fields or those asked for. */
export function blockRows(block: Block, fields: Iterable<number> = block.fields): Rows {
  const columns = new Map<number, Float64Array>();
  const texts = new Map<number, (string | undefined)[]>();
  for (const field of fields) {
    const column = block.column(field);
    if (column) columns.set(field, column);
    else if (block.isText(field)) texts.set(field, block.text(field)!);
  }
  return { ts: block.ts, columns, texts };
}

function bucketFrame(
  series: AgentSeries,
  query: SeriesQuery,
  fields: Field[],
  tables: TelemetryTables,
  blocks: BlockCache,
  rawHorizonMs: number,
): Frame {
  const width = chooseBucketWidth(query.startMs, query.endMs, query.maxPoints);
  const origin = Math.floor(query.startMs / width) * width;
  const size = Math.floor((query.endMs - origin) / width) + 1;
  const buckets = new Map(fields.map(({ no }) => [no, new Buckets(size)]));
  const level: Level | undefined = width % hourMs === 0 ? hourMs : width % minuteMs === 0 ? minuteMs : undefined;
  const pieces = level ? splitRange(query, level, series.head, rawHorizonMs) : [{ ...query, isRolledUp: false }];
  for (const piece of pieces) {
    if (piece.isRolledUp) addRollups(series.no, buckets, piece, level!, origin, width, tables);
    else addRaw(buckets, rawRows(series.no, series.head, piece, [...buckets.keys()], tables, blocks), origin, width);
  }
  const used = Array.from({ length: size }, (_, index) => index).filter((index) =>
    buckets.values().some(({ count }) => count[index]! > 0),
  );
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
 * The range in pieces, in order of time: whole minutes (hours) without a row in the head come from roll-ups; the
 * others, and the partial ones at the ends, from samples, as long as there are any.
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

function addRollups(
  agent: number,
  buckets: Map<number, Buckets>,
  range: TimeRange,
  level: Level,
  origin: number,
  width: number,
  tables: TelemetryTables,
): void {
  for (const [field, target] of buckets) {
    eachChunk(level, range.startMs, range.endMs, (chunk, first, last) => {
      const data = tables.rollup(agent, field, level, chunk);
      if (!data) return;
      const source = decodeChunk(data);
      const begin = chunkStart(level, chunk);
      for (let index = first; index <= last; index++) {
        // At the far end of the past a whole minute may reach back beyond the range: it belongs to the first bucket.
        const bucket = Math.max(0, Math.floor((begin + index * level - origin) / width));
        target.merge(bucket, source, index);
      }
    });
  }
}

function addRaw(buckets: Map<number, Buckets>, { ts, columns }: RawRows, origin: number, width: number): void {
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

function askedFields(series: AgentSeries, metrics: readonly string[] | undefined): Field[] {
  if (metrics === undefined) return series.fields;
  return metrics.flatMap((name) => series.fieldsByName.get(name) ?? []).filter(({ isText }) => !isText);
}

function longestSeries({ ts, columns, texts }: RawRows): number {
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

/** Rows in which none of the asked fields has a value are left out. */
function toFrame(raw: RawRows, fields: readonly Field[], resolution_seconds: number | undefined): Frame {
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

function dropEmptyRows(raw: RawRows): RawRows {
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

function countInRange(ts: Float64Array, { startMs, endMs }: TimeRange): number {
  return lowerBound(ts, ts.length, endMs + 1) - lowerBound(ts, ts.length, startMs);
}

function inRange(rows: Rows, { startMs, endMs }: TimeRange): Rows {
  const start = lowerBound(rows.ts, rows.ts.length, startMs);
  const end = lowerBound(rows.ts, rows.ts.length, endMs + 1);
  return start === 0 && end === rows.ts.length ? rows : cut(rows, start, end);
}

function cut(rows: Rows, start: number, end: number): Rows {
  return {
    ts: rows.ts.subarray(start, end),
    columns: new Map([...rows.columns].map(([field, values]) => [field, values.subarray(start, end)])),
    texts: new Map([...rows.texts].map(([field, values]) => [field, values.slice(start, end)])),
  };
}

/** Parts that follow one another in time. */
function concatenate(parts: Rows[], fields: readonly number[]): Rows {
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

function emptyFrame(): Frame {
  return { resolution_seconds: undefined, ts: new Float64Array(0), columns: new Map(), texts: new Map() };
}
