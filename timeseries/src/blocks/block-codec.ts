// The encoding of samples on disk: a block holds rows of one source as columns, compressed together unless they are small.
// Times are stored as differences of differences, values with few decimals as differences of scaled integers, all others
// as 64-bit floats. A column can be decoded without the others.
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ByteReader, ByteWriter } from './byte-stream.ts';

/** Rows in order of time. Columns and texts are keyed by the field's number. */
export interface Rows {
  ts: Float64Array;
  /** NaN where there is no value. */
  columns: Map<number, Float64Array>;
  texts: ReadonlyMap<number, (string | undefined)[]>;
}

// Reused: for a small chunk of roll-ups, allocating a buffer would cost more than writing it.
const wholeWriter = new ByteWriter();
const columnWriter = new ByteWriter();

/** With a checksum, so that a flipped bit on disk is detected. */
const compression = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
const maxDecimals = 6;
const maxScaled = 2 ** 51;
const powersOfTen = Array.from({ length: maxDecimals + 1 }, (_, decimals) => 10 ** decimals);
/** Up to this size, and most chunks of roll-ups have it, compression costs more than it saves. */
const maxPlainBytes = 256;
/** The first byte of a plain block; that of a compressed one is 0x28. */
const plainMark = 0;
/** Kinds of columns: 0 to 6 is the number of decimals of a scaled column. */
const floatKind = 16;
const textKind = 17;

export function encodeBlock(rows: Rows): Uint8Array {
  const out = wholeWriter.begin();
  out.varint(rows.ts.length);
  out.varint(rows.columns.size + rows.texts.size);
  writeTimes(out, rows.ts);
  for (const [field, values] of rows.columns) writeColumn(out, field, values);
  for (const [field, texts] of rows.texts) writeTexts(out, field, texts);
  return pack(out.bytes());
}

function pack(bytes: Uint8Array): Uint8Array {
  if (bytes.length > maxPlainBytes) return zstdCompressSync(bytes, compression);
  const packed = Buffer.alloc(bytes.length + 5);
  packed[0] = plainMark;
  packed.writeUInt32LE(crc32(bytes), 1);
  packed.set(bytes, 5);
  return packed;
}

function unpack(packed: Uint8Array): Uint8Array {
  if (packed[0] !== plainMark) return zstdDecompressSync(packed);
  const bytes = packed.subarray(5);
  if (packed.length < 5 || Buffer.from(packed.buffer, packed.byteOffset).readUInt32LE(1) !== crc32(bytes)) {
    throw new RangeError('the checksum of a block is wrong');
  }
  return bytes;
}

/** A block whose columns are decoded when they are read. */
export class Block {
  readonly ts: Float64Array;
  /** Field number → kind and position of its bytes. */
  readonly #directory = new Map<number, { kind: number; start: number; length: number }>();
  readonly #reader: ByteReader;
  readonly #columns = new Map<number, Float64Array>();

  constructor(packed: Uint8Array) {
    this.#reader = new ByteReader(unpack(packed));
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

  /** An estimate of its memory with all columns decoded. */
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
  const ts = reader.differences(new Float64Array(count), undefined, 1);
  // Those were steps.
  for (let index = 1; index < count; index++) ts[index]! += ts[index - 1]!;
  return ts;
}

function writeColumn(out: ByteWriter, field: number, values: Float64Array): void {
  const decimals = decimalsOf(values);
  const column = columnWriter.begin();
  writePresence(column, values);
  if (decimals === undefined) column.floats(values);
  else column.differences(values, powersOfTen[decimals]!);
  out.varint(field);
  out.byte(decimals ?? floatKind);
  out.block(column.bytes());
}

function readColumn(reader: ByteReader, kind: number, rowCount: number): Float64Array {
  const values = new Float64Array(rowCount).fill(Number.NaN);
  const present = readPresence(reader, rowCount);
  if (kind === floatKind) return reader.floats(values, present);
  return reader.differences(values, present, powersOfTen[kind]!);
}

/** The fewest decimals with which every value is exact, or undefined if six are not enough. */
function decimalsOf(values: Float64Array): number | undefined {
  let decimals = 0;
  let scale = 1;
  let raisedAt = 0;
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (Number.isNaN(value)) continue;
    while (!isExact(value, scale)) {
      if (++decimals > maxDecimals) return undefined;
      scale = powersOfTen[decimals]!;
      raisedAt = row;
    }
  }
  // More decimals make larger integers: an earlier value may have become too large.
  for (let row = 0; row < raisedAt; row++) {
    const value = values[row]!;
    if (!Number.isNaN(value) && !isExact(value, scale)) return undefined;
  }
  return decimals;
}

function isExact(value: number, scale: number): boolean {
  const scaled = Math.round(value * scale);
  return scaled / scale === value && Math.abs(scaled) <= maxScaled && !Object.is(value, -0);
}

function writeTexts(out: ByteWriter, field: number, texts: (string | undefined)[]): void {
  const column = columnWriter.begin();
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

/** One byte: 1 if all rows have a value; else 0, and a bit for each row follows. */
function writePresence(out: ByteWriter, values: Float64Array): void {
  let missing = 0;
  for (let row = 0; row < values.length; row++) if (Number.isNaN(values[row]!)) missing++;
  out.byte(missing === 0 ? 1 : 0);
  if (missing === 0) return;
  const bits = new Uint8Array(Math.ceil(values.length / 8));
  for (let row = 0; row < values.length; row++) {
    if (!Number.isNaN(values[row]!)) bits[row >> 3]! |= 1 << (row & 7);
  }
  out.raw(bits);
}

function readPresence(reader: ByteReader, count: number): Uint8Array | undefined {
  return reader.byte() === 1 ? undefined : reader.take(Math.ceil(count / 8));
}
