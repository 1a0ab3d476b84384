import { ThirdPartyAppCreate } from '@weft/contract';
import type { TSchema } from '@weft/contract/schema';
import * as Type from '@weft/contract/schema';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../errors.ts';
import { createFormats } from './formats.ts';
import { Validator } from './validator.ts';

const validator = new Validator(createFormats({ passwordLength: { min: 8, max: 12 } }));

function check(schema: TSchema, input: unknown): { value: unknown; problems: Problem[] } {
  const problems: Problem[] = [];
  const value = validator.check(schema, input, ['body', 'x'], problems);
  return { value, problems };
}

const string = (format: string) => Type.String({ format });
const freeForm = (format: string) => Type.Record(Type.String(), Type.Unknown(), { format });

describe('email', () => {
  it('gives the address in its one spelling', () => {
    expect(check(string('email'), ' J <A@Ex.com>').value).toBe('a@ex.com');
  });

  it('says the reason without the usual prefix', () => {
    const reason = 'An email address must have an @-sign.';
    expect(check(string('email'), 'a').problems).toEqual([
      {
        loc: ['body', 'x'],
        msg: `value is not a valid email address: ${reason}`,
        type: 'value_error',
        ctx: { reason },
      },
    ]);
  });
});

describe('new-password', () => {
  it.each(['12345678', '😀'.repeat(8), '😀'.repeat(12), ' 123456 '])('%j is kept as it is', (password) => {
    expect(check(string('new-password'), password)).toEqual({ value: password, problems: [] });
  });

  it.each([
    ['😀'.repeat(7), 'string_too_short', 'String should have at least 8 characters', { min_length: 8 }],
    ['a'.repeat(13), 'string_too_long', 'String should have at most 12 characters', { max_length: 12 }],
  ])('%j is refused', (password, type, msg, ctx) => {
    expect(check(string('new-password'), password).problems).toEqual([{ loc: ['body', 'x'], msg, type, ctx }]);
  });
});

describe('date-time', () => {
  it.each([
    ['2024-01-02T03:04:05+01:00', '2024-01-02T02:04:05.000Z'],
    [1_700_000_000, '2023-11-14T22:13:20.000Z'],
    [1_700_000_000_123, '2023-11-14T22:13:20.123Z'],
  ])('%j', (input, value) => {
    expect(check(string('date-time'), input)).toEqual({ value, problems: [] });
  });

  it.each([
    ['x', 'datetime_from_date_parsing', 'Input should be a valid datetime or date, input is too short'],
    ['0000-01-01', 'datetime_parsing', 'Input should be a valid datetime, year 0 is out of range'],
  ])('%j is refused', (input, type, msg) => {
    const error = msg.slice(msg.indexOf(',') + 2);
    expect(check(string('date-time'), input).problems).toEqual([{ loc: ['body', 'x'], msg, type, ctx: { error } }]);
  });
});

describe('uuid', () => {
  const uuid = '550e8400-e29b-41d4-a716-446655440000';

  it.each([uuid, uuid.toUpperCase(), uuid.replaceAll('-', ''), `{${uuid}}`, `urn:uuid:${uuid}`])('%s', (input) => {
    expect(check(string('uuid'), input)).toEqual({ value: uuid, problems: [] });
  });

  it.each([
    ['x', 'invalid character: found `x` at 1'],
    ['', 'invalid length: expected length 32 for simple format, found 0'],
    [uuid.slice(0, -1), 'invalid group length in group 4: expected 12, found 11'],
    ['550e8400-e29b-41d4a716-446655440000', 'invalid group count: expected 5, found 4'],
  ])('%j is refused', (input, error) => {
    expect(check(string('uuid'), input).problems).toEqual([
      { loc: ['body', 'x'], msg: `Input should be a valid UUID, ${error}`, type: 'uuid_parsing', ctx: { error } },
    ]);
  });

  it('has a type problem of its own', () => {
    expect(check(string('uuid'), 5).problems).toMatchObject([{ type: 'uuid_type' }]);
  });
});

