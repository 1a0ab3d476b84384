import { LoginType } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Problem, ValidationError } from '../errors.ts';
import { createFormats } from './formats.ts';
import { checkQuery, readQuery } from './query-reader.ts';
import { Validator } from './validator.ts';

const validator = new Validator(createFormats({ passwordLength: { min: 8, max: 128 } }));

describe('readQuery', () => {
  it.each<[string, [string, string[]][]]>([
    ['', []],
    ['?', []],
    [
      '?a=1&b=2',
      [
        ['a', ['1']],
        ['b', ['2']],
      ],
    ],
    ['a=1&a=2', [['a', ['1', '2']]]],
    [
      'a&b=&&c==',
      [
        ['a', ['']],
        ['b', ['']],
        ['c', ['=']],
      ],
    ],
    ['a=x+y%2Bz', [['a', ['x y+z']]]],
    ['a=%C3%A9%e2%82%ac', [['a', ['é€']]]],
    [
      'a=%zz%4&%41=100%',
      [
        ['a', ['%zz%4']],
        ['A', ['100%']],
      ],
    ],
    ['a=%ff%41', [['a', ['\ufffdA']]]],
    ['a=%EF%BB%BFx', [['a', ['\ufeffx']]]],
    ['__proto__=1', [['__proto__', ['1']]]],
    ['a=1;b=2', [['a', ['1;b=2']]]],
  ])('%s', (search, expected) => {
    expect([...readQuery(search)]).toEqual(expected);
  });

  it('refuses more than a thousand parameters', () => {
    expect(readQuery('a=1&'.repeat(1000)).get('a')).toHaveLength(1000);
    expect(() => readQuery('a=1&'.repeat(1001))).toThrow(ValidationError);
  });

  it('reads back whatever URLSearchParams writes', () => {
    const pairs = fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })));
    fc.assert(
      fc.property(pairs, (given) => {
        const search = new URLSearchParams(given);
        const expected = [...new Set(search.keys())].map((name) => [name, search.getAll(name)]);
        expect([...readQuery(search.toString())]).toEqual(expected);
      }),
    );
  });

  it('Z1 escapes are those bytes in UTF-8, whatever stands between them', () => {
    const piece = fc.constantFrom(
      '%',
      '%4',
      '%41',
      '%c3%A9',
      '%c3',
      '%e2%82%ac',
      '%ed%a0%80',
      '%c0%af',
      '%EF%BB%BF',
      'a',
      'é',
      '+',
    );
    const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
    const decoded = (escapes: string) => utf8.decode(Buffer.from(escapes.replaceAll('%', ''), 'hex'));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        const expected = text.replaceAll('+', ' ').replace(/(?:%[0-9a-fA-F]{2})+/g, decoded);
        expect(readQuery(`a=${text}`).get('a')).toEqual([expected]);
      }),
    );
  });

  it('takes any text', () => {
    const piece = fc.constantFrom('%', '%f', '%c3', '%00', 'a', '=', '&', '+', 'é', '\ud800');
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (search) => {
        expect([...readQuery(search).values()].every((values) => values.length > 0)).toBe(true);
      }),
    );
  });
});

describe('checkQuery', () => {
  const schema = Type.Object({
    agent: Type.String(),
    login_type: Type.Optional(LoginType),
    metrics: Type.Optional.Array(Type.String()),
    window: Type.Optional(Type.Union([Type.Integer(), Type.String()], { default: 5 })),
    final: Type.Optional.Boolean({ default: false }),
  });
  const check = (search: string) => {
    const problems: Problem[] = [];
    const value = checkQuery(validator, schema, readQuery(search), problems);
    return { value, problems };
  };

  it('takes the last value, all values of a list, and the defaults', () => {
    expect(check('agent=a&agent=b&metrics=x&metrics=y&login_type=user&login_type=agent&other=1')).toEqual({
      value: { agent: 'b', login_type: 'agent', metrics: ['x', 'y'], window: 5, final: false },
      problems: [],
    });
  });

  it('keeps an empty value, and a number in a union as text', () => {
    expect(check('agent=&window=7&final=yes').value).toEqual({ agent: '', window: '7', final: true });
  });

  it('puts every problem at its parameter, in the order of the schema', () => {
    expect(check('final=maybe&login_type=root').problems.map(({ loc, type }) => [loc, type])).toEqual([
      [['query', 'agent'], 'missing'],
      [['query', 'login_type'], 'literal_error'],
      [['query', 'final'], 'bool_parsing'],
    ]);
  });

  it('refuses NUL', () => {
    expect(check('agent=a%00b').problems.map(({ loc, type }) => [loc, type])).toEqual([
      [['query', 'agent'], 'string_unicode'],
    ]);
  });
});
