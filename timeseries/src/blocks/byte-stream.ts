// Sequential writing and reading of the bytes of blocks: integers of variable length, and floats split by byte position.

export class ByteWriter {
  #buffer = new Uint8Array(1024);
  #size = 0;

  begin(): this {
    this.#size = 0;
    return this;
  }

  /** What was written since `begin`; valid until the next `begin`. */
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

  /** The differences between values that are whole numbers once they are multiplied, the first one to 0; without those that are NaN. */
  differences(values: Float64Array, scale: number): void {
    this.#reserve(values.length * 10);
    const buffer = this.#buffer;
    let at = this.#size;
    let before = 0;
    for (let index = 0; index < values.length; index++) {
      const value = values[index]!;
      if (Number.isNaN(value)) continue;
      const scaled = Math.round(value * scale);
      const step = scaled - before;
      before = scaled;
      let rest = step < 0 ? -step * 2 - 1 : step * 2;
      while (rest >= 0x80) {
        buffer[at++] = (rest % 0x80) | 0x80;
        rest = Math.floor(rest / 0x80);
      }
      buffer[at++] = rest;
    }
    this.#size = at;
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

  /** The bytes of present values by position (all first bytes, all second bytes, …), which compresses far better. */
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

export class ByteReader {
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

  /**
   * Fills the rows whose bit is set in `present`, or all of them, with what `differences` of the writer was given. In one loop:
   * this is what reading a block consists of.
   */
  differences(values: Float64Array, present: Uint8Array | undefined, scale: number): Float64Array {
    const bytes = this.#bytes;
    let at = this.position;
    let scaled = 0;
    for (let index = 0; index < values.length; index++) {
      if (present && !isSet(present, index)) continue;
      let byte = bytes[at++]!;
      let bits = byte & 0x7f;
      let shift = 7;
      for (; byte >= 0x80 && shift < 28; shift += 7) {
        byte = bytes[at++]!;
        bits |= (byte & 0x7f) << shift;
      }
      // Whole numbers of 28 bits or less: with others in the same variable every step would be as slow as the longest ones.
      if (byte < 0x80) scaled += (bits >>> 1) ^ -(bits & 1);
      else {
        this.position = at - shift / 7;
        scaled += this.signed();
        at = this.position;
      }
      values[index] = scaled / scale;
    }
    if (at > bytes.length) throw new RangeError('a block ends too early');
    this.position = at;
    return values;
  }

  take(length: number): Uint8Array {
    const bytes = this.#bytes.subarray(this.position, this.position + length);
    if (bytes.length < length) throw new RangeError('a block ends too early');
    this.position += length;
    return bytes;
  }

  /** Fills the rows whose bit is set in `present`; without it, all rows. */
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

/** Whether the bit of that index is 1; the lowest bit of a byte comes first. */
export function isSet(bits: Uint8Array, index: number): boolean {
  return (bits[index >> 3]! & (1 << (index & 7))) !== 0;
}