describe.each(['configuration', 'app-permissions'])('%s', (format) => {
  it('is at most 64 KiB of JSON', () => {
    const sized = (bytes: number) => ({ k: 'é'.repeat((bytes - 8) / 2) });
    expect(Buffer.byteLength(JSON.stringify(sized(65_536)))).toBe(65_536);
    expect(check(freeForm(format), sized(65_536)).problems).toEqual([]);
    expect(check(freeForm(format), sized(65_538)).problems).toMatchObject([
      { loc: ['body', 'x'], type: 'value_error', msg: expect.stringContaining('at most 65536 bytes') },
    ]);
  });
});

describe('app-permissions', () => {
  const problemsOf = (permissions: object) => {
    const problems: Problem[] = [];
    validator.checkBody(ThirdPartyAppCreate, { app_name: 'a', api_key: 'a longer key', permissions }, problems);
    return problems.map(({ loc, type, msg }) => [loc, type, msg.startsWith('Value error, ')]);
  };

  it.each([
    {},
    { agents: [], read: false, commands: true, emulator: true, priority: 0, expires_at: '2030-01-01' },
    { agents: ['lab-*', '?'], commands: ['sleep'], emulator: { max_access_points: 5 }, priority: 100 },
    { commands: { set_tx_power: { dbm: { min: 5, max: 20 } }, sleep: {} } },
    { note: 'ours', limits: [1], permission_expires_at: 1 },
  ])('%j is taken', (permissions) => {
    expect(problemsOf(permissions)).toEqual([]);
  });

  it('stores what was given', () => {
    const given = { expires_at: '2030-01-01', zone: { a: 1 } };
    expect(check(freeForm('app-permissions'), given).value).toEqual(given);
  });

  it.each<[object, string, ...number[]]>([
    [{ agents: '*' }, 'list_type'],
    [{ agents: null }, 'list_type'],
    [{ agents: ['a', 1] }, 'string_type', 1],
    [{ read: 'yes' }, 'bool_type'],
    [{ read: 1 }, 'bool_type'],
    [{ commands: [1] }, 'string_type', 0],
    [{ config: true }, 'string_type'],
    [{ selector: 5 }, 'string_type'],
    [{ priority: '50' }, 'float_type'],
    [{ expires_at: 1_900_000_000 }, 'datetime_type'],
  ])('%j is refused at its key for its type, with what the key wants', (permissions, type, ...at) => {
    const key = Object.keys(permissions)[0];
    expect(problemsOf(permissions)).toEqual([[['body', 'permissions', key, ...at], type, false]]);
  });

  it.each([
    { agents: [''] },
    { agents: ['x'.repeat(129)] },
    { agents: new Array(1001).fill('a') },
    { commands: 'sleep' },
    { commands: { sleep: true } },
    { commands: { set: { dbm: 5 } } },
    { commands: { set: { dbm: { maximum: 5 } } } },
    { commands: { set: { dbm: { min: '5' } } } },
    { commands: { set: { dbm: { min: 6, max: 5 } } } },
    { emulator: 5 },
    { emulator: {} },
    { emulator: { max_aps: 5 } },
    { emulator: { max_access_points: 5, max_aps: 1 } },
    { emulator: { max_access_points: -1 } },
    { emulator: { max_access_points: 1.5 } },
    { config: 'rollout' },
    { priority: 101 },
    { priority: -1 },
    { expires_at: 'soon' },
    { command: [] },
    { agent: [] },
    { emulators: true },
    { expires: '2030-01-01' },
    { Agents: [] },
    { READ: true },
    { Command: [] },
  ])('%j is refused at its key', (permissions) => {
    const key = Object.keys(permissions)[0];
    expect(problemsOf(permissions)).toEqual([[['body', 'permissions', key], 'value_error', true]]);
  });
});
