import {
  AgentCreate,
  EmulatorSpinupRequest,
  EnrolmentTokenCreate,
  LoginType,
  UserCreate,
  UserUpdate,
} from '@weft/contract';
import type { TSchema } from '@weft/contract/schema';
import * as Type from '@weft/contract/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../errors.ts';
import { createFormats } from './formats.ts';
import { readJson } from './json-reader.ts';
import { Validator } from './validator.ts';

const validator = new Validator(createFormats({ passwordLength: { min: 8, max: 128 } }));

function check(schema: TSchema, input: unknown): { value: unknown; problems: Problem[] } {
  const problems: Problem[] = [];
  const value = validator.check(schema, input, [], problems);
  return { value, problems };
}

function checkBody(schema: TSchema, text: string): { value: unknown; problems: Problem[] } {
  const problems: Problem[] = [];
  const { value, inexact } = readJson(Buffer.from(text));
  return { value: validator.checkBody(schema, value, problems, { inexact }), problems };
}

const INT_PARSING = 'Input should be a valid integer, unable to parse string as an integer';
const INT_SIZE = 'Unable to parse input string as an integer, exceeded maximum size';
const bounded = Type.Integer({ exclusiveMinimum: 0, maximum: 1000 });
const named = Type.String({ minLength: 1, maxLength: 3, pattern: '^a' });
const roles = Type.Array(Type.Enum(['admin', 'user']), { minItems: 1 });

describe('what is wrong with a single value', () => {
  it.each<[string, TSchema, unknown, Omit<Problem, 'loc'>]>([
    ['a number as string', Type.String(), 5, { type: 'string_type', msg: 'Input should be a valid string' }],
    ['null as string', Type.String(), null, { type: 'string_type', msg: 'Input should be a valid string' }],
    [
      'an empty string',
      named,
      '',
      { type: 'string_too_short', msg: 'String should have at least 1 character', ctx: { min_length: 1 } },
    ],
    [
      'a long string',
      named,
      'abcd',
      { type: 'string_too_long', msg: 'String should have at most 3 characters', ctx: { max_length: 3 } },
    ],
    [
      'a wrong string',
      named,
      'b',
      { type: 'string_pattern_mismatch', msg: "String should match pattern '^a'", ctx: { pattern: '^a' } },
    ],
    [
      'a string with NUL',
      Type.String(),
      'a\0',
      {
        type: 'string_unicode',
        msg: 'Input should be a valid string, unable to parse raw data as a unicode string',
      },
    ],
    ['null as integer', bounded, null, { type: 'int_type', msg: 'Input should be a valid integer' }],
    ['text as integer', bounded, 'x', { type: 'int_parsing', msg: INT_PARSING }],
    ['digits without end', bounded, '9'.repeat(5000), { type: 'int_parsing_size', msg: INT_SIZE }],
    ['an integer that is rounded', Type.Integer(), 2 ** 60, { type: 'int_parsing_size', msg: INT_SIZE }],
    [
      'a fraction as integer',
      bounded,
      1.5,
      { type: 'int_from_float', msg: 'Input should be a valid integer, got a number with a fractional part' },
    ],
    ['zero', bounded, 0, { type: 'greater_than', msg: 'Input should be greater than 0', ctx: { gt: 0 } }],
    [
      'too much',
      bounded,
      '1001',
      { type: 'less_than_equal', msg: 'Input should be less than or equal to 1000', ctx: { le: 1000 } },
    ],
    [
      'too little',
      Type.Integer({ minimum: 1 }),
      0,
      { type: 'greater_than_equal', msg: 'Input should be greater than or equal to 1', ctx: { ge: 1 } },
    ],
    [
      'the bound itself',
      Type.Number({ exclusiveMaximum: 1 }),
      1,
      { type: 'less_than', msg: 'Input should be less than 1', ctx: { lt: 1 } },
    ],
    ['a list as number', Type.Number(), [], { type: 'float_type', msg: 'Input should be a valid number' }],
    [
      'text as number',
      Type.Number(),
      'x',
      { type: 'float_parsing', msg: 'Input should be a valid number, unable to parse string as a number' },
    ],
    ['infinite text', Type.Number(), '-inf', { type: 'finite_number', msg: 'Input should be a finite number' }],
    ['null as boolean', Type.Boolean(), null, { type: 'bool_type', msg: 'Input should be a valid boolean' }],
    [
      'text as boolean',
      Type.Boolean(),
      ' true',
      { type: 'bool_parsing', msg: 'Input should be a valid boolean, unable to interpret input' },
    ],
    ['text as list', roles, 'admin', { type: 'list_type', msg: 'Input should be a valid list' }],
    [
      'an empty list',
      roles,
      [],
      {
        type: 'too_short',
        msg: 'List should have at least 1 item after validation, not 0',
        ctx: { field_type: 'List', min_length: 1, actual_length: 0 },
      },
    ],
    [
      'a long list',
      Type.Array(Type.Integer(), { maxItems: 1 }),
      ['x', 'y'],
      {
        type: 'too_long',
        msg: 'List should have at most 1 item after validation, not 2',
        ctx: { field_type: 'List', max_length: 1, actual_length: 2 },
      },
    ],
    [
      'a list as free-form object',
      Type.Record(Type.String(), Type.Unknown()),
      [],
      { type: 'dict_type', msg: 'Input should be a valid dictionary' },
    ],
    [
      'text as model',
      UserCreate,
      '{}',
      {
        type: 'model_attributes_type',
        msg: 'Input should be a valid dictionary or object to extract fields from',
      },
    ],
    [
      'an unknown word',
      LoginType,
      'User',
      {
        type: 'literal_error',
        msg: "Input should be 'user', 'agent' or 'third_party_app'",
        ctx: { expected: "'user', 'agent' or 'third_party_app'" },
      },
    ],
    [
      'an unknown word in a union of constants',
      Type.Union([Type.Literal('a'), Type.Literal('b')]),
      'c',
      { type: 'literal_error', msg: "Input should be 'a' or 'b'", ctx: { expected: "'a' or 'b'" } },
    ],
    [
      'a nullable value, as if it were not nullable',
      Type.Union([Type.String(), Type.Null()]),
      5,
      { type: 'string_type', msg: 'Input should be a valid string' },
    ],
    [
      'a date-time of another type',
      Type.String({ format: 'date-time' }),
      true,
      { type: 'datetime_type', msg: 'Input should be a valid datetime' },
    ],
  ])('%s', (_name, schema, input, expected) => {
    expect(check(schema, input).problems).toEqual([{ loc: [], ...expected }]);
  });

  it('counts characters, not UTF-16 units', () => {
    expect(check(Type.String({ maxLength: 2, minLength: 2 }), '😀😀').problems).toEqual([]);
  });
});

