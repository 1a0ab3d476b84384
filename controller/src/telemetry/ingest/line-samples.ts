// The samples that the lines of one request add up to: lines of the same millisecond become one.

import type { Sample } from '../store/telemetry-store.ts';
import { LineError, type Series } from './line-syntax.ts';
import { maxFieldsPerSample, maxSamplesPerBatch } from './sample-fields.ts';

/** A sample that grows line by line: names to slots, and per slot a value, its series and its line. */
interface Draft {
  ts: number;
  slots: Map<string, number>;
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
    addTo(Number.isNaN(ts) ? this.#timelessDraft(names) : this.#draftOf(ts), series, line, names, values);
  }

  /** Those with a time in the order of their first lines, then the others, whose `ts` is NaN. */
  toSamples(): Sample[] {
    return this.#all().map(toSample);
  }

  /** The line that a field of a sample came from last. */
  lineOf(sampleIndex: number, field: string): number {
    const draft = this.#all()[sampleIndex]!;
    return 'line' in draft ? draft.line : draft.lines[draft.slots.get(field)!]!;
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

  #timelessDraft(names: readonly string[]): Draft {
    const last = this.#timeless.at(-1);
    if (last && !names.some((name) => last.slots.has(name))) return last;
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
  return { ts, slots: new Map(), values: [], series: [], lines: [] };
}

function addTo(
  { slots, values: kept, lines, series: owners }: Draft,
  series: Series,
  line: number,
  names: readonly string[],
  values: readonly (number | string)[],
): void {
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index]!;
    const slot = slots.get(name) ?? kept.length;
    if (slot === maxFieldsPerSample) throw tooManyFields();
    if (slot < kept.length && owners[slot] !== series && owners[slot]!.identity !== series.identity) {
      throw new LineError('another series of this time gives a field of this name too');
    }
    slots.set(name, slot);
    kept[slot] = values[index]!;
    owners[slot] = series;
    lines[slot] = line;
  }
}

function isAllNumbers(values: readonly (number | string)[]): values is readonly number[] {
  for (const value of values) if (typeof value === 'string') return false;
  return true;
}

function toSample(draft: Draft | PlainDraft): Sample {
  if ('names' in draft) return { ts: draft.ts, names: draft.names, values: draft.values, texts: [] };
  const { ts, slots, values } = draft;
  const sample: Sample = { ts, names: [], values: [], texts: [] };
  for (const [name, slot] of slots) {
    const value = values[slot]!;
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
