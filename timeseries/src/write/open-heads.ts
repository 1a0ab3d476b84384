// The sources with rows in their heads: what comes out of records goes in, what was sealed goes out.

import type { SourceSeries } from '../heads/source-series.ts';
import { isNewest } from '../time-series.ts';
import { readRecord } from './sample-record.ts';

export class OpenHeads {
  /** Those waiting longest first, with the journal segment of their first row. */
  readonly #open = new Map<SourceSeries, number>();
  readonly #full = new Set<SourceSeries>();
  #bytes = 0;
  #unknownFields = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Values whose field is not in the tables: impossible while tables and journal belong together. */
  get unknownFields(): number {
    return this.#unknownFields;
  }

  /** The journal segment of the oldest row. */
  get firstSegment(): number | undefined {
    const [oldest] = this.#open.values();
    return oldest;
  }

  /** Those with rows that wait longest. */
  oldest(count: number): SourceSeries[] {
    return this.#open.keys().take(count).toArray();
  }

  full(count: number): SourceSeries[] {
    return this.#full.values().take(count).toArray();
  }

  /** After the journal was read back. */
  resume(): void {
    for (const series of this.#open.keys()) {
      series.resume();
      if (!series.isFull) this.#full.delete(series);
    }
  }

  /** The rows of a record, which lies in this segment; those of sources that `find` does not know are left out. */
  add(record: Uint8Array, segment: number, find: (no: number) => SourceSeries | undefined): void {
    let series: SourceSeries | undefined;
    let row = 0;
    let ts = 0;
    let bytesBefore = 0;
    const begin = (no: number) => {
      finish();
      series = find(no);
      if (!series) return;
      if (series.head.count === 0) this.#open.set(series, segment);
      bytesBefore = series.head.count === 0 ? 0 : series.head.bytes;
    };
    const finish = () => {
      if (!series) return;
      this.#bytes += series.head.bytes - bytesBefore;
      if (series.isFull) this.#full.add(series);
    };
    readRecord(record, {
      run: (no, run) => {
        begin(no);
        if (!series || series.addRun(run)) return true;
        // Nothing of it is there yet: it begins again with its first sample.
        series = undefined;
        return false;
      },
      sample: (no, time) => {
        begin(no);
        if (!series) return;
        row = series.head.row(time);
        ts = time;
      },
      value: (number, value) => {
        if (!series) return;
        const field = series.fields[number];
        if (!field) {
          this.#unknownFields++;
          return;
        }
        series.head.setValue(row, number, value);
        if (isNewest(ts, field.lastTs)) {
          field.lastTs = ts;
          field.lastValue = value;
        }
      },
      text: (number, text) => {
        if (!series) return;
        const field = series.fields[number];
        if (!field) {
          this.#unknownFields++;
          return;
        }
        series.head.setText(row, number, text);
        if (isNewest(ts, field.lastTs)) field.lastTs = ts;
      },
    });
    finish();
  }

  /** The first rows of its head are in blocks now. */
  sealed(series: SourceSeries, rows: number): void {
    if (rows < series.head.count) {
      series.head.removeFirst(rows);
      this.#full.add(series);
      return;
    }
    this.#bytes -= series.head.bytes;
    series.beginHead();
    this.#open.delete(series);
    this.#full.delete(series);
  }

  forget(series: SourceSeries): void {
    if (this.#open.has(series)) this.#bytes -= series.head.bytes;
    this.#open.delete(series);
    this.#full.delete(series);
  }
}
