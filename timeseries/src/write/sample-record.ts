// The record of a commit, as it goes from the caller's thread to the store's and into the journal: numbers first, texts
// behind them. Names have already been replaced by numbers.
import type { SampleRun } from '../heads/head.ts';
import type { Sample } from '../time-series.ts';

/** A source on the caller's thread: its number, and those of its fields. */
export interface NumberedSource {
  no: number;
  metrics: Map<string, number>;
  texts: Map<string, number>;
  /** The names of the last sample, and their numbers once they have come twice: most appends have the same. */
  lastNames?: readonly string[];
  lastNumbers?: readonly number[] | undefined;
}

export function toNumberedSource(
  no: number,
  fields: Iterable<{ name: string; no: number; isText: boolean }>,
): NumberedSource {
  const source: NumberedSource = { no, metrics: new Map(), texts: new Map() };
  for (const field of fields) (field.isText ? source.texts : source.metrics).set(field.name, field.no);
  return source;
}

export interface SampleName {
  name: string;
  isText: boolean;
  sampleIndex: number;
}

/** Each of their names once for each kind, with the first sample that has it. */
export function namesOf(samples: readonly Sample[]): SampleName[] {
  const first = new Map<string, SampleName>();
  const note = (name: string, isText: boolean, sampleIndex: number) => {
    const key = `${isText} ${name}`;
    if (!first.has(key)) first.set(key, { name, isText, sampleIndex });
  };
  for (const [index, { names, texts }] of samples.entries()) {
    for (const name of names) note(name, false, index);
    for (const [name] of texts) note(name, true, index);
  }
  return [...first.values()];
}

const usualSize = 4096;
/** A buffer that has grown beyond this for one commit is replaced by a small one. */
const keptSize = 64 * usualSize;

/** Collects the samples of many appends for one commit; reused for the next commit. */
export class RecordWriter {
  #numbers = new Float64Array(usualSize);
  /** The first number is how many follow. */
  #size = 1;
  #texts: [field: number, text: string][] = [];

  get isEmpty(): boolean {
    return this.#size === 1;
  }

  /** All of the samples, or none and false: if a name is not among the source's fields of its kind. */
  add(source: NumberedSource, samples: readonly Sample[]): boolean {
    const size = this.#size;
    const texts = this.#texts.length;
    for (const sample of samples) {
      if (this.#add(source, sample)) continue;
      this.#size = size;
      this.#texts.length = texts;
      return false;
    }
    return true;
  }

  #add(source: NumberedSource, { ts, names, values, texts }: Sample): boolean {
    const needed = this.#size + 4 + names.length * 2;
    if (needed > this.#numbers.length) this.#grow(needed);
    const numbers = this.#numbers;
    let at = this.#size;
    numbers[at++] = source.no;
    numbers[at++] = ts;
    numbers[at++] = names.length;
    const known = names === source.lastNames ? lastNumbersOf(source) : undefined;
    for (let index = 0; index < names.length; index++) {
      const number = known ? known[index] : source.metrics.get(names[index]!);
      if (number === undefined) return false;
      numbers[at++] = number;
      numbers[at++] = values[index]!;
    }
    numbers[at++] = texts.length;
    for (const [name, text] of texts) {
      const number = source.texts.get(name);
      if (number === undefined) return false;
      this.#texts.push([number, text]);
    }
    this.#size = at;
    if (names !== source.lastNames) {
      source.lastNames = names;
      source.lastNumbers = undefined;
    }
    return true;
  }

  /**
   * The record: the count of numbers, the numbers, and the texts as JSON, in a buffer of its own that can be transferred.
   * The writer is empty afterwards.
   */
  take(): Uint8Array<ArrayBuffer> {
    const numbers = this.#numbers;
    numbers[0] = this.#size - 1;
    const texts = this.#texts;
    const size = this.#size;
    this.#size = 1;
    if (numbers.length > keptSize) this.#numbers = new Float64Array(usualSize);
    if (texts.length === 0) return new Uint8Array(numbers.buffer.slice(0, size * 8));
    this.#texts = [];
    const text = Buffer.from(JSON.stringify(texts));
    const bytes = new Uint8Array(size * 8 + text.length);
    bytes.set(new Uint8Array(numbers.buffer, 0, size * 8));
    bytes.set(text, size * 8);
    return bytes;
  }

  #grow(needed: number): void {
    const larger = new Float64Array(Math.max(this.#numbers.length * 2, needed));
    larger.set(this.#numbers.subarray(0, this.#size));
    this.#numbers = larger;
  }
}

/** The list is made only for names that have come twice. */
function lastNumbersOf(source: NumberedSource): readonly number[] {
  source.lastNumbers ??= source.lastNames!.map((name) => source.metrics.get(name)!);
  return source.lastNumbers;
}

export interface RecordReader {
  sample(source: number, ts: number): void;
  value(field: number, value: number): void;
  text(field: number, text: string): void;
  /** Two samples or more at once; false: they are to come one by one. */
  run?(source: number, run: SampleRun): boolean;
}

/**
 * Reads a record: calls `sample` for each sample, then `value` and `text` for its values and texts; `run` for those of a batch.
 */
export function readRecord(bytes: Uint8Array, reader: RecordReader): void {
  // Floats must be aligned to eight bytes; where they are not, copy.
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
  const size = new Float64Array(aligned.buffer, aligned.byteOffset, 1)[0]!;
  const numbers = new Float64Array(aligned.buffer, aligned.byteOffset + 8, size);
  const rest = aligned.subarray(8 + size * 8);
  const texts: [number, string][] = rest.length > 0 ? JSON.parse(Buffer.from(rest).toString('utf8')) : [];
  let nextText = 0;
  for (let at = 0; at < size; ) {
    const count = reader.run ? countRun(numbers, at) : 1;
    if (count > 1) {
      const stride = 4 + numbers[at + 2]! * 2;
      if (reader.run!(numbers[at]!, { numbers, at, stride, count })) {
        at += count * stride;
        continue;
      }
    }
    for (let left = count; left > 0; left--) {
      reader.sample(numbers[at]!, numbers[at + 1]!);
      const end = at + 3 + numbers[at + 2]! * 2;
      for (at += 3; at < end; at += 2) reader.value(numbers[at]!, numbers[at + 1]!);
      for (let texting = numbers[at++]!; texting > 0; texting--) {
        const [field, text] = texts[nextText++]!;
        reader.text(field, text);
      }
    }
  }
}

/** How many samples from this one on are a run; 1 if it is none. */
function countRun(numbers: Float64Array, first: number): number {
  const fields = numbers[first + 2]!;
  const stride = 4 + fields * 2;
  if (numbers[first + stride - 1] !== 0) return 1;
  let count = 1;
  for (let at = first + stride; at < numbers.length; at += stride) {
    const isNext = numbers[at] === numbers[first] && numbers[at + 1]! > numbers[at + 1 - stride]!;
    if (!isNext || numbers[at + 2] !== fields || numbers[at + stride - 1] !== 0) break;
    for (let place = 3; place < stride - 1; place += 2) {
      if (numbers[at + place] !== numbers[first + place]) return count;
    }
    count++;
  }
  return count;
}
