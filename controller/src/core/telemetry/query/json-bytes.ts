// Writes JSON into a buffer that is used again and again: for series, where ropes of small strings cost more than their
// content.

const zero = 0x30;
const minus = 0x2d;
const point = 0x2e;
/** Most measurements have at most three decimals; those are written without the general algorithm. */
const decimals = 1000;
const maxScaled = 2 ** 31;

const nothing = Buffer.alloc(0);

export class JsonBytes {
  readonly #size: number;
  #bytes: Buffer = nothing;
  #view: DataView = viewOf(nothing);
  #length = 0;

  constructor(size: number) {
    this.#size = size;
    this.#use(Buffer.allocUnsafe(size));
  }

  get length(): number {
    return this.#length;
  }

  /** What was written since the last time, as text. */
  take(): string {
    const text = this.#bytes.toString('utf8', 0, this.#length);
    this.#length = 0;
    return text;
  }

  /** The same as bytes, which are the caller's: what comes next is written elsewhere. */
  takeBytes(): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#use(nothing);
    this.#length = 0;
    return bytes;
  }

  text(text: string): void {
    this.#reserve(text.length * 3);
    this.#length += this.#bytes.write(text, this.#length, 'utf8');
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /**
   * Some bytes of `source`, which are few and ASCII: eight at a time, as numbers that they cannot be NaN as, is quicker than a
   * view of them. Seven more behind them are read.
   */
  ascii(source: DataView, begin: number, end: number): void {
    this.#reserve(end - begin + 7);
    const view = this.#view;
    const at = this.#length - begin;
    for (let index = begin; index < end; index += 8) view.setFloat64(at + index, source.getFloat64(index, true), true);
    this.#length = at + end;
  }

  /** As JSON.stringify writes it; must be finite. */
  number(value: number): void {
    this.#reserve(32);
    const scaled = Math.round(value * decimals);
    // Then the decimal with these digits is the shortest that means this very number.
    if (scaled / decimals === value && scaled < maxScaled && scaled > -maxScaled) this.#decimal(scaled);
    else this.#text(String(value));
  }

  #decimal(scaled: number): void {
    const bytes = this.#bytes;
    let at = this.#length;
    if (scaled < 0) bytes[at++] = minus;
    const digits = scaled < 0 ? -scaled : scaled;
    let whole = (digits / decimals) | 0;
    const rest = digits - whole * decimals;
    let end = at + 1;
    for (let limit = 10; limit <= whole; limit *= 10) end++;
    for (let index = end - 1; index >= at; index--) {
      const next = (whole / 10) | 0;
      bytes[index] = zero + whole - next * 10;
      whole = next;
    }
    at = end;
    if (rest > 0) {
      bytes[at++] = point;
      bytes[at++] = zero + ((rest / 100) | 0);
      if (rest % 100 > 0) bytes[at++] = zero + (((rest % 100) / 10) | 0);
      if (rest % 10 > 0) bytes[at++] = zero + (rest % 10);
    }
    this.#length = at;
  }

  #text(text: string): void {
    const bytes = this.#bytes;
    let at = this.#length;
    for (let index = 0; index < text.length; index++) bytes[at++] = text.charCodeAt(index);
    this.#length = at;
  }

  #reserve(size: number): void {
    if (this.#length + size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + size, this.#size));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#use(larger);
  }

  #use(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
