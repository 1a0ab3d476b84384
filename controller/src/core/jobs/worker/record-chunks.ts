// From columns to the records of #23, without an object per record: JSON arrays of at most so many records and bytes,
// cut between moments. Only a moment that fills a chunk by itself is cut, between its fields.
import { JsonBytes } from '../../telemetry/query/json-bytes.ts';
import { createTimestampWriter } from '../../telemetry/query/timestamps.ts';
import type { Frame } from '../../telemetry/store/telemetry-store.ts';

const maxRecords = 5_000;
const maxBytes = 512 * 1024;
/** No number takes more as JSON. */
const maxNumberBytes = 25;
/** Begins every record: brace, name, 24 characters of time, and the next name. */
const startBytes = '{"time":"2026-03-01T12:00:00.000Z","field":,'.length;

/** Where a result has come to: everything before is in it, and of that moment the series up to this one. */
export interface RecordPosition {
  ts: number;
  series: string;
}

/** Of a moment, records are in the order of these: by field, and of one field the number first. No field has the mark. */
export function seriesKey(field: string, isText: boolean): string {
  return `${field}\0${isText ? 'text' : ''}`;
}

export interface RecordChunk {
  /** A JSON array. */
  text: string;
  last: RecordPosition;
}

/** Decides, series by series, what goes into the result; called once for each value there is. */
export type RecordFilter = (ts: number, series: string) => boolean;

interface Column {
  series: string;
  /** What stands between the time and the value. */
  middle: Buffer;
  numbers: Float64Array | undefined;
  texts: (string | undefined)[] | undefined;
}

export class RecordChunks {
  readonly #json = new JsonBytes(maxBytes);
  readonly #timestamp = createTimestampWriter();
  readonly #start = Buffer.from(`,{"time":"${' '.repeat(24)}","field":`);
  #records = 0;
  #last: RecordPosition | undefined;

  /** Takes over all rows, and yields each chunk that is full; the rest waits for the next frame, or for `take`. */
  *add(frame: Frame, isWanted?: RecordFilter): Generator<RecordChunk> {
    const columns = columnsOf(frame);
    const metricBytes = columns.reduce((sum, { middle }) => sum + startBytes + middle.length + maxNumberBytes, 0);
    const encoded: (Buffer | undefined)[] = [];
    for (let row = 0; row < frame.ts.length; row++) {
      const ts = frame.ts[row]!;
      let records = 0;
      let bytes = metricBytes;
      for (let at = 0; at < columns.length; at++) {
        const { series, numbers, texts } = columns[at]!;
        const value = numbers ? numbers[row]! : 0;
        const text = texts?.[row];
        encoded[at] = undefined;
        // NaN, the sign of an absent value, is the one number that is not itself.
        // biome-ignore lint/suspicious/noSelfCompare: cheaper than a call in the hottest loop
        const isThere = numbers ? value === value : text !== undefined;
        if (!isThere || (isWanted && !isWanted(ts, series))) continue;
        records++;
        const json = text === undefined ? nothing : Buffer.from(JSON.stringify(text));
        encoded[at] = json;
        bytes += json.length;
      }
      if (records === 0) continue;
      if (this.#records > 0 && !this.#hasRoom(records, bytes)) yield this.take()!;
      this.#start.write(this.#timestamp(ts), 10, 'latin1');
      for (let at = 0; at < columns.length; at++) {
        const json = encoded[at];
        if (json === undefined) continue;
        const { series, middle, numbers } = columns[at]!;
        const size = startBytes + middle.length + maxNumberBytes + json.length;
        if (this.#records > 0 && bytes > maxBytes && !this.#hasRoom(1, size)) yield this.take()!;
        if (this.#records === 0) this.#json.text('[');
        this.#json.bytes(this.#records === 0 ? this.#start.subarray(1) : this.#start);
        this.#json.bytes(middle);
        if (numbers) this.#json.number(numbers[row]!);
        else this.#json.bytes(json);
        this.#json.bytes(closing);
        this.#records++;
        this.#last = { ts, series };
      }
    }
  }

  /** What has not been yielded, or undefined if there is nothing. */
  take(): RecordChunk | undefined {
    if (this.#records === 0) return undefined;
    this.#json.text(']');
    this.#records = 0;
    return { text: this.#json.take(), last: this.#last! };
  }

  #hasRoom(records: number, bytes: number): boolean {
    return this.#records + records <= maxRecords && this.#json.length + bytes < maxBytes;
  }
}

const nothing = Buffer.alloc(0);
const closing = Buffer.from('}');

/** In the order of their series, so that a result can be gone on with in the middle of a moment. */
function columnsOf(frame: Frame): Column[] {
  const columnOf = (field: string, numbers?: Float64Array, texts?: (string | undefined)[]): Column => ({
    series: seriesKey(field, texts !== undefined),
    middle: Buffer.from(`${JSON.stringify(field)},"value":`),
    numbers,
    texts,
  });
  const columns = [
    ...[...frame.columns].map(([field, values]) => columnOf(field, values)),
    ...[...frame.texts].map(([field, values]) => columnOf(field, undefined, values)),
  ];
  return columns.sort((a, b) => (a.series < b.series ? -1 : 1));
}
