// The samples that the lines of one request add up to: lines of the same millisecond become one.

import type { Sample } from '../store/telemetry-store.ts';
import { LineError, type Series } from './line-syntax.ts';
import { maxFieldsPerSample, maxSamplesPerBatch } from './sample-fields.ts';

/** A sample that grows line by line: fields to slots, and per slot a value, its series and its line. */
interface Draft {
  ts: number;
  /** By name; a text, which may stand beside a number of its name, has a mark before it. */
  slots: Map<string, number>;
  fields: Set<string>;
  values: (number | string)[];
  series: Series[];
  lines: number[];
}

/** A sample of one line whose fields are all numbers, as nearly all are. */
interface PlainDraft {
  ts: number;
  /** Each once; shared by all samples with these names. */
  names: string[];
  values: number[];
  series: Series;
  line: number;
}

export class LineSamples {
  readonly #drafts = new Map<number, Draft | PlainDraft>();
  readonly #timeless: Draft[] = [];
  /** Of the last plain one. */
  #lastNames: string[] = [];
  /** Lines of which a later one of the same millisecond has replaced something. */
  merged = 0;

  get isEmpty(): boolean {
    return this.#drafts.size + this.#timeless.length === 0;
  }

  /** Adds the fields of one line; without a time `ts` is NaN. Throws LineError; what was added before stays. */
  add(series: Series, ts: number, line: number, names: readonly string[], values: readonly (number | string)[]): void {
    if (!Number.isNaN(ts) && !this.#drafts.has(ts) && isAllNumbers(values)) {
      const shared = this.#shared(names);
      if (shared) {
        this.#requireRoom();
        this.#drafts.set(ts, { ts, names: shared, values: values.slice(), series, line });
        return;
      }
    }
    const draft = Number.isNaN(ts) ? this.#timelessDraft(names, values) : this.#draftOf(ts);
    if (addTo(draft, series, line, names, values)) this.merged += 1;
  }

  /** Those with a time in the order of their first lines, then the others, whose `ts` is NaN. */
  toSamples(): Sample[] {
    return this.#all().map(toSample);
  }

  /** The line that a field of a sample came from last. */
  lineOf(sampleIndex: number, field: string): number {
    const draft = this.#all()[sampleIndex]!;
    return 'line' in draft ? draft.line : draft.lines[(draft.slots.get(field) ?? draft.slots.get(textMark + field))!]!;
  }

  #all(): (Draft | PlainDraft)[] {
    return [...this.#drafts.values(), ...this.#timeless];
  }

  /** The same names in a list that is never changed; undefined if one of them is repeated. */
  #shared(names: readonly string[]): string[] | undefined {
    const last = this.#lastNames;
    let same = last.length === names.length ? 0 : -1;
    while (same >= 0 && same < names.length) same = last[same] === names[same] ? same + 1 : -1;
    if (same >= 0) return last;
    if (new Set(names).size < names.length) return undefined;
    this.#lastNames = [...names];
    return this.#lastNames;
  }

  #draftOf(ts: number): Draft {
    const known = this.#drafts.get(ts);
    if (known && 'slots' in known) return known;
    const draft = known ? emptyDraft(ts) : this.#newDraft(ts);
    if (known) addTo(draft, known.series, known.line, known.names, known.values);
    this.#drafts.set(ts, draft);
    return draft;
  }

  #timelessDraft(names: readonly string[], values: readonly (number | string)[]): Draft {
    const last = this.#timeless.at(-1);
    if (last && !names.some((name, index) => last.slots.has(slotOf(name, values[index]!)))) return last;
    const draft = this.#newDraft(Number.NaN);
    this.#timeless.push(draft);
    return draft;
  }

  #newDraft(ts: number): Draft {
    this.#requireRoom();
    return emptyDraft(ts);
  }

  #requireRoom(): void {
    if (this.#drafts.size + this.#timeless.length === maxSamplesPerBatch) {
      throw new LineError(`a batch has at most ${maxSamplesPerBatch} samples`);
    }
  }
}

function emptyDraft(ts: number): Draft {
  return { ts, slots: new Map(), fields: new Set(), values: [], series: [], lines: [] };
}

/** No name has it. */
const textMark = '\0';

function slotOf(name: string, value: number | string): string {
  return typeof value === 'string' ? textMark + name : name;
}

/** Returns whether it has replaced something of an earlier line. */
function addTo(
  { slots, fields, values: kept, lines, series: owners }: Draft,
  series: Series,
  line: number,
  names: readonly string[],
  values: readonly (number | string)[],
): boolean {
  let isReplacing = false;
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index]!;
    const place = slotOf(name, values[index]!);
    const slot = slots.get(place) ?? kept.length;
    if (fields.add(name).size > maxFieldsPerSample) throw tooManyFields();
    isReplacing ||= slot < kept.length;
    if (slot < kept.length && owners[slot] !== series && owners[slot]!.identity !== series.identity) {
      throw new LineError('another series of this time gives a field of this name too');
    }
    slots.set(place, slot);
    kept[slot] = values[index]!;
    owners[slot] = series;
    lines[slot] = line;
  }
  return isReplacing;
}

function isAllNumbers(values: readonly (number | string)[]): values is readonly number[] {
  for (const value of values) if (typeof value === 'string') return false;
  return true;
}

function toSample(draft: Draft | PlainDraft): Sample {
  if ('names' in draft) return { ts: draft.ts, names: draft.names, values: draft.values, texts: [] };
  const { ts, slots, values } = draft;
  const sample: Sample = { ts, names: [], values: [], texts: [] };
  for (const [place, slot] of slots) {
    const value = values[slot]!;
    const name = typeof value === 'string' ? place.slice(textMark.length) : place;
    if (typeof value === 'string') sample.texts.push([name, value]);
    else {
      sample.names.push(name);
      sample.values.push(value);
    }
  }
  return sample;
}

export function tooManyFields(): LineError {
  return new LineError(`a sample has at most ${maxFieldsPerSample} fields`);
}