describe('lax reading', () => {
  it.each([
    ['7', 7],
    [' 5 ', 5],
    ['+5', 5],
    ['-007', -7],
    ['5.0', 5],
    ['1_000', 1000],
    [1.0, 1],
    [true, 1],
    ['-0', 0],
  ])('integer %j', (input, value) => {
    expect(check(Type.Integer(), input)).toEqual({ value, problems: [] });
  });

  it.each(['', ' ', '1e3', '0x10', '٥', '5.', '5.5', '5.0_0', '1__0', '_1', '1_', '+ 5', '--5'])(
    'no integer %j',
    (input) => {
      expect(check(Type.Integer(), input).problems).toEqual([{ loc: [], type: 'int_parsing', msg: INT_PARSING }]);
    },
  );

  it.each([
    ['1e3', 1000],
    ['.5', 0.5],
    ['5.', 5],
    [' -1_0 ', -10],
    [false, 0],
  ])('number %j', (input, value) => {
    expect(check(Type.Number(), input)).toEqual({ value, problems: [] });
  });

  it.each([
    ['tRuE', true],
    ['on', true],
    [1, true],
    ['off', false],
    ['n', false],
    [0, false],
  ])('boolean %j', (input, value) => {
    expect(check(Type.Boolean(), input)).toEqual({ value, problems: [] });
  });

  it('takes the branch of a union that fits exactly', () => {
    const window = Type.Union([Type.Integer(), Type.String()]);
    expect(check(window, '7').value).toBe('7');
    expect(check(window, 7).value).toBe(7);
    expect(check(window, []).problems.map(({ loc, type }) => [loc, type])).toEqual([
      [['int'], 'int_type'],
      [['str'], 'string_type'],
    ]);
  });

  it('reads every integer back from its text, and no text for long', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        expect(check(Type.Integer(), ` ${value}.0 `).value).toBe(value === 0 ? 0 : value);
      }),
    );
    for (const unit of ['1', '1_', '1.0', '_', ' ', '0']) {
      expect(check(Type.Integer(), `${unit.repeat(300_000)}x`).problems).toHaveLength(1);
      expect(check(Type.Number(), `${unit.repeat(300_000)}x`).problems).toHaveLength(1);
    }
  });
});

