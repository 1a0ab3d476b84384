// Reads the numbers of a body by its shape: compares the bytes that are always the same, and takes what stands between
// them. The innermost loop of ingest.

/** With no more digits than this, a decimal is one whole number divided by a power of ten, rounded once: exact. */
export const maxExactDigits = 15;
export const powersOfTen = Array.from({ length: maxExactDigits + 1 }, (_, exponent) => 10 ** exponent);
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;

export function isNumberStart(byte: number): boolean {
  return byte === minus || (byte >= zero && byte <= nine);
}

/**
 * Reads the numbers of the places from `first` up to but not including `end`. The bytes at `at` are compared with `fixed`
 * from `from` on. Returns where the last number ends, or -1 for bytes that differ and for a number that is not one of JSON,
 * has an exponent, or more digits than are exact.
 */
export function readNumbers(
  bytes: Uint8Array,
  at: number,
  fixed: Uint8Array,
  from: number,
  places: readonly number[],
  first: number,
  end: number,
  numbers: Float64Array,
): number {
  let next = at;
  let known = from;
  for (let place = first; place < end; place++) {
    const to = places[place]!;
    while (known < to) if (bytes[next++] !== fixed[known++]) return -1;
    const isNegative = bytes[next] === minus;
    if (isNegative) next++;
    const begin = next;
    let digits = 0;
    let code = bytes[next]!;
    while (code >= zero && code <= nine) {
      digits = digits * 10 + (code - zero);
      code = bytes[++next]!;
    }
    let length = next - begin;
    if (length === 0 || (length > 1 && bytes[begin] === zero)) return -1;
    let decimals = 0;
    if (code === point) {
      code = bytes[++next]!;
      while (code >= zero && code <= nine) {
        digits = digits * 10 + (code - zero);
        decimals++;
        code = bytes[++next]!;
      }
      if (decimals === 0) return -1;
      length += decimals;
    }
    if (length > maxExactDigits) return -1;
    const size = decimals === 0 ? digits : digits / powersOfTen[decimals]!;
    numbers[place] = isNegative ? -size : size;
  }
  return next;
}

/** Where `fixed` from `from` on ends if it stands at `at`, else -1. */
export function matchEnd(bytes: Uint8Array, at: number, fixed: Uint8Array, from: number): number {
  let next = at;
  for (let known = from; known < fixed.length; known++) if (bytes[next++] !== fixed[known]) return -1;
  return next;
}
