// The body of #28 for a chart that moves on: nearly all of its points were in the answer before, so their text is taken
// over and only the new ones are written. What is taken over is compared first, time by time and value by value.

import type { Frame } from '../store/telemetry-store.ts';
import { JsonBytes } from './json-bytes.ts';
import { multiMetricStart, pointStarts, seriesStart, writePoints } from './series-json.ts';

const closingBrace = 0x7d;
/** Beyond this many points that have left the window, writing again is as quick as looking for the first that stays. */
const maxDropped = 32;

/** An answer, and where in it the points of each metric stand. */
export interface WrittenSeries {
  json: Uint8Array;
  frame: Frame;
  metrics: readonly string[];
  /** From the first brace to the last value; equal where there is no point. */
  places: { begin: number; end: number }[];
}

/** `previous` may be any answer at all; only time is lost by one that has nothing in common. */
export function writeSeries(
  ap_id: string,
  window_minutes: number,
  metrics: readonly string[],
  frame: Frame,
  previous?: WrittenSeries,
): WrittenSeries {
  const { dropped, kept } = commonRows(metrics, frame, previous);
  const starts = pointStarts(frame.ts.subarray(kept));
  const json = new JsonBytes(metrics.length * (frame.ts.length * 56 + 64) + 1024);
  const places: WrittenSeries['places'] = [];
  json.text(multiMetricStart(ap_id, window_minutes, frame));
  for (const [index, metric] of metrics.entries()) {
    json.text(seriesStart(metric, index));
    const begin = json.length;
    const column = frame.columns.get(metric);
    if (column) {
      const old = kept > 0 ? takeOver(previous!, index, dropped) : undefined;
      if (old) json.bytes(old);
      writePoints(json, column, kept, column.length, starts, json.length === begin, kept);
    }
    places.push({ begin, end: json.length });
    json.text(json.length === begin ? ']}' : '}]}');
  }
  json.text(']}');
  return { json: json.takeBytes(), frame, metrics, places };
}

/** How many rows of the previous frame are gone, and how many of this one are its others, to the last. */
function commonRows(
  metrics: readonly string[],
  { ts, columns }: Frame,
  previous: WrittenSeries | undefined,
): { dropped: number; kept: number } {
  const none = { dropped: 0, kept: 0 };
  if (!previous || metrics.join() !== previous.metrics.join()) return none;
  const before = previous.frame;
  let dropped = 0;
  while (dropped <= maxDropped && before.ts[dropped]! < ts[0]!) dropped++;
  const kept = before.ts.length - dropped;
  if (dropped > maxDropped || kept <= 0 || kept > ts.length) return none;
  if (!isContinued(before.ts, dropped, ts)) return none;
  for (const metric of metrics) {
    const [old, now] = [before.columns.get(metric), columns.get(metric)];
    if (old === undefined && now === undefined) continue;
    if (!old || !now || !isContinued(old, dropped, now)) return none;
  }
  return { dropped, kept };
}

/** Whether `now` begins with what `old` has from `dropped` on. */
function isContinued(old: Float64Array, dropped: number, now: Float64Array): boolean {
  for (let row = dropped; row < old.length; row++) if (!Object.is(old[row], now[row - dropped])) return false;
  return true;
}

/** The text of a metric's points without those of the first rows. */
function takeOver({ json, frame, metrics, places }: WrittenSeries, index: number, dropped: number): Uint8Array {
  const { begin, end } = places[index]!;
  const column = frame.columns.get(metrics[index]!)!;
  let at = begin;
  for (let row = 0; row < dropped && at < end; row++) {
    if (Number.isNaN(column[row]!)) continue;
    while (at < end && json[at] !== closingBrace) at++;
    // Behind the brace and its comma; the last point has none.
    at = Math.min(end, at + 2);
  }
  return json.subarray(at, end);
}
