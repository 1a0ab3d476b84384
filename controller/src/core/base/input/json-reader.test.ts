import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { type Problem, UnusableRequestError, ValidationError } from '../errors.ts';
import { JSON_LIMITS, readJson } from './json-reader.ts';

const read = (text: string) => readJson(Buffer.from(text));

function problemsOf(text: string): Problem[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof ValidationError) return error.problems;
    throw error;
  }
  return [];
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const NOT_TEXT = 'Input should be a valid string, unable to parse raw data as a unicode string';

describe('a text that is not JSON', () => {
  it.each([
    ['', 'Expecting value', 0],
    ['[', 'Expecting value', 1],
    ['[1,]', 'Expecting value', 3],
    ['nul', 'Expecting value', 0],
    ['-', 'Expecting value', 0],
    ['-NaN', 'Expecting value', 0],
    [' {"é😀":x}', 'Expecting value', 7],
    ['{', 'Expecting property name enclosed in double quotes', 1],
    ['{a:1}', 'Expecting property name enclosed in double quotes', 1],
    ['{"a":1,}', 'Expecting property name enclosed in double quotes', 7],
    ['{"a" 1}', "Expecting ':' delimiter", 5],
    ['{"a":1', "Expecting ',' delimiter", 6],
    ['[1 2]', "Expecting ',' delimiter", 3],
    ['1 2', 'Extra data', 2],
    ['01', 'Extra data', 1],
    ['1.', 'Extra data', 1],
    ['{} }', 'Extra data', 3],
    ['["abc', 'Unterminated string starting at', 1],
    ['"a\\', 'Unterminated string starting at', 0],
    ['"\u0001"', 'Invalid control character at', 1],
    ['"a\\q"', 'Invalid \\escape', 2],
    ['"a\\u12zz"', 'Invalid \\uXXXX escape', 3],
    ['"\\u1234', 'Invalid \\uXXXX escape', 2],
    ['[NaN, oops]', 'Expecting value', 6],
    ['{"a":1]', "Expecting ',' delimiter", 6],
    ['[1}', "Expecting ',' delimiter", 2],
    ['[[],{},', 'Expecting value', 7],
    ['{"a":{"b":[]} "c":1}', "Expecting ',' delimiter", 14],
    ['nullx', 'Extra data', 4],
    ['{"\\u12":1}', 'Invalid \\uXXXX escape', 3],
  ])('%j: %s at character %i', (text, error, offset) => {
    expect(problemsOf(text)).toEqual([
      { loc: ['body', offset], msg: 'JSON decode error', type: 'json_invalid', ctx: { error } },
    ]);
  });
});

