// The slow, exact scan of a JSON text: finds what is wrong with it and where, with the messages of Python's json module.
// It builds no values; json-reader.ts calls it only when the native parser cannot tell.
import { type Problem, ValidationError } from '../errors.ts';

export type JsonPath = (string | number)[];

/** A text may break a rule a million times; its sender needs only the first places. */
export const MAX_PROBLEMS = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}(?=[\s\S]))/y;
const SCALAR = /(null|true|false)|NaN|-?Infinity|-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;

/** False for text that PostgreSQL (NUL) or UTF-8 (half a surrogate pair) cannot store. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/**
 * Scans the whole text, which must not be nested deeper than the stack allows. Throws ValidationError for a text that is
 * not JSON (`json_invalid` at the first such place). Otherwise returns the problems of its values (numbers that are not
 * finite, strings that cannot be stored), in the order of the text, and the paths of all integers that a double cannot
 * hold. Throws the problems it has found once they are MAX_PROBLEMS.
 */
export function scanJson(text: string): { problems: Problem[]; inexact: JsonPath[] } {
  return new JsonScanner(text).scan();
}

class JsonScanner {
  readonly #text: string;
  #at = 0;
  readonly #path: JsonPath = [];
  readonly #problems: Problem[] = [];
  readonly #inexact: JsonPath[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  scan(): { problems: Problem[]; inexact: JsonPath[] } {
    this.#skip(0);
    this.#value();
    this.#skip(0);
    if (this.#at < this.#text.length) throw this.#syntaxError('Extra data', this.#at);
    return { problems: this.#problems, inexact: this.#inexact };
  }

  #value(): void {
    const first = this.#text[this.#at];
    if (first === '{') this.#members('}');
    else if (first === '[') this.#members(']');
    else if (first === '"') this.#stringValue();
    else this.#scalar();
  }

  /** What is between the brackets of an object or a list. */
  #members(closer: '}' | ']'): void {
    this.#skip(1);
    if (this.#text[this.#at] === closer) {
      this.#at += 1;
      return;
    }
    const level = this.#path.length;
    let next: string | undefined;
    for (let index = 0; next !== closer; index += 1) {
      this.#path[level] = index;
      if (closer === '}') this.#key();
      this.#value();
      this.#skip(0);
      next = this.#text[this.#at];
      if (next !== closer && next !== ',') throw this.#syntaxError("Expecting ',' delimiter", this.#at);
      this.#skip(1);
    }
    this.#path.pop();
  }

  #key(): void {
    if (this.#text[this.#at] !== '"') {
      throw this.#syntaxError('Expecting property name enclosed in double quotes', this.#at);
    }
    const source = this.#string();
    const key: string = source.includes('\\') ? JSON.parse(source) : source.slice(1, -1);
    this.#path[this.#path.length - 1] = key;
    this.#checkText(key);
    this.#skip(0);
    if (this.#text[this.#at] !== ':') throw this.#syntaxError("Expecting ':' delimiter", this.#at);
    this.#skip(1);
  }

  #stringValue(): void {
    const source = this.#string();
    // Only an escape can put into a body, which is valid UTF-8, what cannot be stored.
    if (source.includes('\\u')) this.#checkText(JSON.parse(source));
  }

  #scalar(): void {
    SCALAR.lastIndex = this.#at;
    const match = SCALAR.exec(this.#text);
    if (!match) throw this.#syntaxError('Expecting value', this.#at);
    const [source, literal, fraction, exponent] = match;
    this.#at += source.length;
    if (literal !== undefined) return;
    const value = Number(source);
    const isInteger = fraction === undefined && exponent === undefined;
    if (!Number.isFinite(value)) this.#report('finite_number', 'Input should be a finite number');
    else if (isInteger && !Number.isSafeInteger(value)) this.#inexact.push([...this.#path]);
  }

  /** Passes the string that begins here and returns it as written, quotes included. */
  #string(): string {
    const begin = this.#at;
    let end = begin + 1;
    for (let code = this.#text.charCodeAt(end); code !== QUOTE; code = this.#text.charCodeAt(end)) {
      if (Number.isNaN(code)) throw this.#syntaxError('Unterminated string starting at', begin);
      if (code <= 0x1f) throw this.#syntaxError('Invalid control character at', end);
      end += code === BACKSLASH ? this.#escapeLength(begin, end) : 1;
    }
    this.#at = end + 1;
    return this.#text.slice(begin, this.#at);
  }

  #escapeLength(begin: number, backslash: number): number {
    ESCAPE.lastIndex = backslash;
    const match = ESCAPE.exec(this.#text);
    if (match) return match[0].length;
    const letter = this.#text[backslash + 1];
    if (letter === undefined) throw this.#syntaxError('Unterminated string starting at', begin);
    if (letter === 'u') throw this.#syntaxError('Invalid \\uXXXX escape', backslash + 1);
    throw this.#syntaxError('Invalid \\escape', backslash);
  }

  /** Passes so many characters, and the white space behind them. */
  #skip(count: number): void {
    this.#at += count;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at += 1;
    }
  }

  #checkText(text: string): void {
    if (isStorableText(text)) return;
    this.#report('string_unicode', 'Input should be a valid string, unable to parse raw data as a unicode string');
  }

  #report(type: string, msg: string): void {
    const path = this.#path.map((step) => (typeof step === 'string' ? step.toWellFormed() : step));
    this.#problems.push({ loc: ['body', ...path], msg, type });
    if (this.#problems.length === MAX_PROBLEMS) throw new ValidationError(this.#problems);
  }

  #syntaxError(error: string, index: number): ValidationError {
    return jsonInvalid(error, countCharacters(this.#text, index));
  }
}

export function jsonInvalid(error: string, offset: number): ValidationError {
  return new ValidationError([
    { loc: ['body', offset], msg: 'JSON decode error', type: 'json_invalid', ctx: { error } },
  ]);
}

/** Python counts code points where JavaScript counts UTF-16 units. */
function countCharacters(text: string, end: number): number {
  let count = end;
  for (let index = 0; index < end; index += 1) {
    if ((text.charCodeAt(index) & 0xfc00) === 0xdc00) count -= 1;
  }
  return count;
}
