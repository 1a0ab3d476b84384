// RowBinary, the format in which rows go to ClickHouse and come back: numbers as they are in memory, texts after their length.
// It takes every number and every byte, where JSON loses infinity and text formats need escaping.

const firstCapacity = 1024;
const two32 = 2 ** 32;

/** A text of ours as ClickHouse stores it: bytes of UTF-8. Half characters, which UTF-8 has not, are written as JSON after a NUL. */
export function toStoredText(text: string): string {
  return text.isWellFormed() && !text.startsWith('\0') ? text : `\0${JSON.stringify(text)}`;
}

export function fromStoredText(stored: string): string {
  return stored.startsWith('\0') ? (JSON.parse(stored.slice(1)) as string) : stored;
}

/** A stored text with its length, ready to be written into many rows. */
export function textBytes(text: string): Buffer {
  const bytes = Buffer.from(toStoredText(text));
  const length: number[] = [];
  let rest = bytes.length;
  for (; rest > 0x7f; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
  length.push(rest);
  return Buffer.concat([Buffer.from(length), bytes]);
}

export class RowWriter {
  #buffer = Buffer.allocUnsafe(firstCapacity);
  #length = 0;

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  /** A whole number up to 2^53. */
  int64(value: number): void {
    this.#reserve(8);
    const high = Math.floor(value / two32);
    this.#length = this.#buffer.writeUInt32LE(value - high * two32, this.#length);
    this.#length = this.#buffer.writeInt32LE(high, this.#length);
  }

  uint64(value: bigint): void {
    this.#reserve(8);
    this.#length = this.#buffer.writeBigUInt64LE(value, this.#length);
  }

  float64(value: number): void {
    this.#reserve(8);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
  }

  text(text: string): void {
    this.raw(textBytes(text));
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + more));
    larger.set(this.bytes);
    this.#buffer = larger;
  }
}

/** Reads values in the order of the columns; throws RangeError if the bytes end too early. */
export class RowReader {
  readonly #bytes: Buffer;
  #at = 0;
  #lastText: { bytes: Buffer; text: string } = { bytes: Buffer.alloc(0), text: '' };

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#at++);
  }

  int64(): number {
    this.#at += 8;
    return this.#bytes.readUInt32LE(this.#at - 8) + this.#bytes.readInt32LE(this.#at - 4) * two32;
  }

  uint64(): bigint {
    this.#at += 8;
    return this.#bytes.readBigUInt64LE(this.#at - 8);
  }

  float64(): number {
    this.#at += 8;
    return this.#bytes.readDoubleLE(this.#at - 8);
  }

  text(): string {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      length += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    if (bytes.length < length) throw new RangeError('the rows end in the middle of a text');
    this.#at += length;
    // Rows come ordered by name, so that most names are the one before.
    if (!bytes.equals(this.#lastText.bytes)) this.#lastText = { bytes, text: fromStoredText(bytes.toString()) };
    return this.#lastText.text;
  }
}
