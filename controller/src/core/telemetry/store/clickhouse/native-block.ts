// A block of samples in ClickHouse's Native format: columns as they lie in memory, which costs both sides far less than rows.
// One row for each sample; the names of its fields are numbered once for the whole block.
import type { Sample } from '../telemetry-store.ts';
import { notDecimal, powers, textBytes, varint } from './row-binary.ts';

export interface Append {
  ap_id: string;
  /** Each with a field at least. */
  samples: readonly Sample[];
}

/** In this order. */
export const insertedColumns = 'ap_id, ts, repeat, newest, names, digits, scales, texts';

const two32 = 2 ** 32;
/** Names come with the block, and replace those of the block before: there is none. */
const dictionaryInBlock = 0x600;
const columnCount = 8;

export function encodeSamples(appends: readonly Append[]): Buffer {
  let [rows, points, textPoints] = [0, 0, 0];
  for (const { samples } of appends) {
    rows += samples.length;
    for (const { names, texts } of samples) {
      points += names.length;
      textPoints += texts.length;
    }
  }
  const agents: Uint8Array[] = [];
  const times = new Uint32Array(2 * rows);
  const repeats = new Uint32Array(rows);
  const newest = new Uint8Array(rows);
  const names = new NamesColumn(rows, points);
  const values = new DecimalColumn(points);
  const texts = new NamesColumn(rows, textPoints);
  const words: Uint8Array[] = [];
  // Rows of one insert have one time of insertion: of the same agent and time, the one with more repeats is the later.
  const order = new Map<string, { lastTs: number; repeats: number }>();
  let row = 0;
  let at = 0;
  for (const { ap_id, samples } of appends) {
    const agent = textBytes(ap_id);
    const before = order.get(ap_id) ?? { lastTs: Number.NEGATIVE_INFINITY, repeats: 0 };
    order.set(ap_id, before);
    newest.set(newestOf(samples), row);
    for (const sample of samples) {
      agents.push(agent);
      const high = Math.floor(sample.ts / two32);
      times[2 * row] = sample.ts - high * two32;
      times[2 * row + 1] = high;
      if (sample.ts > before.lastTs) before.lastTs = sample.ts;
      else before.repeats++;
      repeats[row] = before.repeats;
      names.add(sample.names);
      for (const value of sample.values) values.add(names.numbers[at++]!, value);
      texts.add(sample.texts.length === 0 ? noNames : sample.texts.map(([name]) => name));
      for (const [, text] of sample.texts) words.push(textBytes(text));
      row++;
    }
  }
  return Buffer.concat([
    varint(columnCount),
    varint(rows),
    ...column('ap_id', 'String', agents),
    ...column('ts', "DateTime64(3, 'UTC')", [bytesOf(times)]),
    ...column('repeat', 'UInt32', [bytesOf(repeats)]),
    ...column('newest', 'UInt8', [newest]),
    ...column('names', 'Array(LowCardinality(String))', names.bytes()),
    ...column('digits', 'Array(Int64)', [names.ends, bytesOf(values.digits)]),
    ...column('scales', 'Array(UInt8)', [names.ends, values.scales]),
    ...column('texts', 'Map(LowCardinality(String), String)', [...texts.bytes(), ...words]),
  ]);
}

const noNames: readonly string[] = [];

/** The names of arrays or maps: numbers into the list of all names of the block, and where each row ends. */
class NamesColumn {
  readonly #names = new Map<string, number>();
  readonly numbers: Uint32Array;
  readonly #ends: Uint32Array;
  #row = 0;
  #at = 0;
  #last: readonly string[] = noNames;

  constructor(rows: number, entries: number) {
    this.numbers = new Uint32Array(entries);
    this.#ends = new Uint32Array(2 * rows);
  }

  add(names: readonly string[]): void {
    const { length } = names;
    // Samples of one agent, and often of all, have the names of the one before.
    if (names === this.#last) this.numbers.copyWithin(this.#at, this.#at - length, this.#at);
    else for (let index = 0; index < length; index++) this.numbers[this.#at + index] = this.#numberOf(names[index]!);
    this.#last = names;
    this.#at += length;
    this.#ends[2 * this.#row++] = this.#at;
  }

  get ends(): Uint8Array {
    return bytesOf(this.#ends);
  }

  /** Of an array, or of a map but for its values. */
  bytes(): Uint8Array[] {
    const versionOfDictionaries = uint64(1);
    if (this.#at === 0) return [versionOfDictionaries, this.ends];
    const [width, numbers] =
      this.#names.size <= 0x100
        ? [0, new Uint8Array(this.numbers)]
        : this.#names.size <= 0x10000
          ? [1, new Uint16Array(this.numbers)]
          : [2, this.numbers];
    return [
      versionOfDictionaries,
      this.ends,
      uint64(dictionaryInBlock | width),
      uint64(this.#names.size),
      ...[...this.#names.keys()].map(textBytes),
      uint64(numbers.length),
      bytesOf(numbers),
    ];
  }

  #numberOf(name: string): number {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    this.#names.set(name, this.#names.size);
    return this.#names.size - 1;
  }
}

/** Each value as a whole number and a number of decimals, such that their quotient is the value exactly. */
class DecimalColumn {
  readonly digits: Int32Array;
  readonly scales: Uint8Array;
  /** Of each name: values of a metric have the same number of decimals, so that they look alike. */
  readonly #scales: number[] = [];
  readonly #double = new Float64Array(1);
  readonly #halves = new Int32Array(this.#double.buffer);
  #at = 0;

  constructor(points: number) {
    this.digits = new Int32Array(2 * points);
    this.scales = new Uint8Array(points);
  }

  add(name: number, value: number): void {
    const at = this.#at++;
    for (let scale = this.#scales[name] ?? 0; scale < powers.length; scale++) {
      const digits = Math.round(value * powers[scale]!);
      if (digits / powers[scale]! !== value || Math.abs(digits) > Number.MAX_SAFE_INTEGER || Object.is(digits, -0))
        continue;
      this.#scales[name] = scale;
      this.scales[at] = scale;
      this.digits[2 * at] = digits;
      this.digits[2 * at + 1] = Math.floor(digits / two32);
      return;
    }
    this.#double[0] = value;
    this.scales[at] = notDecimal;
    this.digits.set(this.#halves, 2 * at);
  }
}

/** 1 for each sample that may have the newest value of a field, as far as these tell. */
function newestOf(samples: readonly Sample[]): Uint8Array {
  const newest = new Uint8Array(samples.length).fill(1);
  if (samples.some(({ ts }, index) => index > 0 && ts <= samples[index - 1]!.ts)) return newest;
  const seen = new Set<string>();
  const seenTexts = new Set<string>();
  let known: readonly string[] | undefined;
  for (let index = samples.length - 1; index >= 0; index--) {
    const { names, texts } = samples[index]!;
    const size = seen.size + seenTexts.size;
    if (names !== known) for (const name of names) seen.add(name);
    for (const [name] of texts) seenTexts.add(name);
    if (seen.size + seenTexts.size === size) newest[index] = 0;
    known = names;
  }
  return newest;
}

function column(name: string, type: string, data: readonly Uint8Array[]): Uint8Array[] {
  return [textBytes(name), textBytes(type), ...data];
}

function bytesOf({ buffer, byteLength }: Uint8Array | Uint16Array | Uint32Array | Int32Array): Uint8Array {
  return new Uint8Array(buffer, 0, byteLength);
}

function uint64(value: number): Uint8Array {
  return bytesOf(Uint32Array.of(value, 0));
}
