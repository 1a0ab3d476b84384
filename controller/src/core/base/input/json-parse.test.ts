import fc from 'fast-check';
import { expect, test } from 'vitest';
import './json-parse.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { parseJson } from './json-parse.ts';

const key = fc.string({
  unit: fc.constantFrom('a', '\\', '"', '\n', 'é', ':', ' ', '{', '😀', '\u0001'),
  maxLength: 3,
});
const anyKey = fc.oneof(key, fc.constantFrom('__proto__', '1', 'constructor'));
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.oneof(key, fc.integer(), fc.constantFrom(null, true, '', '"k":1', '\\"')),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.array(fc.tuple(anyKey, tie('tree')), { maxLength: 4 }).map(Object.fromEntries),
  ),
}));

test('what is written is read, whatever was read before', () => {
  fc.assert(
    fc.property(fc.array(tree, { maxLength: 8 }), (values) => {
      for (const value of values) {
        const text = JSON.stringify(value, null, values.length % 2);
        expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(value));
        expect(JSON.parse(text)).toEqual(value);
      }
    }),
    { numRuns: rounds(2000) },
  );
});

test('the names of one text do not become those of the next', () => {
  JSON.parse('{"h":[],"\\\\":0}');
  expect(Object.keys(JSON.parse('{"h":1,"\\"":2}'))).toEqual(['h', '"']);
  expect(JSON.parse('{"\\u005f_proto__":{"a":1}}')).toHaveProperty(['__proto__'], { a: 1 });
  expect(Object.getPrototypeOf(JSON.parse('{"\\u005f_proto__":{"a":1}}'))).toBe(Object.prototype);
});

test('of equal keys the last one counts, however they are written', () => {
  expect(Object.entries(parseJson('{"a":1,"\\u0061":2,"b":3,"a":4}') as object)).toEqual([
    ['a', 4],
    ['b', 3],
  ]);
});

test('any text is refused or read as the engine alone does', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '\\"',
    '"a"',
    '"\\n"',
    '"\\x"',
    '1',
    ' ',
    '\n',
    'u0041',
  );
  const outcome = (read: () => unknown) => {
    try {
      return { value: read() };
    } catch {
      return 'refused';
    }
  };
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
      (text) => {
        // No key here ends with a backslash, so that the engine's fault cannot show.
        if (!/\\\\/.test(text)) expect(outcome(() => parseJson(text))).toEqual(outcome(() => engine(text)));
      },
    ),
    { numRuns: rounds(20_000, 2_500) },
  );
});

/** The engine's own, for which a reviver asks. */
function engine(text: string): unknown {
  return parseJson(text, (_, value) => value);
}

test('a long text of escapes is read in one go', () => {
  const long = { 'a"': '\\"'.repeat(4_000_000), b: 'x'.repeat(8_000_000) };
  expect(parseJson(JSON.stringify(long))).toEqual(long);
});
