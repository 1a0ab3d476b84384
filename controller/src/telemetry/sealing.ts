// Moves a head into blocks and brings the roll-ups up to date. Runs inside one transaction of the tables.
import type { AgentSeries } from './agent-series.ts';
import { encodeBlock, type Rows } from './block-codec.ts';
import { lowerBound } from './head.ts';
import { mergeRows, sliceRows } from './merge-rows.ts';
import { blockRows, type SealedRows, sealedRows } from './raw-rows.ts';
import {
  Buckets,
  decodeChunk,
  eachChunk,
  emptyChunk,
  encodeChunk,
  hourMs,
  type Level,
  minuteMs,
  touchedMinutes,
} from './rollup.ts';
import type { BlockPlace, TelemetryTables } from './telemetry-tables.ts';

const maxBlockRows = 1024;

export function sealHead(series: AgentSeries, sealed: SealedRows): void {
  const { tables } = sealed;
  const { head } = series;
  const rows: Rows = { ts: head.ts, columns: head.columns, texts: head.texts };
  let start = 0;
  while (start < rows.ts.length) {
    const owner = tables.blockBefore(series.no, rows.ts[start]!);
    const next = tables.blockAfter(series.no, rows.ts[start]!);
    const end = next ? lowerBound(rows.ts, rows.ts.length, next.start_ts) : rows.ts.length;
    placeRows(series.no, sliceRows(rows, start, end), owner, sealed);
    start = end;
  }
  for (const range of touchedMinutes(rows.ts)) updateRollups(series, range, sealed);
  for (const field of series.fields) tables.updateField(series.no, field.no, field.lastTs, field.lastValue);
}

/** Adds to the block before if there is room or the rows belong inside it, and begins new ones for the rest. */
function placeRows(agent: number, rows: Rows, owner: BlockPlace | undefined, { tables, blocks }: SealedRows): void {
  const belongsInside = owner !== undefined && rows.ts[0]! <= owner.end_ts;
  let all = rows;
  if (owner && (belongsInside || owner.rows < maxBlockRows)) {
    const block = blocks.get(owner.id);
    // A damaged block is left as it is; the new rows begin one of their own behind it.
    if (block) {
      all = mergeRows(blockRows(block), rows);
      tables.removeBlock(owner.id);
      blocks.forget(owner.id);
    }
  }
  for (let start = 0; start < all.ts.length; start += maxBlockRows) {
    const part = sliceRows(all, start, Math.min(start + maxBlockRows, all.ts.length));
    tables.insertBlock(agent, part.ts[0]!, part.ts.at(-1)!, part.ts.length, encodeBlock(part));
  }
}

/** Counts the minutes of the range anew from all rows in it, and the hours around them from their minutes. */
function updateRollups(series: AgentSeries, range: { startMs: number; endMs: number }, sealed: SealedRows): void {
  const { tables } = sealed;
  const metrics = series.fields.filter(({ isText }) => !isText).map(({ no }) => no);
  const raw = sealedRows(series, range, metrics, sealed);
  for (const field of metrics) {
    const values = raw.columns.get(field);
    if (!values) continue;
    const minutes = countMinutes(raw, values, range);
    store(series.no, field, minuteMs, range, minutes, tables);
    const hours = {
      startMs: Math.floor(range.startMs / hourMs) * hourMs,
      endMs: Math.ceil((range.endMs + 1) / hourMs) * hourMs - 1,
    };
    store(series.no, field, hourMs, hours, countHours(series.no, field, hours, tables), tables);
  }
}

function countMinutes(
  { ts }: Rows,
  values: Float64Array,
  { startMs, endMs }: { startMs: number; endMs: number },
): Buckets {
  const minutes = new Buckets((endMs + 1 - startMs) / minuteMs);
  for (let row = 0; row < ts.length; row++) {
    if (!Number.isNaN(values[row]!)) minutes.add(Math.floor((ts[row]! - startMs) / minuteMs), values[row]!);
  }
  return minutes;
}

function countHours(
  agent: number,
  field: number,
  { startMs, endMs }: { startMs: number; endMs: number },
  tables: TelemetryTables,
): Buckets {
  const hours = new Buckets((endMs + 1 - startMs) / hourMs);
  eachChunk(minuteMs, startMs, endMs, (chunk, first, last, offset) => {
    const data = tables.rollup(agent, field, minuteMs, chunk);
    if (!data) return;
    const minutes = decodeChunk(data);
    for (let index = first; index <= last; index++)
      hours.merge(Math.floor(((offset + index - first) * minuteMs) / hourMs), minutes, index);
  });
  return hours;
}

function store(
  agent: number,
  field: number,
  level: Level,
  range: { startMs: number; endMs: number },
  buckets: Buckets,
  tables: TelemetryTables,
): void {
  eachChunk(level, range.startMs, range.endMs, (chunk, first, last, offset) => {
    const data = tables.rollup(agent, field, level, chunk);
    const target = data ? decodeChunk(data) : emptyChunk();
    for (let index = first; index <= last; index++) target.copy(index, buckets, offset + index - first);
    tables.putRollup(agent, field, level, chunk, encodeChunk(target));
  });
}
