// RowBinary, the format in which rows come from ClickHouse: numbers as they are in memory, texts after their length. It has
// every number and every byte, where JSON loses infinity and text formats need escaping.

const two32 = 2 ** 32;

/** Most metrics have few decimals: whole numbers with a scale take half of the space of doubles. */
const maxScale = 6;
export const powers = Array.from({ length: maxScale + 1 }, (_, scale) => 10 ** scale);
/** As a scale: the digits are those of a double, in memory. */
export const notDecimal = 255;

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
  readonly #recent: { start: number; length: number; text: string }[] = [];

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

  /** Its digits and its scale, as `native-block` writes them. */
  decimal(): number {
    const scale = this.#bytes.readUInt8(this.#at + 8);
    const value = scale === notDecimal ? this.float64() : this.int64() / powers[scale]!;
    this.#at++;
    return value;
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
    const [start, end] = [this.#at, this.#at + length];
    if (end > this.#bytes.length) throw new RangeError('the rows end in the middle of a text');
    this.#at = end;
    const recent = this.#recent[place];
    if (recent?.length === length && this.#isSame(recent.start, start, length)) return recent.text;
    const text = fromStoredText(this.#bytes.toString('utf8', start, end));
    this.#recent[place] = { start, length, text };
    return text;
  }

  #isSame(before: number, now: number, length: number): boolean {
    for (let at = 0; at < length; at++) if (this.#bytes[before + at] !== this.#bytes[now + at]) return false;
    return true;
  }
}
