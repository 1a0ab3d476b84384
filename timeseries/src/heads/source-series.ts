// One source while it is in use: its fields with their newest values, and its head.

import type { BlockPlace, FieldTables } from '../blocks/tables.ts';
import { isNewest, maxNamesPerSource, TooManyNames } from '../time-series.ts';
import { Head, type SampleRun } from './head.ts';

/** A head with so many rows is sealed; that of a source with many fields earlier, because sealing must not take long. */
const sealRows = 512;
const sealValues = 64 * 1024;
const minSealRows = 32;
/** The fractions of its multiples are spread evenly between 0 and 1. */
const goldenRatio = 0.618034;

/** `lastTs` of a field that has no value yet. */
export const neverTs = -1;

export interface Field {
  no: number;
  name: string;
  isText: boolean;
  lastTs: number;
  lastValue: number;
}

const noTexts: ReadonlyMap<string, Field> = new Map();

export class SourceSeries {
  readonly no: number;
  readonly fields: Field[] = [];
  readonly metrics = new Map<string, Field>();
  /** Most sources have none. */
  #texts: Map<string, Field> | undefined;
  head = new Head();
  /** The share of the rows a head may have. Differs for the first head of each source: they are not all sealed at once. */
  #share: number;
  /** Rows of the head that do not count towards sealing. */
  #uncountedRows = 0;
  #comesFromJournal = false;
  /** All blocks that end at or after `fromMs`, if they are few and were read: queries of the last minutes need them. */
  recentBlocks: { fromMs: number; places: readonly BlockPlace[] } | undefined;

  constructor(no: number, tables: FieldTables) {
    this.no = no;
    this.#share = this.#ownShare;
    this.remember(
      tables.fields(no).map(({ no, name, is_text, last_ts: lastTs, last_value: lastValue }) => ({
        no,
        name,
        isText: is_text === 1,
        lastTs,
        lastValue,
      })),
    );
  }

  beginHead(): void {
    this.head = new Head();
    this.#share = this.#comesFromJournal ? this.#ownShare : 1;
    this.#comesFromJournal = false;
    this.#uncountedRows = 0;
  }

  /**
   * To be called after recovery: the journal has also returned rows that were sealed already, so all heads have about the
   * same length. Long ones are sealed now; the others, and the next heads of the long ones, after different numbers of rows.
   */
  resume(): void {
    this.#share = 1;
    this.#comesFromJournal = true;
    if (this.isFull) return;
    this.#share = this.#ownShare;
    this.#comesFromJournal = false;
    this.#uncountedRows = this.head.count;
  }

  /** Adds the run to the head; false, and nothing is changed, if it has to be added sample by sample. */
  addRun(run: SampleRun): boolean {
    const { numbers, at, stride, count } = run;
    for (let place = at + 3; place < at + stride - 1; place += 2) if (!this.fields[numbers[place]!]) return false;
    if (!this.head.addRun(run)) return false;
    const last = at + (count - 1) * stride;
    const ts = numbers[last + 1]!;
    for (let place = last + 3; place < last + stride - 1; place += 2) {
      const field = this.fields[numbers[place]!]!;
      if (!isNewest(ts, field.lastTs)) continue;
      field.lastTs = ts;
      field.lastValue = numbers[place + 1]!;
    }
    return true;
  }

  get texts(): ReadonlyMap<string, Field> {
    return this.#texts ?? noTexts;
  }

  get isFull(): boolean {
    const maxRows = Math.max(minSealRows, Math.min(sealRows, Math.floor(sealValues / this.fields.length)));
    return this.head.count - this.#uncountedRows >= maxRows * this.#share;
  }

  get #ownShare(): number {
    return 1 / 8 + (7 / 8) * ((this.no * goldenRatio) % 1);
  }

  /**
   * Stores numbers for new names in the caller's transaction and returns them. Pass them to `remember` once that is
   * durable, because a number that is not in the tables must never get into the journal. Throws TooManyNames.
   */
  register(names: readonly { name: string; isText: boolean; sampleIndex: number }[], tables: FieldTables): Field[] {
    const all = new Set([...this.metrics.keys(), ...this.texts.keys()]);
    const added: Field[] = [];
    for (const { name, isText, sampleIndex } of names) {
      if (this.#ofKind(isText).has(name)) continue;
      if (all.add(name).size > maxNamesPerSource) throw new TooManyNames(sampleIndex, name);
      added.push({ no: this.fields.length + added.length, name, isText, lastTs: neverTs, lastValue: 0 });
    }
    for (const field of added) tables.createField(this.no, field.no, field.name, field.isText);
    return added;
  }

  remember(fields: readonly Field[]): void {
    for (const field of fields) {
      this.fields[field.no] = field;
      if (field.isText) this.#texts ??= new Map();
      (field.isText ? this.#texts! : this.metrics).set(field.name, field);
    }
  }

  #ofKind(isText: boolean): ReadonlyMap<string, Field> {
    return isText ? this.texts : this.metrics;
  }
}
