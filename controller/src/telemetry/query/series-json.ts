// From columns to JSON text, without an object per point: the last step of a chart's poll. Text comes in pieces, so that
// the largest answers never lie in memory whole; small ones are joined.

import type { Frame } from '../store/telemetry-store.ts';
import { JsonBytes } from './json-bytes.ts';
import { createTimestampWriter } from './timestamps.ts';

/** What a piece grows to before it is handed on. */
const pieceLength = 64 * 1024;
const rowsPerPiece = 512;

/** The body of #28: one list of points per metric, in the order asked for; absent values are no points. */
export function* multiMetricJson(
  ap_id: string,
  window_minutes: number,
  metrics: readonly string[],
  frame: Frame,
): Generator<Uint8Array> {
  const json = new JsonBytes(pieceLength + 1024);
  const starts = pointStarts(frame.ts);
  json.text(multiMetricStart(ap_id, window_minutes, frame));
  for (const [index, metric] of metrics.entries()) {
    json.text(seriesStart(metric, index));
    const column = frame.columns.get(metric);
    let isFirst = true;
    for (let row = 0; column && row < column.length; ) {
      const end = Math.min(column.length, row + rowsPerPiece);
      isFirst = writePoints(json, column, row, end, starts, isFirst);
      row = end;
      if (json.length > pieceLength) yield json.takeBytes();
    }
    json.text(isFirst ? ']}' : '}]}');
  }
  json.text(']}');
  yield json.takeBytes();
}

/** The text that stands before the first point of all. */
export function multiMetricStart(ap_id: string, window_minutes: number, frame: Frame): string {
  return `{"agent_id":${JSON.stringify(ap_id)},"window_minutes":${window_minutes}${resolution(frame)},"series":[`;
}

export function seriesStart(metric: string, index: number): string {
  return `${index === 0 ? '' : ','}{"metric":${JSON.stringify(metric)},"points":[`;
}

/**
 * Writes the values of some rows, each with what stands before it; a point's brace is closed by the next one. `starts`
 * are of the rows from `firstStart` on. Returns whether the series is still without a point.
 */
export function writePoints(
  json: JsonBytes,
  column: Float64Array,
  begin: number,
  end: number,
  starts: readonly Uint8Array[],
  isEmpty: boolean,
  firstStart = 0,
): boolean {
  let isFirst = isEmpty;
  for (let row = begin; row < end; row++) {
    const value = column[row]!;
    // NaN, the sign of an absent value, is the one number that is not itself.
    // biome-ignore lint/suspicious/noSelfCompare: cheaper than a call in the hottest loop
    if (value !== value) continue;
    const start = starts[row - firstStart]!;
    json.bytes(isFirst ? start.subarray(2) : start);
    json.number(value);
    isFirst = false;
  }
  return isFirst;
}

/** The body of #27: one object per moment with the fields reported then. */
export function* agentDataJson(ap_id: string, window_minutes: number, frame: Frame): Generator<string> {
  const name = JSON.stringify(ap_id);
  const key = JSON.stringify(`agent/${ap_id}/data`);
  let text = `{"key":${key},"agent_id":${name},"window_minutes":${window_minutes}${resolution(frame)},"points":[`;
  let separator = '';
  for (const row of rowsJson(frame)) {
    text += separator + row;
    separator = ',';
    if (text.length > pieceLength) {
      yield text;
      text = '';
    }
  }
  yield `${text}]}`;
}

/** Each row as an object: `{"ts":"...","name":value,...}`. */
export function* rowsJson(frame: Frame): Generator<string> {
  const timestamp = createTimestampWriter();
  const columns = [...frame.columns].map(([name, values]) => ({ start: `,${JSON.stringify(name)}:`, values }));
  const texts = [...frame.texts].map(([name, values]) => ({ start: `,${JSON.stringify(name)}:`, values }));
  for (let row = 0; row < frame.ts.length; row++) {
    let text = `{"ts":"${timestamp(frame.ts[row]!)}"`;
    for (const { start, values } of columns) {
      const value = values[row]!;
      if (!Number.isNaN(value)) text += `${start}${value}`;
    }
    for (const { start, values } of texts) {
      const value = values[row];
      if (value !== undefined) text += start + JSON.stringify(value);
    }
    yield `${text}}`;
  }
}

/** What stands between the values of neighbouring points; written once per row and used for every metric. */
export function pointStarts(ts: Float64Array): Uint8Array[] {
  const timestamp = createTimestampWriter();
  const starts: string[] = new Array(ts.length);
  for (let row = 0; row < ts.length; row++) starts[row] = `},{"ts":"${timestamp(ts[row]!)}","value":`;
  const bytes = Buffer.from(starts.join(''), 'latin1');
  let at = 0;
  return starts.map((start) => {
    at += start.length;
    return new Uint8Array(bytes.buffer, bytes.byteOffset + at - start.length, start.length);
  });
}

function resolution({ resolution_seconds }: Frame): string {
  return resolution_seconds === undefined ? '' : `,"resolution_seconds":${resolution_seconds}`;
}
