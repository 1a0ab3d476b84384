// The letters of InfluxDB's line protocol: where its parts end, what its escapes mean, what a value is. Every function
// looks at each character once; line-protocol.ts makes samples of the parts.
import { toNumber } from './sample-fields.ts';
import { maxExactDigits, powersOfTen } from './shape-numbers.ts';

/** Ends a line; the message is for its sender, and empty where the reason has been reported already. */
export class LineError extends Error {}

/** A measurement with its tags. */
export class Series {
  readonly measurement: string;
  /** In the order of their keys. */
  readonly #tags: readonly Tag[];
  #identity: string | undefined;

  constructor(measurement: string, tags: readonly Tag[]) {
    this.measurement = measurement;
    this.#tags = tags;
  }

  /** What precedes the names of its fields. */
  get prefix(): string {
    let prefix = `${this.measurement}_`;
    for (const { key, value } of this.#tags) if (key !== 'host') prefix += `${value}_`;
    return prefix;
  }

  get tagKeys(): string[] {
    return this.#tags.map(({ key }) => key);
  }

  /** The same for every way to write the same series. */
  get identity(): string {
    this.#identity ??= JSON.stringify([this.measurement, this.#tags.map(({ key, value }) => [key, value])]);
    return this.#identity;
  }
}

interface Tag {
  key: string;
  value: string;
}

const newline = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const equals = 0x3d;
const backslash = 0x5c;

const trueWords = new Set(['t', 'T', 'true', 'True', 'TRUE']);
const falseWords = new Set(['f', 'F', 'false', 'False', 'FALSE']);
const maxInteger = 2n ** 63n - 1n;
const minInteger = -(2n ** 63n);
const maxUnsigned = 2n ** 64n - 1n;
const maxSeriesLength = 4096;
/** Any number of this many digits is in range. */
const safeDigits = 18;

export function skipSpaces(text: string, begin: number): number {
  let at = begin;
  for (let code = text.charCodeAt(at); code === space || code === 0x09; code = text.charCodeAt(at)) at += 1;
  return at;
}

/** At the end of the text, or of its line. */
export function isLineEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(text.charCodeAt(at) === carriageReturn ? at + 1 : at);
  return Number.isNaN(code) || code === newline;
}

/** The first space that no backslash precedes, or the end of the line. */
export function seriesEnd(text: string, begin: number): number {
  let at = begin;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === space || code === newline) break;
    if (code === backslash && isEscapable(text.charCodeAt(at + 1))) at += 1;
  }
  return at;
}

/** The `=` behind a field's key. Throws LineError where the field ends without one. */
export function keyEnd(text: string, begin: number): number {
  for (let at = begin; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === equals && at > begin) return at;
    if (code === equals || code === comma || code === space || code === newline) break;
    if (code === backslash && isEscapable(text.charCodeAt(at + 1))) at += 1;
  }
  throw new LineError('a line is a measurement, a space, and fields of the form name=value');
}

/** The end of a value or a time without quotes. */
export function wordEnd(text: string, begin: number): number {
  let at = begin;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === comma || code === space || code === newline || code === carriageReturn) break;
  }
  return at;
}

/** Behind the quote that closes the one at `begin`. Throws LineError if none does. */
export function quotedEnd(text: string, begin: number): number {
  for (let at = begin + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === backslash) at += 1;
  }
  throw new LineError('a quoted text is not closed');
}

