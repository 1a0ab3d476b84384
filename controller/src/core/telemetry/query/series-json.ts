// From columns to JSON text, without an object per point: the last step of a chart's poll. Text comes in pieces, so that
// the largest answers never lie in memory whole; small ones are joined.

import type { Frame } from '../store/telemetry-store.ts';
import { JsonBytes } from './json-bytes.ts';
import { createTimestampWriter } from './timestamps.ts';

/** What a piece grows to before it is handed on: a fraction of a millisecond. */
const pieceLength = 16 * 1024;
const rowsPerPiece = 128;
const zero = 0x30;
/** With a year of six digits and a sign. */
const maxStartLength = 47;

/** Kept between answers: memory that every answer allocated again would be most of the garbage of a server that charts poll. */
const scratch = new JsonBytes(pieceLength);

type Asked = [ap_id: string, window_minutes: number, metrics: readonly string[], frame: Frame];

/** The body of #28: one list of points per metric, in the order asked for; absent values are no points. */
export function* multiMetricJson(...asked: Asked): Generator<Uint8Array> {
  const json = new JsonBytes(pieceLength + 1024);
  for (const _ of writeMultiMetric(json, pieceLength, asked)) yield json.takeBytes();
  yield json.takeBytes();
}

/** The same as one text, for short answers. */
export function multiMetricText(...asked: Asked): string {
  for (const _ of writeMultiMetric(scratch, Number.POSITIVE_INFINITY, asked));
  return scratch.take();
}

/** Pauses whenever there are more bytes than `maxLength`. */
function* writeMultiMetric(
  json: JsonBytes,
  maxLength: number,
  [ap_id, window_minutes, metrics, frame]: Asked,
): Generator<void> {
  const starts = new PointStarts(frame.ts);
  json.text(`{"agent_id":${JSON.stringify(ap_id)},"window_minutes":${window_minutes}${resolution(frame)},"series":[`);
  for (const [index, metric] of metrics.entries()) {
    json.text(`${index === 0 ? '' : ','}{"metric":${JSON.stringify(metric)},"points":[`);
    const column = frame.columns.get(metric);
    let isFirst = true;
    for (let row = 0; column && row < column.length; ) {
      const end = Math.min(column.length, row + rowsPerPiece);
      starts.write(end);
      isFirst = writePoints(json, column, row, end, starts, isFirst);
      row = end;
      if (json.length > maxLength) yield;
    }
    json.text(isFirst ? ']}' : '}]}');
  }
  json.text(']}');
}

/**
 * Writes the values of some rows, each with what stands before it; a point's brace is closed by the next one. Returns whether
 * the series is still without a point.
 */
function writePoints(
  json: JsonBytes,
  column: Float64Array,
  begin: number,
  end: number,
  { bytes, ends }: PointStarts,
  isEmpty: boolean,
): boolean {
  let isFirst = isEmpty;
  for (let row = begin; row < end; row++) {
    const value = column[row]!;
    // NaN, the sign of an absent value, is the one number that is not itself.
    // biome-ignore lint/suspicious/noSelfCompare: cheaper than a call in the hottest loop
    if (value !== value) continue;
    const start = row === 0 ? 0 : ends[row - 1]!;
    // The first one has neither the brace of another before it nor a comma.
    json.ascii(bytes, isFirst ? start + 2 : start, ends[row]!);
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

/** Each row as an object: `{"ts":"...","name":value,...}`; of a name that has a number and a text then, the number. */
export function* rowsJson(frame: Frame): Generator<string> {
  const timestamp = createTimestampWriter();
  const columns = [...frame.columns].map(([name, values]) => ({ start: `,${JSON.stringify(name)}:`, values }));
  const texts = [...frame.texts].map(([name, values]) => ({
    start: `,${JSON.stringify(name)}:`,
    values,
    numbers: frame.columns.get(name),
  }));
  for (let row = 0; row < frame.ts.length; row++) {
    let text = `{"ts":"${timestamp(frame.ts[row]!)}"`;
    for (const { start, values } of columns) {
      const value = values[row]!;
      if (!Number.isNaN(value)) text += `${start}${value}`;
    }
    for (const { start, values, numbers } of texts) {
      const value = values[row];
      if (value !== undefined && (!numbers || Number.isNaN(numbers[row]))) text += start + JSON.stringify(value);
    }
    yield `${text}}`;
  }
}

/**
 * `},{"ts":"2026-03-01T12:00:00.000Z","value":` for each of these times: what stands between the values of neighbouring points,
 * row by row one after the other, used for every metric.
 */
class PointStarts {
  readonly bytes: DataView;
  /** Where the text of each row ends and that of the next begins. */
  readonly ends: Uint32Array;
  readonly #ts: Float64Array;
  readonly #text: Buffer;
  #written = 0;
  #minute = Number.NaN;
  #day = Number.NaN;
  #length = 0;

  constructor(ts: Float64Array) {
    this.#ts = ts;
    // Seven more, for whoever reads eight at a time.
    this.#text = Buffer.from(new ArrayBuffer(ts.length * maxStartLength + 7));
    this.bytes = new DataView(this.#text.buffer);
    this.ends = new Uint32Array(ts.length);
  }

  /** Those of all rows before this one, unless they are there. */
  write(end: number): void {
    let at = this.#written === 0 ? 0 : this.ends[this.#written - 1]!;
    for (; this.#written < end; this.#written++) {
      at = this.#writeOne(this.#ts[this.#written]!, at);
      this.ends[this.#written] = at;
    }
  }

  #writeOne(ms: number, start: number): number {
    const minute = Math.floor(ms / 60_000);
    const day = Math.floor(minute / 1440);
    if (day === this.#day) this.#text.copyWithin(start, start - this.#length, start);
    else {
      const date = new Date(day * 86_400_000).toISOString();
      this.#length = this.#text.write(`},{"ts":"${date}","value":`, start, 'latin1');
    }
    const end = start + this.#length;
    // Only this differs within a day: `00:00:00.000Z","value":`.
    if (minute !== this.#minute || day !== this.#day) {
      const ofDay = minute - day * 1440;
      writeDigits(this.#text, end - 23, (ofDay / 60) | 0, 2);
      writeDigits(this.#text, end - 20, ofDay % 60, 2);
    }
    const rest = ms - minute * 60_000;
    const seconds = (rest / 1000) | 0;
    writeDigits(this.#text, end - 17, seconds, 2);
    writeDigits(this.#text, end - 14, rest - seconds * 1000, 3);
    this.#minute = minute;
    this.#day = day;
    return end;
  }
}

function writeDigits(bytes: Uint8Array, at: number, number: number, count: number): void {
  let left = number;
  for (let index = at + count - 1; index >= at; index--) {
    const next = (left / 10) | 0;
    bytes[index] = zero + left - next * 10;
    left = next;
  }
}

function resolution({ resolution_seconds }: Frame): string {
  return resolution_seconds === undefined ? '' : `,"resolution_seconds":${resolution_seconds}`;
}
