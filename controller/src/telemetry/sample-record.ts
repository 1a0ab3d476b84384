// The bytes in which samples travel from the server's thread to the store's, and lie in the journal: numbers first,
// texts behind them. The sender has already replaced names by numbers.
import type { Sample } from './telemetry-store.ts';

/** Collects the samples of many requests for one commit. */
export class RecordWriter {
  #numbers = new Float64Array(4096);
  #size = 0;
  #texts: [field: number, text: string][] = [];

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  add(agent: number, sample: Sample, fieldNumbers: ReadonlyMap<string, { no: number }>): void {
    const { names, values, texts } = sample;
    const needed = this.#size + 4 + names.length * 2;
    if (needed > this.#numbers.length) this.#grow(needed);
    const numbers = this.#numbers;
    let at = this.#size;
    numbers[at++] = agent;
    numbers[at++] = sample.ts;
    numbers[at++] = names.length;
    for (let index = 0; index < names.length; index++) {
      numbers[at++] = fieldNumbers.get(names[index]!)!.no;
      numbers[at++] = values[index]!;
    }
    numbers[at++] = texts.length;
    for (const [name, text] of texts) this.#texts.push([fieldNumbers.get(name)!.no, text]);
    this.#size = at;
  }

  /** Length of the numbers, the numbers, and the texts as JSON, in an own buffer that can be handed over. */
  bytes(): Uint8Array<ArrayBuffer> {
    const texts = this.#texts.length > 0 ? Buffer.from(JSON.stringify(this.#texts)) : undefined;
    const numbersBytes = this.#size * 8;
    const bytes = new Uint8Array(8 + numbersBytes + (texts?.length ?? 0));
    new Float64Array(bytes.buffer, 0, 1)[0] = this.#size;
    new Float64Array(bytes.buffer, 8, this.#size).set(this.#numbers.subarray(0, this.#size));
    if (texts) bytes.set(texts, 8 + numbersBytes);
    return bytes;
  }

  #grow(needed: number): void {
    const larger = new Float64Array(Math.max(this.#numbers.length * 2, needed));
    larger.set(this.#numbers.subarray(0, this.#size));
    this.#numbers = larger;
  }
}

export interface RecordReader {
  sample(agent: number, ts: number): void;
  value(field: number, value: number): void;
  text(field: number, text: string): void;
}

/** Walks through a record: for each sample `sample`, then its values and texts. */
export function readRecord(bytes: Uint8Array, reader: RecordReader): void {
  // A copy where the bytes do not lie on a boundary of eight, as floats must.
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
  const size = new Float64Array(aligned.buffer, aligned.byteOffset, 1)[0]!;
  const numbers = new Float64Array(aligned.buffer, aligned.byteOffset + 8, size);
  const rest = aligned.subarray(8 + size * 8);
  const texts: [number, string][] = rest.length > 0 ? JSON.parse(Buffer.from(rest).toString('utf8')) : [];
  let nextText = 0;
  for (let at = 0; at < size; ) {
    reader.sample(numbers[at]!, numbers[at + 1]!);
    const end = at + 3 + numbers[at + 2]! * 2;
    for (at += 3; at < end; at += 2) reader.value(numbers[at]!, numbers[at + 1]!);
    for (let count = numbers[at++]!; count > 0; count--) {
      const [field, text] = texts[nextText++]!;
      reader.text(field, text);
    }
  }
}
