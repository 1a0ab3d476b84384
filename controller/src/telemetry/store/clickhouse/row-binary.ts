// RowBinary, the format in which rows come from ClickHouse: numbers as they are in memory, texts after their length. It has
// every number and every byte, where JSON loses infinity and text formats need escaping.

const two32 = 2 ** 32;

/** A text of ours as ClickHouse stores it: bytes of UTF-8. Half characters, which UTF-8 has not, are written as JSON after a NUL. */
export function toStoredText(text: string): string {
  return text.isWellFormed() && !text.startsWith('\0') ? text : `\0${JSON.stringify(text)}`;
}

function fromStoredText(stored: string): string {
  return stored.startsWith('\0') ? (JSON.parse(stored.slice(1)) as string) : stored;
}

/** A length, as texts, maps and blocks begin with. */
export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

/** A stored text with its length. */
export function textBytes(text: string): Buffer {
  const bytes = Buffer.from(toStoredText(text));
  return Buffer.concat([varint(bytes.length), bytes]);
}

/** Reads values in the order of the columns; throws RangeError if the bytes end too early. */
export class RowReader {
  readonly #bytes: Buffer;
  #at = 0;
  /** The last texts in a row of texts: rows have the same names in the same order, most often. */
  readonly #recent: { bytes: Buffer; text: string }[] = [];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  int64(): number {
    this.#at += 8;
    return this.#bytes.readUInt32LE(this.#at - 8) + this.#bytes.readInt32LE(this.#at - 4) * two32;
  }

  float64(): number {
    this.#at += 8;
    return this.#bytes.readDoubleLE(this.#at - 8);
  }

  length(): number {
    let length = 0;
    for (let shift = 1; ; shift *= 0x80) {
      const byte = this.#bytes.readUInt8(this.#at++);
      length += (byte & 0x7f) * shift;
      if (byte < 0x80) return length;
    }
  }

  /** `place`: which of the texts of a row it is, so that the row before has it at the same place. */
  text(place = 0): string {
    const length = this.length();
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    if (bytes.length < length) throw new RangeError('the rows end in the middle of a text');
    this.#at += length;
    const recent = this.#recent[place];
    if (recent && bytes.equals(recent.bytes)) return recent.text;
    const text = fromStoredText(bytes.toString());
    this.#recent[place] = { bytes, text };
    return text;
  }
}
