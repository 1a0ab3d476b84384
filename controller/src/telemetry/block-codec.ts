// How samples lie on disk: a block holds some rows of one agent as columns, each encoded by what it is made of, and all
// of them compressed together. Times are differences of differences; values with few decimals are differences of whole
// numbers; anything else keeps its 64 bits. A column can be decoded without the others.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Rows in order of time. Columns and texts are keyed by the field's number. */
export interface Rows {
  ts: Float64Array;
  /** NaN where there is no value. */
  columns: Map<number, Float64Array>;
  texts: Map<number, (string | undefined)[]>;
}

/** With a checksum, so that a flipped bit on disk is noticed and not shown. */
const compression = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
const maxDecimals = 6;
const maxScaled = 2 ** 51;
const powersOfTen = Array.from({ length: maxDecimals + 1 }, (_, decimals) => 10 ** decimals);
/** Kinds of columns: 0 to 6 are decimals of a scaled column. */
const floatKind = 16;
const textKind = 17;

export function encodeBlock(rows: Rows): Uint8Array {
  const out = new ByteWriter();
  out.varint(rows.ts.length);
  out.varint(rows.columns.size + rows.texts.size);
  writeTimes(out, rows.ts);
  for (const [field, values] of rows.columns) writeColumn(out, field, values);
  for (const [field, texts] of rows.texts) writeTexts(out, field, texts);
  return zstdCompressSync(out.bytes(), compression);
}

/** A block whose columns are decoded when they are asked for. */
export class Block {
  readonly ts: Float64Array;
  /** Field number → kind and place of its bytes. */
  readonly #directory = new Map<number, { kind: number; start: number; length: number }>();
  readonly #reader: ByteReader;
  readonly #columns = new Map<number, Float64Array>();