describe('models', () => {
  it('reports the problems of all fields in the order of the schema', () => {
    const { problems } = checkBody(
      EmulatorSpinupRequest,
      '{"emulators":[{"duration":0,"num_access_points":"x","locations":["a"],"access_point_type":"6G"},7]}',
    );
    expect(problems.map(({ loc, type }) => [loc, type])).toEqual([
      [['body', 'emulators', 0, 'access_point_type'], 'string_pattern_mismatch'],
      [['body', 'emulators', 0, 'num_access_points'], 'int_parsing'],
      [['body', 'emulators', 0, 'num_devices'], 'missing'],
      [['body', 'emulators', 0, 'duration'], 'greater_than'],
      [['body', 'emulators', 1], 'model_attributes_type'],
    ]);
    expect(problems[0]?.msg).toBe("String should match pattern '^(5G|WiFi|LiFi)$'");
  });

  it.each([undefined, null])('a body of %s is missing', (body) => {
    const problems: Problem[] = [];
    validator.checkBody(UserCreate, body, problems);
    expect(problems).toEqual([{ loc: ['body'], msg: 'Field required', type: 'missing' }]);
  });

  it('drops unknown fields and fills in defaults', () => {
    expect(check(EnrolmentTokenCreate, { ap_id_pattern: 'lab-*', is_admin: true })).toEqual({
      value: { ap_id_pattern: 'lab-*', expires_in: 86_400, max_uses: 1 },
      problems: [],
    });
  });

  it('gives each value a default of its own', () => {
    const schema = Type.Object({ scopes: Type.Optional.Array(Type.String(), { default: [] }) });
    const [first, second] = [check(schema, {}), check(schema, {})].map(({ value }) => (value as { scopes: [] }).scopes);
    expect(first).toEqual([]);
    expect(first).not.toBe(second);
  });

  it('keeps null where null is allowed, and absence', () => {
    expect(check(UserUpdate, { password: null })).toEqual({ value: { password: null }, problems: [] });
  });

  it('does not find fields in the prototype', () => {
    const schema = Type.Object({ toString: Type.Optional.String(), constructor: Type.Optional.String() });
    expect(check(schema, {}).problems).toEqual([]);
  });

  it.each(['nonadmin', 'Admin', ' admin', 'аdmin', 'admin,user', ''])('%j is no role', (role) => {
    const { problems } = check(UserCreate, { username: 'a@b.co', password: 'long enough', roles: ['user', role] });
    expect(problems).toEqual([
      {
        loc: ['roles', 1],
        msg: "Input should be 'admin' or 'user'",
        type: 'literal_error',
        ctx: { expected: "'admin' or 'user'" },
      },
    ]);
  });

  it('stops at a hundred problems', () => {
    expect(check(Type.Array(Type.Integer()), new Array(100_000).fill('x')).problems).toHaveLength(100);
  });
});

describe('ap_id', () => {
  const problemsOf = (ap_id: string) =>
    check(AgentCreate, { ap_id, password: 'long enough', configuration: {} }).problems.map(({ loc, type }) => [
      loc,
      type,
    ]);

  it.each(['a', 'AP-1', '00:1a:2b', 'ap.1_x@site+2', '.a', 'a b', 'é', '屋 1', 'x'.repeat(128)])(
    '%s is one',
    (ap_id) => {
      expect(problemsOf(ap_id)).toEqual([]);
    },
  );

  const others = ['', '.', '..', '-a', 'a/b', 'a\\b', 'a\n', 'a\r\nb', ' a', 'a ', 'a  b', 'a#', 'a*'];
  it.each([...others, 'a\u200bb', '😀', 'x'.repeat(129)])('%j is none', (ap_id) => {
    expect(problemsOf(ap_id)).toEqual([[['ap_id'], 'value_error']]);
  });
});

describe('free-form objects', () => {
  const body = (configuration: string) =>
    checkBody(AgentCreate, `{"ap_id":"a","password":"long enough","configuration":${configuration}}`);

  it('keeps them as they are, whatever their keys', () => {
    const { value, problems } = body('{"__proto__":{"x":1},"constructor":{"prototype":{}},"n":[1.5,null]}');
    expect(problems).toEqual([]);
    const { configuration } = value as { configuration: object };
    expect(Object.keys(configuration)).toEqual(['__proto__', 'constructor', 'n']);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('refuses an integer that would come back changed', () => {
    expect(body('{"a":[1,12345678901234567890]}').problems).toMatchObject([
      { loc: ['body', 'configuration', 'a', 1], type: 'value_error', msg: expect.stringMatching(/^Value error, /) },
    ]);
  });

  it('does not mind one where nothing is stored', () => {
    expect(checkBody(Type.Record(Type.String(), Type.Unknown()), '{"a":12345678901234567890}').problems).toEqual([]);
  });

  it('checks the values where their type is known, with `__proto__` as a key like others', () => {
    const schema = Type.Record(Type.String(), Type.Integer());
    const { value } = checkBody(schema, '{"__proto__":"1","a":"2"}');
    expect(Object.entries(value as object)).toEqual([
      ['__proto__', 1],
      ['a', 2],
    ]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(checkBody(schema, '{"a":"x"}').problems.map(({ loc }) => loc)).toEqual([['body', 'a']]);
  });
});

describe('properties', () => {
  const secret = 'hunter2-hunter2';

  it('never throws, and never shows what was sent', () => {
    const input = fc.oneof(
      fc.anything(),
      fc.record({ username: fc.anything(), password: fc.anything(), roles: fc.anything() }, { requiredKeys: [] }),
    );
    fc.assert(
      fc.property(input, (value) => {
        const { problems } = check(UserCreate, value);
        for (const problem of problems) expect(Object.keys(problem).sort().join()).toMatch(/^(ctx,)?loc,msg,type$/);
      }),
    );
    const { problems } = check(UserCreate, { username: 'a@b.co', password: secret.repeat(20), roles: [secret] });
    expect(problems).toHaveLength(2);
    expect(JSON.stringify(problems)).not.toContain(secret);
  });
});
