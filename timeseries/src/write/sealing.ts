// Moves a head into blocks and brings the roll-ups up to date. Runs inside one transaction of the tables.

import { encodeBlock, type Rows } from '../blocks/block-codec.ts';
import { chunkOf, minuteMs } from '../blocks/rollup.ts';
import type { BlockPlace } from '../blocks/tables.ts';
import { lowerBound } from '../heads/head.ts';
import type { SourceSeries } from '../heads/source-series.ts';
import { mergeRows, sliceRows } from '../read/merge-rows.ts';
import { blockRows, type SealedRows } from '../read/raw-rows.ts';
import { updateRollups } from './rollup-update.ts';

/** A block of a source with many fields has fewer rows, so that decoding it does not take long. */
const maxBlockRows = 1024;
const maxBlockValues = 256 * 1024;
const minBlockRows = 64;

/** Chunks of roll-ups that are written in one transaction: callers wait meanwhile. */
const maxChunks = 4096;

/**
 * Seals the first rows of the head, all of them if they span a few hours: every six hours cost a chunk for each metric.
 * Returns how many.
 */
export function sealFirstRows(series: SourceSeries, sealed: SealedRows): number {
  const { head } = series;
  const count = rowsAtOnce(head.ts, series.fields.length);
  sealRows(series, sliceRows(head, 0, count), sealed);
  return count;
}

/** How many of these rows are sealed in one transaction. */
export function rowsAtOnce(ts: Float64Array, fields: number): number {
  let chunks = 0;
  let before: number | undefined;
  for (let row = 0; row < ts.length; row++) {
    const chunk = chunkOf(minuteMs, ts[row]!);
    if (chunk === before) continue;
    if (row > 0 && ++chunks * fields > maxChunks) return row;
    before = chunk;
  }
  return ts.length;
}

function sealRows(series: SourceSeries, rows: Rows, sealed: SealedRows): void {
  const { tables } = sealed;
  const written = new Map<number, Rows>();
  let start = 0;
  while (start < rows.ts.length) {
    const owner = tables.blockBefore(series.no, rows.ts[start]!);
    const next = tables.blockAfter(series.no, rows.ts[start]!);
    const end = next ? lowerBound(rows.ts, rows.ts.length, next.start_ts) : rows.ts.length;
    placeRows(series.no, sliceRows(rows, start, end), owner, sealed, written);
    start = end;
  }
  updateRollups(series, rows.ts, sealed, written);
  for (const no of [...rows.columns.keys(), ...rows.texts.keys()]) {
    const { lastTs, lastValue } = series.fields[no]!;
    tables.updateField(series.no, no, lastTs, lastValue);
  }
}

/**
 * Merges the rows into the block before them if it is not full or they belong inside it; the rest becomes new blocks. Adds
 * the rows of each block that it writes to `written`, by the time of the first one.
 */
function placeRows(
  source: number,
  rows: Rows,
  owner: BlockPlace | undefined,
  { tables, blocks }: SealedRows,
  written: Map<number, Rows>,
): void {
  const belongsInside = owner !== undefined && rows.ts[0]! <= owner.end_ts;
  let all = rows;
  const maxRows = rowsOfBlock(rows.columns.size + rows.texts.size);
  if (owner && (belongsInside || owner.rows < maxRows)) {
    const block = blocks.get(owner.id);
    // A damaged block is left unchanged; the new rows become a block of their own behind it.
    if (block) {
      all = mergeRows(blockRows(block), rows);
      tables.removeBlock(owner.id);
      blocks.forget(owner.id);
    }
  }
  for (let start = 0; start < all.ts.length; start += maxRows) {
    const part = sliceRows(all, start, Math.min(start + maxRows, all.ts.length));
    tables.insertBlock(source, part.ts[0]!, part.ts.at(-1)!, part.ts.length, encodeBlock(part));
    written.set(part.ts[0]!, part);
  }
}

function rowsOfBlock(columns: number): number {
  return Math.max(minBlockRows, Math.min(maxBlockRows, Math.floor(maxBlockValues / columns)));
}