/** Between the quotes `\"` and `\\` are escapes, every other backslash is one. */
export function unquote(text: string, begin: number, end: number): string {
  const inside = text.slice(begin + 1, end - 1);
  return inside.includes('\\') ? inside.replace(/\\(["\\])/g, '$1') : inside;
}

/** Outside of quotes `\,`, `\=` and `\ ` are escapes, every other backslash is one. */
export function unescapeName(source: string): string {
  return source.includes('\\') ? source.replace(/\\([,= ])/g, '$1') : source;
}

/** A float, an integer (`1i`), an unsigned one (`1u`) or a boolean, as a number. Throws LineError. */
export function parseFieldValue(word: string): number {
  const last = word.charCodeAt(word.length - 1);
  // i and u
  if (last === 0x69 || last === 0x75) return parseInteger(word.slice(0, -1), last === 0x75);
  const number = toNumber(word);
  if (number !== undefined && Number.isFinite(number)) return number;
  if (trueWords.has(word)) return 1;
  if (falseWords.has(word)) return 0;
  throw new LineError('a value is a finite number, an integer (1i, 1u), a boolean or a quoted text');
}

/** The value of a word that is digits with an optional minus and fraction, few enough to be exact; else NaN. */
export function shortDecimal(text: string, begin: number, end: number): number {
  const isNegative = text.charCodeAt(begin) === 0x2d;
  const first = isNegative ? begin + 1 : begin;
  let whole = 0;
  let point = -1;
  for (let at = first; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) whole = whole * 10 + code - 0x30;
    else if (code === 0x2e && point < 0) point = at;
    else return Number.NaN;
  }
  const digits = end - first - (point < 0 ? 0 : 1);
  if (digits === 0 || digits > maxExactDigits) return Number.NaN;
  const size = point < 0 ? whole : whole / powersOfTen[end - point - 1]!;
  return isNegative ? -size : size;
}

function parseInteger(digits: string, isUnsigned: boolean): number {
  if (!isWholeNumber(digits)) throw new LineError('an integer has digits only');
  if (digits.length > safeDigits || isUnsigned) {
    // Long enough to be out of range whatever the digits, and too long to be worth turning into a BigInt.
    const value = digits.length > 40 ? maxUnsigned + 1n : BigInt(digits.replace('+', ''));
    if (isUnsigned ? value < 0n || value > maxUnsigned : value < minInteger || value > maxInteger) {
      throw new LineError('an integer is out of range');
    }
  }
  return Number(digits);
}

/** Digits, with or without a sign. */
export function isWholeNumber(text: string): boolean {
  const first = text.charCodeAt(0) === 0x2b || text.charCodeAt(0) === 0x2d ? 1 : 0;
  for (let at = first; at < text.length; at += 1) if (!isDigit(text.charCodeAt(at))) return false;
  return text.length > first;
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Throws LineError for a measurement or tag that is not complete. */
export function parseSeries(source: string): Series {
  if (source.length > maxSeriesLength) throw new LineError('a measurement with its tags is too long');
  let end = partEnd(source, 0, false);
  const measurement = unescapeName(source.slice(0, end));
  if (measurement === '') throw new LineError('a line begins with its measurement');
  const tags: Tag[] = [];
  let isSorted = true;
  while (end < source.length) {
    const begin = end + 1;
    const middle = partEnd(source, begin, true);
    end = partEnd(source, middle + 1, true);
    const isPair = source.charCodeAt(middle) === equals && source.charCodeAt(end) !== equals;
    if (!isPair || middle === begin || end === middle + 1) throw new LineError('a tag is of the form key=value');
    const key = unescapeName(source.slice(begin, middle));
    isSorted &&= tags.length === 0 || tags[tags.length - 1]!.key <= key;
    tags.push({ key, value: unescapeName(source.slice(middle + 1, end)) });
  }
  // Most clients sort them already.
  if (!isSorted) tags.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return new Series(measurement, tags);
}

/** The next comma (or equals sign) that no backslash precedes, or the end. */
function partEnd(source: string, begin: number, isOfTag: boolean): number {
  let at = begin;
  for (; at < source.length; at += 1) {
    const code = source.charCodeAt(at);
    if (code === comma || (isOfTag && code === equals)) break;
    if (code === backslash && isEscapable(source.charCodeAt(at + 1))) at += 1;
  }
  return Math.min(at, source.length);
}

function isEscapable(code: number): boolean {
  return code === comma || code === equals || code === space;
}
