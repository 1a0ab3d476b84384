// The slow, exact reading of a JSON text: finds what is wrong with it and where, in the words of Python's json module.
// It builds no values; json-reader.ts calls it only when the native parser cannot answer.
import { type Problem, ValidationError } from '../errors.ts';

export type JsonPath = (string | number)[];

/** A text may break a rule a million times; its sender needs only the first few places. */
export const MAX_PROBLEMS = 100;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SIMPLE_ESCAPES = '"\\/bfnrt';
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const FOUR_HEX_DIGITS = /[0-9a-fA-F]{4}/y;
const PLAIN_LITERALS = ['null', 'true', 'false'];
const NON_FINITE_LITERALS = ['NaN', 'Infinity', '-Infinity'];

/** Neither PostgreSQL nor UTF-8 can carry these. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/**
 * Scans the whole text. Throws ValidationError for a text that is not JSON (`json_invalid` at the first such place).
 * Otherwise returns the problems of its values (numbers that are not finite, strings that cannot be stored), in the
 * order of the text, and the paths of all integers that a double cannot hold. Gives up, throwing what it has, at
 * MAX_PROBLEMS.
 */
export function scanJson(text: string): { problems: Problem[]; inexact: JsonPath[] } {
  return new JsonScanner(text).scan();
}

class JsonScanner {
  private readonly text: string;
  private at = 0;
  /** One closing character per open container, and beside it where in that container the scan stands. */
  private readonly closers: number[] = [];
  private readonly path: JsonPath = [];
  private readonly problems: Problem[] = [];
  private readonly inexact: JsonPath[] = [];

  constructor(text: string) {
    this.text = text;
  }

  scan(): { problems: Problem[]; inexact: JsonPath[] } {
    this.skipSpace();
    do {
      if (!this.openContainer()) this.scalar();
    } while (this.moveToNextValue());
    if (this.at < this.text.length) throw this.syntaxError('Extra data', this.at);
    return { problems: this.problems, inexact: this.inexact };
  }

  /** Enters containers until one begins with a scalar (false) or is empty (true: it is a complete value). */
  private openContainer(): boolean {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== OPEN_BRACE && code !== OPEN_BRACKET) return false;
      const closer = code === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET;
      this.at += 1;
      this.skipSpace();
      if (this.text.charCodeAt(this.at) === closer) {
        this.at += 1;
        return true;
      }
      this.closers.push(closer);
      this.path.push(0);
      if (closer === CLOSE_BRACE) this.key();
    }
  }

  /** After a value: closes what ends here. True when another value follows, false at the end of the outermost. */
  private moveToNextValue(): boolean {
    for (;;) {
      this.skipSpace();
      const closer = this.closers.at(-1);
      if (closer === undefined) return false;
      const code = this.text.charCodeAt(this.at);
      if (code === closer) {
        this.at += 1;
        this.closers.pop();
        this.path.pop();
        continue;
      }
      if (code !== COMMA) throw this.syntaxError("Expecting ',' delimiter", this.at);
      this.at += 1;
      this.skipSpace();
      if (closer === CLOSE_BRACE) this.key();
      else this.path[this.path.length - 1] = (this.path.at(-1) as number) + 1;
      return true;
    }
  }

  private key(): void {
    if (this.text.charCodeAt(this.at) !== QUOTE) {
      throw this.syntaxError('Expecting property name enclosed in double quotes', this.at);
    }
    const source = this.string();
    const key: string = source.includes('\\') ? JSON.parse(source) : source.slice(1, -1);
    this.path[this.path.length - 1] = key;
    if (!isStorableText(key)) this.reportUnstorable();
    this.skipSpace();
    if (this.text.charCodeAt(this.at) !== COLON) throw this.syntaxError("Expecting ':' delimiter", this.at);
    this.at += 1;
    this.skipSpace();
  }

  private scalar(): void {
    if (this.text.charCodeAt(this.at) === QUOTE) {
      const source = this.string();
      if (source.includes('\\u') && !isStorableText(JSON.parse(source))) this.reportUnstorable();
      return;
    }
    const startsHere = (literal: string) => this.text.startsWith(literal, this.at);
    const literal = PLAIN_LITERALS.find(startsHere);
    if (literal !== undefined) {
      this.at += literal.length;
      return;
    }
    const nonFinite = NON_FINITE_LITERALS.find(startsHere);
    if (nonFinite !== undefined) {
      this.at += nonFinite.length;
      this.reportNonFinite();
      return;
    }
    this.number();
  }

  private number(): void {
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.text);
    if (!match) throw this.syntaxError('Expecting value', this.at);
    this.at += match[0].length;
    const value = Number(match[0]);
    const isInteger = match[1] === undefined && match[2] === undefined;
    if (!Number.isFinite(value)) this.reportNonFinite();
    else if (isInteger && !Number.isSafeInteger(value)) this.inexact.push([...this.path]);
  }

  /** Passes the string that begins here and returns it as written, quotes included. */
  private string(): string {
    const begin = this.at;
    let next = begin + 1;
    for (;;) {
      const code = this.text.charCodeAt(next);
      if (code === QUOTE) break;
      if (Number.isNaN(code)) throw this.syntaxError('Unterminated string starting at', begin);
      if (code <= 0x1f) throw this.syntaxError('Invalid control character at', next);
      next = code === BACKSLASH ? this.escapeEnd(begin, next) : next + 1;
    }
    this.at = next + 1;
    return this.text.slice(begin, this.at);
  }

  private escapeEnd(begin: number, backslash: number): number {
    const letter = this.text[backslash + 1];
    if (letter === undefined) throw this.syntaxError('Unterminated string starting at', begin);
    if (letter !== 'u') {
      if (!SIMPLE_ESCAPES.includes(letter)) throw this.syntaxError('Invalid \\escape', backslash);
      return backslash + 2;
    }
    FOUR_HEX_DIGITS.lastIndex = backslash + 2;
    const end = backslash + 6;
    // Python wants to see the character after the digits before it believes them.
    if (end >= this.text.length || !FOUR_HEX_DIGITS.test(this.text)) {
      throw this.syntaxError('Invalid \\uXXXX escape', backslash + 1);
    }
    return end;
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at += 1;
    }
  }

  private reportNonFinite(): void {
    this.report('finite_number', 'Input should be a finite number');
  }

  private reportUnstorable(): void {
    this.report('string_unicode', 'Input should be a valid string, unable to parse raw data as a unicode string');
  }

  private report(type: string, msg: string): void {
    const path = this.path.map((step) => (typeof step === 'string' ? step.toWellFormed() : step));
    this.problems.push({ loc: ['body', ...path], msg, type });
    if (this.problems.length === MAX_PROBLEMS) throw new ValidationError(this.problems);
  }

  private syntaxError(error: string, index: number): ValidationError {
    return jsonInvalid(error, countCharacters(this.text, index));
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
