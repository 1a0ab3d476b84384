// The samples of a source, from its blocks and its head.

import type { BlockCache } from '../blocks/block-cache.ts';
import type { Block, Rows } from '../blocks/block-codec.ts';
import type { BlockPlace, BlockTables } from '../blocks/tables.ts';
import type { Head } from '../heads/head.ts';
import type { SourceSeries } from '../heads/source-series.ts';
import type { TimeRange } from '../time-series.ts';
import { mergeRows } from './merge-rows.ts';
import type { RecentRows } from './recent-rows.ts';
import { concatenate, inRange } from './row-ranges.ts';

const fewBlocks = 8;
const rowsOfPart = 2_000;

/** The sealed rows, and the caches in front of them. */
export interface SealedRows {
  tables: BlockTables;
  blocks: Pick<BlockCache, 'get' | 'forget'>;
  recent: RecentRows;
}

/** The blocks of a range that has few, so that their rows can be counted; undefined if it has many. */
export function blocksIfFew(
  series: SourceSeries,
  { startMs, endMs }: TimeRange,
  { tables }: SealedRows,
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

/** The range in parts of a few blocks, each found when its turn comes. */
export function* partsOf(range: TimeRange, { no }: SourceSeries, { tables }: SealedRows): Generator<TimeRange> {
  for (let { startMs } = range; startMs <= range.endMs; ) {
    const endMs = endOfPart({ startMs, endMs: range.endMs }, no, rowsOfPart, tables);
    yield { startMs, endMs };
    startMs = endMs + 1;
  }
}

/** The end of the block with which the blocks that begin in the range have so many rows; heads can only add rows. */
export function endOfPart(range: TimeRange, source: number, rows: number, tables: BlockTables): number {
  let missing = rows;
  for (const place of tables.blocks(source, range.startMs, range.endMs)) {
    if (place.start_ts >= range.startMs) missing -= place.rows;
    if (missing <= 0) return Math.min(range.endMs, place.end_ts);
  }
  return range.endMs;
}

/** All rows of the range with these fields, from head and blocks. */
export function rawRows(series: SourceSeries, range: TimeRange, fields: readonly number[], sealed: SealedRows): Rows {
  return withHead(sealedRows(series, range, fields, sealed), series.head, range, fields);
}

/** The rows of the range that are in blocks. */
function sealedRows(
  { no, recentBlocks }: SourceSeries,
  range: TimeRange,
  fields: readonly number[],
  { tables, blocks, recent }: SealedRows,
): Rows {
  if (!recentBlocks || recentBlocks.fromMs > range.startMs) {
    return readBlocks(tables.blocks(no, range.startMs, range.endMs), range, fields, blocks);
  }
  const { places } = recentBlocks;
  const newest = places.at(-1);
  // Only windows up to now are read again and again.
  if (!newest || newest.end_ts < range.startMs || newest.end_ts > range.endMs) {
    return readBlocks(places, range, fields, blocks);
  }
  const rows = recent.rows(recentBlocks, range.startMs, fields, (startMs, fields) =>
    readBlocks(places, { startMs, endMs: range.endMs }, fields, blocks),
  );
  return inRange(rows, range);
}

function readBlocks(
  places: readonly BlockPlace[],
  range: TimeRange,
  fields: readonly number[],
  blocks: SealedRows['blocks'],
): Rows {
  const parts: Rows[] = [];
  for (const { id, start_ts, end_ts } of places) {
    const block = start_ts <= range.endMs && end_ts >= range.startMs ? blocks.get(id) : undefined;
    if (block) parts.push(inRange(blockRows(block, fields), range));
  }
  return concatenate(parts, fields);
}

function withHead(sealed: Rows, head: Head, range: TimeRange, fields: readonly number[]): Rows {
  if (head.count === 0) return sealed;
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
