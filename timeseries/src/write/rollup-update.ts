// Updates the roll-ups after sealing: minutes with new rows are recomputed from all their rows, and their hours from the
// minutes. Runs inside the transaction that seals.

import type { Rows } from '../blocks/block-codec.ts';
import {
  type Buckets,
  chunkOf,
  chunkStart,
  decodeChunk,
  eachChunk,
  emptyChunk,
  encodeChunk,
  hourMs,
  type Level,
  minuteMs,
  reuseChunk,
  touchedMinutes,
} from '../blocks/rollup.ts';
import type { BlockTables } from '../blocks/tables.ts';
import type { SourceSeries } from '../heads/source-series.ts';
import { blockRows, type SealedRows } from '../read/raw-rows.ts';
import { concatenate, inRange } from '../read/row-ranges.ts';
import type { TimeRange } from '../time-series.ts';

const minutesPerHour = hourMs / minuteMs;

/** Consecutive minutes of one chunk, with all their rows. */
interface TouchedMinutes {
  chunk: number;
  first: number;
  last: number;
  rows: Rows;
}

/** `written` are the rows of the blocks that were just written, by the time of the first one: they need not be read back. */
export function updateRollups(
  series: SourceSeries,
  sealedTs: Float64Array,
  sealed: SealedRows,
  written: ReadonlyMap<number, Rows>,
): void {
  const metrics = series.fields.filter(({ isText }) => !isText).map(({ no }) => no);
  const touched: TouchedMinutes[] = [];
  for (const range of touchedMinutes(sealedTs)) {
    eachChunk(minuteMs, range.startMs, range.endMs, (chunk, first, last) => {
      const begin = chunkStart(minuteMs, chunk);
      const span = { startMs: begin + first * minuteMs, endMs: begin + (last + 1) * minuteMs - 1 };
      touched.push({ chunk, first, last, rows: rowsIn(series.no, span, metrics, sealed, written) });
    });
  }
  for (const field of metrics) updateField(series.no, field, touched, sealed.tables);
}

/** All rows of the range, now that everything in it is in blocks. */
function rowsIn(
  source: number,
  range: TimeRange,
  fields: readonly number[],
  { tables, blocks }: SealedRows,
  written: ReadonlyMap<number, Rows>,
): Rows {
  const parts: Rows[] = [];
  for (const { id, start_ts } of tables.blocks(source, range.startMs, range.endMs)) {
    let rows = written.get(start_ts);
    if (!rows) {
      const block = blocks.get(id);
      if (!block) continue;
      rows = blockRows(block, fields);
    }
    parts.push(inRange(rows, range));
  }
  return concatenate(parts, fields);
}

/** Each chunk is read and written once, however many of its buckets were touched. */
function updateField(source: number, field: number, touched: readonly TouchedMinutes[], tables: BlockTables): void {
  const minutes = new Chunks(source, field, minuteMs, tables);
  const hours = new Chunks(source, field, hourMs, tables);
  for (const { chunk, first, last, rows } of touched) {
    const values = rows.columns.get(field);
    if (!values) continue;
    const target = minutes.at(chunk);
    for (let index = first; index <= last; index++) target.clear(index);
    const begin = chunkStart(minuteMs, chunk);
    for (let row = 0; row < rows.ts.length; row++) {
      const value = values[row]!;
      if (!Number.isNaN(value)) target.add(Math.floor((rows.ts[row]! - begin) / minuteMs), value);
    }
    // The minutes of an hour are in one chunk.
    for (let hour = Math.floor(first / minutesPerHour); hour <= Math.floor(last / minutesPerHour); hour++) {
      countHour(hours, begin + hour * hourMs, target, hour * minutesPerHour);
    }
  }
  minutes.write();
  hours.write();
}

function countHour(hours: Chunks, startMs: number, minutes: Buckets, firstMinute: number): void {
  const chunk = chunkOf(hourMs, startMs);
  const target = hours.at(chunk);
  const index = (startMs - chunkStart(hourMs, chunk)) / hourMs;
  target.clear(index);
  for (let minute = firstMinute; minute < firstMinute + minutesPerHour; minute++) target.merge(index, minutes, minute);
}

/** The chunks of a field that are being changed. */
class Chunks {
  readonly #source: number;
  readonly #field: number;
  readonly #level: Level;
  readonly #tables: BlockTables;
  readonly #chunks = new Map<number, Buckets>();

  constructor(source: number, field: number, level: Level, tables: BlockTables) {
    this.#source = source;
    this.#field = field;
    this.#level = level;
    this.#tables = tables;
  }

  at(chunk: number): Buckets {
    let buckets = this.#chunks.get(chunk);
    if (!buckets) {
      const data = this.#tables.rollup(this.#source, this.#field, this.#level, chunk);
      buckets = data ? decodeChunk(data) : emptyChunk();
      this.#chunks.set(chunk, buckets);
    }
    return buckets;
  }

  /** The last call: the chunks are given up. */
  write(): void {
    for (const [chunk, buckets] of this.#chunks) {
      this.#tables.putRollup(this.#source, this.#field, this.#level, chunk, encodeChunk(buckets));
      reuseChunk(buckets);
    }
  }
}
