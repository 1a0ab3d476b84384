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

export class LineSamples {
  readonly #drafts = new Map<number, Draft>();
  readonly #timeless: Draft[] = [];

  get isEmpty(): boolean {
    return this.#drafts.size + this.#timeless.length === 0;
  }

  /** Adds the fields of one line; without a time `ts` is NaN. Throws LineError; what was added before stays. */
  add(series: Series, ts: number, line: number, names: readonly string[], values: readonly (number | string)[]): void {
    const draft = Number.isNaN(ts) ? this.#timelessDraft(names) : this.#draftOf(ts);
    const { slots, values: kept, lines, series: owners } = draft;
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

  /** Those with a time in the order of their first lines, then the others, whose `ts` is NaN. */
  toSamples(): Sample[] {
    return this.#all().map(toSample);
  }

  /** The line that a field of a sample came from last. */
  lineOf(sampleIndex: number, field: string): number {
    const { slots, lines } = this.#all()[sampleIndex]!;
    return lines[slots.get(field)!]!;
  }

  #all(): Draft[] {
    return [...this.#drafts.values(), ...this.#timeless];
  }

  #draftOf(ts: number): Draft {
    let draft = this.#drafts.get(ts);
    if (!draft) {
      draft = this.#newDraft(ts);
      this.#drafts.set(ts, draft);
    }
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
    if (this.#drafts.size + this.#timeless.length === maxSamplesPerBatch) {
      throw new LineError(`a batch has at most ${maxSamplesPerBatch} samples`);
    }
    return { ts, slots: new Map(), values: [], series: [], lines: [] };
  }
}

function toSample({ ts, slots, values }: Draft): Sample {
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