describe('bytes that are not UTF-8 text', () => {
  it.each([
    ['invalid bytes', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    ['an overlong form', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
    ['UTF-16 with a mark', Buffer.from('\ufeff{"a":1}', 'utf16le')],
    ['UTF-8 with a mark', Buffer.from('\ufeff{"a":1}')],
  ])('%s is 400', (_name, bytes) => {
    expect(() => readJson(bytes)).toThrow(
      new UnusableRequestError(400, 'unreadable_body', 'There was an error parsing the body'),
    );
  });
});

describe('values that cannot be kept', () => {
  it.each(['NaN', 'Infinity', '-Infinity', '1e999', '-1e999', '9'.repeat(400)])('%s is not finite', (number) => {
    expect(problemsOf(`{"a":[0,{"b":${number}}]}`)).toEqual([
      { loc: ['body', 'a', 1, 'b'], msg: 'Input should be a finite number', type: 'finite_number' },
    ]);
  });

  it('reports every place, in the order of the text', () => {
    expect(problemsOf('{"a":NaN,"b":"\\u0000","c":1e999}').map(({ loc, type }) => [loc.at(-1), type])).toEqual([
      ['a', 'finite_number'],
      ['b', 'string_unicode'],
      ['c', 'finite_number'],
    ]);
  });

  it('knows where it stands after containers have closed', () => {
    const { loc } = problemsOf('{"a":[1,[2],{"x":{}}],"b":[[],NaN]}')[0] ?? {};
    expect(loc).toEqual(['body', 'b', 1]);
  });

  it('stops at a hundred problems', () => {
    expect(problemsOf(`[${'NaN,'.repeat(5000)}1]`)).toHaveLength(100);
  });

  it.each(['\\u0000', 'x\\u0000y', '\\ud800', '\\uDFFF', '\\ud83d\\ud83d', '\\ude00\\ud83d'])(
    'a string with %s',
    (escaped) => {
      expect(problemsOf(`{"a":["ok","${escaped}"]}`)).toEqual([
        { loc: ['body', 'a', 1], msg: NOT_TEXT, type: 'string_unicode' },
      ]);
    },
  );

  it('a key with half a surrogate pair, shown without it', () => {
    expect(problemsOf('{"a\\ud800":1}')).toEqual([{ loc: ['body', 'a\ufffd'], msg: NOT_TEXT, type: 'string_unicode' }]);
  });

  it('takes a whole pair, an escaped backslash before u0000, and minus zero', () => {
    expect(read('["\\ud83d\\ude00","\\\\u0000"]').value).toEqual(['😀', '\\u0000']);
    expect(Object.is(read('-0').value, -0)).toBe(true);
  });
});

describe('limits', () => {
  const error = (text: string) => problemsOf(text)[0];

  it('refuses a body one level too deep, and one of a million levels', () => {
    expect(problemsOf(nested(JSON_LIMITS.depth))).toEqual([]);
    const expected = { loc: ['body'], type: 'value_error', msg: expect.stringMatching(/^Value error, .*32 levels/) };
    expect(error(nested(JSON_LIMITS.depth + 1))).toMatchObject(expected);
    expect(error('['.repeat(1_000_000))).toMatchObject(expected);
    expect(error('{"a":'.repeat(33))).toMatchObject(expected);
  });

  it('does not take brackets inside strings for nesting', () => {
    expect(problemsOf(JSON.stringify(`\\"${'['.repeat(100)}`))).toEqual([]);
  });

  it('refuses one key too many, wherever they are', () => {
    const body = (count: number) => `[${'{"a":1},'.repeat(count)}0]`;
    expect(problemsOf(body(JSON_LIMITS.keys))).toEqual([]);
    expect(error(body(JSON_LIMITS.keys + 1))).toMatchObject({ loc: ['body'], type: 'value_error' });
    for (const container of ['{}', '[]']) {
      // The list around them is one as well.
      const many = (count: number) => `[${Array.from({ length: count - 1 }, () => container).join()}]`;
      expect(problemsOf(many(2 * JSON_LIMITS.keys))).toEqual([]);
      expect(error(many(2 * JSON_LIMITS.keys + 1))).toMatchObject({ loc: ['body'], type: 'value_error' });
    }
  });

  it('refuses a key too long, and takes a long value', () => {
    const long = 'k'.repeat(JSON_LIMITS.keyBytes);
    expect(problemsOf(`{"${long}":"${long.repeat(9)}"}`)).toEqual([]);
    expect(error(`{"${long}k":1}`)).toMatchObject({ loc: ['body'], type: 'value_error' });
  });
});

describe('integers beyond what a double holds', () => {
  it.each([
    ['{"a":[12345678901234567890]}', [['a', 0]]],
    ['-9007199254740992', [[]]],
    ['{"a":9007199254740993,"b":9007199254740991}', [['a']]],
    ['[9007199254740991,-9007199254740991]', []],
    ['{"b":9007199254740993,"1":9007199254740993,"b":1}', [['b'], ['1']]],
    ['["12345678901234567890",0.12345678901234567890,1e20,12345678901234567890.0]', []],
  ])('%s', (text, paths) => {
    expect(read(text).inexact).toEqual(paths);
  });
});

describe('keys', () => {
  it('lets the last of equal keys win', () => {
    expect(read('{"a":1,"a":2}').value).toEqual({ a: 2 });
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])('%s is data', (key) => {
    const { value } = read(`{"${key}":{"polluted":true},"n":12345678901234567890}`);
    expect(Object.keys(value as object)).toEqual([key, 'n']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('properties', () => {
  it('reads all JSON within the limits as JSON.parse does, however its characters are escaped', () => {
    const escapeAll = (text: string) =>
      text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: 'grapheme' }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes('\\u0000'));
        expect(read(text).value).toEqual(JSON.parse(text));
        expect(read(escapeAll(text)).value).toEqual(JSON.parse(text));
      }),
    );
  });

  it('throws nothing but the two foreseen errors, and refuses what JSON.parse refuses', () => {
    const piece = fc.constantFrom(...'{}[],:"\\u0d8e-.+1 \n\u0001é', 'NaN', 'Infinity', 'null', 'true', '"a"', '"b":');
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(
        fc.oneof(
          text.map((t) => Buffer.from(t)),
          fc.uint8Array({ maxLength: 40 }),
        ),
        (bytes) => {
          let wasRead = true;
          try {
            readJson(bytes);
          } catch (error) {
            wasRead = false;
            expect(error instanceof ValidationError || error instanceof UnusableRequestError).toBe(true);
          }
          if (wasRead) expect(() => JSON.parse(Buffer.from(bytes).toString())).not.toThrow();
        },
      ),
      { numRuns: rounds(2000) },
    );
  });
});