  constructor(compressed: Uint8Array) {
    this.#reader = new ByteReader(zstdDecompressSync(compressed));
    const rowCount = this.#reader.varint();
    const columnCount = this.#reader.varint();
    this.ts = readTimes(this.#reader, rowCount);
    for (let index = 0; index < columnCount; index++) {
      const field = this.#reader.varint();
      const kind = this.#reader.byte();
      const length = this.#reader.varint();
      this.#directory.set(field, { kind, start: this.#reader.position, length });
      this.#reader.position += length;
    }
  }

  get fields(): Iterable<number> {
    return this.#directory.keys();
  }

  isText(field: number): boolean {
    return this.#directory.get(field)?.kind === textKind;
  }

  /** Undefined if no row has the metric. The array is shared: not to be written. */
  column(field: number): Float64Array | undefined {
    const known = this.#columns.get(field);
    if (known) return known;
    const entry = this.#directory.get(field);
    if (!entry || entry.kind === textKind) return undefined;
    this.#reader.position = entry.start;
    const values = readColumn(this.#reader, entry.kind, this.ts.length);
    this.#columns.set(field, values);
    return values;
  }

  text(field: number): (string | undefined)[] | undefined {
    const entry = this.#directory.get(field);
    if (!entry || entry.kind !== textKind) return undefined;
    this.#reader.position = entry.start;
    return readTexts(this.#reader, this.ts.length);
  }

  /** About how much memory it takes, now and with all columns decoded. */
  get maxBytes(): number {
    return this.#reader.size + this.ts.length * 8 * (1 + this.#directory.size);
  }
}

function writeTimes(out: ByteWriter, ts: Float64Array): void {
  let before = 0;
  let stepBefore = 0;
  for (const time of ts) {
    const step = time - before;
    out.signed(step - stepBefore);
    before = time;
    stepBefore = step;
  }
}

function readTimes(reader: ByteReader, count: number): Float64Array {
  const ts = new Float64Array(count);
  let time = 0;
  let step = 0;
  for (let index = 0; index < count; index++) {
    step += reader.signed();
    time += step;
    ts[index] = time;
  }
  return ts;
}

function writeColumn(out: ByteWriter, field: number, values: Float64Array): void {
  const decimals = decimalsOf(values);
  const column = new ByteWriter();
  writePresence(column, values.length, (index) => !Number.isNaN(values[index]!));
  if (decimals === undefined) {
    column.floats(values);
  } else {
    const scale = powersOfTen[decimals]!;
    let before = 0;
    for (const value of values) {
      if (Number.isNaN(value)) continue;
      const scaled = Math.round(value * scale);
      column.signed(scaled - before);
      before = scaled;
    }
  }
  out.varint(field);
  out.byte(decimals ?? floatKind);
  out.block(column.bytes());
}

function readColumn(reader: ByteReader, kind: number, rowCount: number): Float64Array {
  const values = new Float64Array(rowCount).fill(Number.NaN);
  const present = readPresence(reader, rowCount);
  if (kind === floatKind) return reader.floats(values, present);
  const scale = powersOfTen[kind]!;
  let scaled = 0;
  for (let index = 0; index < rowCount; index++) {
    if (present && !isSet(present, index)) continue;
    scaled += reader.signed();
    values[index] = scaled / scale;
  }
  return values;
}

/** The fewest decimals with which every value is exact, or undefined if six are not enough. */
function decimalsOf(values: Float64Array): number | undefined {
  let decimals = 0;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    for (;;) {
      const scale = powersOfTen[decimals]!;
      const scaled = Math.round(value * scale);
      if (scaled / scale === value && Math.abs(scaled) <= maxScaled && !Object.is(value, -0)) break;
      if (++decimals > maxDecimals) return undefined;
    }
  }
  // More decimals make larger whole numbers: an early value may have become too large.
  const scale = powersOfTen[decimals]!;
  return values.every(
    (value) =>
      Number.isNaN(value) || (Math.abs(value * scale) <= maxScaled && Math.round(value * scale) / scale === value),
  )
    ? decimals
    : undefined;
}

function writeTexts(out: ByteWriter, field: number, texts: (string | undefined)[]): void {
  const column = new ByteWriter();
  const numbers = new Map<string, number>();
  for (const text of texts) if (text !== undefined && !numbers.has(text)) numbers.set(text, numbers.size + 1);
  column.block(Buffer.from(JSON.stringify([...numbers.keys()])));
  for (const text of texts) column.varint(text === undefined ? 0 : numbers.get(text)!);
  out.varint(field);
  out.byte(textKind);
  out.block(column.bytes());
}

function readTexts(reader: ByteReader, rowCount: number): (string | undefined)[] {
  const length = reader.varint();
  const words: string[] = JSON.parse(Buffer.from(reader.take(length)).toString('utf8'));
  return Array.from({ length: rowCount }, () => words[reader.varint() - 1]);
}

/** One byte says whether all rows have a value; if not, a bit for each row follows. */
function writePresence(out: ByteWriter, count: number, has: (index: number) => boolean): void {
  const bits = new Uint8Array(Math.ceil(count / 8));
  let present = 0;
  for (let index = 0; index < count; index++) {
    if (!has(index)) continue;
    present++;
    bits[index >> 3]! |= 1 << (index & 7);
  }
  out.byte(present === count ? 1 : 0);
  if (present < count) out.raw(bits);
}

function readPresence(reader: ByteReader, count: number): Uint8Array | undefined {
  return reader.byte() === 1 ? undefined : reader.take(Math.ceil(count / 8));
}

function isSet(bits: Uint8Array, index: number): boolean {
  return (bits[index >> 3]! & (1 << (index & 7))) !== 0;
}

class ByteWriter {
  #buffer = new Uint8Array(1024);
  #size = 0;

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#size);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#size++] = value;
  }

  /** Seven bits a byte, lowest first. Division, not shifts: numbers go beyond 32 bits. */
  varint(value: number): void {
    this.#reserve(10);
    let rest = value;
    while (rest >= 0x80) {
      this.#buffer[this.#size++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#buffer[this.#size++] = rest;
  }

  /** Small negative numbers are as short as small positive ones. */
  signed(value: number): void {
    this.varint(value < 0 ? -value * 2 - 1 : value * 2);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#size);
    this.#size += bytes.length;
  }

  block(bytes: Uint8Array): void {
    this.varint(bytes.length);
    this.raw(bytes);
  }

  /** The bytes of present values by place (all first bytes, all second bytes, …), which compresses far better. */
  floats(values: Float64Array): void {
    const present = values.filter((value) => !Number.isNaN(value));
    const plain = new Uint8Array(present.buffer, present.byteOffset, present.byteLength);
    this.#reserve(plain.length);
    for (let place = 0; place < 8; place++) {
      for (let index = place; index < plain.length; index += 8) this.#buffer[this.#size++] = plain[index]!;
    }
  }

  #reserve(count: number): void {
    if (this.#size + count <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.max(this.#buffer.length * 2, this.#size + count));
    larger.set(this.#buffer.subarray(0, this.#size));
    this.#buffer = larger;
  }
}

class ByteReader {
  position = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get size(): number {
    return this.#bytes.length;
  }

  byte(): number {
    const byte = this.#bytes[this.position++];
    if (byte === undefined) throw new RangeError('a block ends too early');
    return byte;
  }

  varint(): number {
    let byte = this.byte();
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let factor = 0x80; ; factor *= 0x80) {
      byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  take(length: number): Uint8Array {
    const bytes = this.#bytes.subarray(this.position, this.position + length);
    if (bytes.length < length) throw new RangeError('a block ends too early');
    this.position += length;
    return bytes;
  }

  /** Fills the rows that `present` names (all without it). */
  floats(values: Float64Array, present: Uint8Array | undefined): Float64Array {
    let count = values.length;
    if (present) count = values.reduce((sum, _, index) => sum + (isSet(present, index) ? 1 : 0), 0);
    const split = this.take(count * 8);
    const plain = new Uint8Array(count * 8);
    for (let index = 0; index < plain.length; index++) plain[index] = split[(index % 8) * count + (index >> 3)]!;
    const floats = new Float64Array(plain.buffer);
    let next = 0;
    for (let index = 0; index < values.length; index++) {
      if (!present || isSet(present, index)) values[index] = floats[next++]!;
    }
    return values;
  }
}
