import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import type { ValidationError } from '../../base/errors.ts';
import { parameterOfText, parseCommand, readCommand } from './command-text.ts';

function problemsOf(text: string) {
  try {
    parseCommand(text);
  } catch (error) {
    return (error as ValidationError).problems;
  }
  throw new Error('it was taken');
}

test.each([
  ['sleep', 'sleep', {}],
  ['set_tx_power', 'set_tx_power', {}],
  [`a${'.'.repeat(63)}`, `a${'.'.repeat(63)}`, {}],
  ['{"name":"sleep"}', 'sleep', {}],
  [' {"name":"set_tx_power","dbm":17} ', 'set_tx_power', { dbm: 17 }],
  ['{"deep":{"a":[1,null,"; touch /tmp/x"]},"name":"x"}', 'x', { deep: { a: [1, null, '; touch /tmp/x'] } }],
  ['{"name":"a","name":"b","v":1,"v":2}', 'b', { v: 2 }],
])('%s', (text, name, args) => {
  expect(parseCommand(text)).toEqual({ name, args, text });
});

describe('free text', () => {
  test.each([
    ['reboot now', 'reboot', { text: 'now' }],
    ['set channel 36', 'set', { text: 'channel 36' }],
    ['say  "hi" {x} [y]; rm -rf / $(reboot)', 'say', { text: '"hi" {x} [y]; rm -rf / $(reboot)' }],
    ['42', '42', {}],
    ['a=1;b=2', 'a=1;b=2', {}],
    ['Übertrage', 'übertrage', {}],
    ['wähle_1 nicht', 'wähle_1', { text: 'nicht' }],
    ['["a"]', '["a"]', {}],
    ['{not json', '{not', { text: 'json' }],
    ['{"dbm":1}', '{"dbm":1}', {}],
    ['{"name":1}', '{"name":1}', {}],
    ['{"name":"a b"}', '{"name":"a', { text: 'b"}' }],
    ["{'name':'x'}", "{'name':'x'}", {}],
    ['{"name":"x"} y', '{"name":"x"}', { text: 'y' }],
    ['; touch /tmp/x', ';', { text: 'touch /tmp/x' }],
    [`a${'b'.repeat(64)}`, `a${'b'.repeat(62)}…`, {}],
  ])('%j', (text, name, args) => {
    expect(parseCommand(text)).toMatchObject({ name, args, text, isFreeText: true });
  });

  test.each([
    ['sleep ', 'sleep'],
    ['\t sleep \t', 'sleep'],
  ])('%j is a name with spaces around it', (text, name) => {
    expect(parseCommand(text)).toEqual({ name, args: {}, text });
  });

  test('with line breaks says so: not every agent takes them', () => {
    expect(parseCommand('a\nb c')).toMatchObject({ name: 'a', args: { text: 'b c' }, hasLines: true });
    for (const text of ['sleep\n', 'a b\r\nc', 'a \u2028b']) expect(parseCommand(text).hasLines).toBe(true);
    expect(parseCommand('{\n"name":"x"}').hasLines).toBeUndefined();
  });

  test.each([
    ['set power 5', 'set power'],
    ['Set  power   20', 'set power'],
    ['set channel 36', 'set channel'],
    ['set_tx_power 17', 'tx_power'],
    ['sleep 5', 'power_state'],
    ['42', '42'],
    ['Übertrage', 'übertrage'],
    ['set wifi password hunter2 now', 'set'],
    ['password=hunter2', 'text'],
    ['kick 3c:a6:f6:00:11:22 now', 'kick'],
  ])('%j sets %j', (text, parameter) => {
    expect(parameterOfText(parseCommand(text))).toBe(parameter);
  });

  test('sets a parameter of bounded length, two texts that differ two of them', () => {
    const of = (text: string) => parameterOfText(parseCommand(text));
    const long = `set ${'x'.repeat(5000)}`;
    expect(of(`${long}a 1`)).toHaveLength(128);
    expect(of(`${long}a 1`)).toBe(of(`${long}a 2`));
    expect(of(`${long}a 1`)).not.toBe(of(`${long}b 1`));
  });

  test('has no credential as its name, which is shown', () => {
    expect(parseCommand('password=hunter2')).toMatchObject({ name: 'text', args: { text: 'password=hunter2' } });
    expect(parseCommand('{"psk": "hunter2"}').name).toBe('text');
  });

  test('has its name in lower case, and tells how it was spelled', () => {
    expect(parseCommand('ReBoot NOW')).toEqual({
      name: 'reboot',
      args: { text: 'NOW' },
      text: 'ReBoot NOW',
      spelled: 'ReBoot',
      isFreeText: true,
    });
    expect(parseCommand('{"name":"ReBoot"}')).toMatchObject({ name: 'ReBoot' });
  });

  test('is kept as it is, and is a name and a rest, whatever it says', () => {
    const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/);
    const rest = fc.string({ unit: 'grapheme' }).filter((text) => !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text));
    const space = fc.stringMatching(/^[ \t]{1,3}$/);
    fc.assert(
      fc.property(name, space, rest, (name, space, rest) => {
        const text = `${space}${name}${space}${rest}`;
        const said = rest.trim();
        const { name: called, args, text: kept } = parseCommand(text);
        expect([called, args, kept]).toEqual([name.toLowerCase(), said === '' ? {} : { text: said }, text]);
      }),
    );
  });
});

test('keys of the prototype are arguments like any other', () => {
  const { args } = parseCommand('{"name":"x","__proto__":{"polluted":1},"constructor":2}');
  expect(Object.keys(args)).toEqual(['__proto__', 'constructor']);
  expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
  expect((args as { polluted?: unknown }).polluted).toBeUndefined();
  expect(JSON.stringify(args)).toBe('{"__proto__":{"polluted":1},"constructor":2}');
});

describe('X6 X8 refuses', () => {
  test.each([...['', ' ', 'a\x1b[2J', 'sleep\0', 'a\x85b\x9f', 'a \ud800']])('%j', (text) => {
    expect(problemsOf(text)).toEqual([expect.objectContaining({ loc: ['query', 'command'], type: 'value_error' })]);
  });

  test.each([
    ['{"name":"x","v":1e999}', ['query', 'command', 'v'], 'finite_number'],
    ['{"name":"x","v":[NaN]}', ['query', 'command', 'v', 0], 'finite_number'],
    ['{"name":"x","v":9007199254740993}', ['query', 'command', 'v'], 'value_error'],
    ['{"name":"x","v":"\\u0000"}', ['query', 'command', 'v'], 'string_unicode'],
    ['{"name":"x","v":"\\ud800"}', ['query', 'command', 'v'], 'string_unicode'],
    ['{"name":"x","v":"\ud800"}', ['query', 'command'], 'string_unicode'],
    [`{"name":"x","${'k'.repeat(1025)}":1}`, ['query', 'command'], 'value_error'],
    [`{"name":"x","v":${'['.repeat(32)}${']'.repeat(32)}}`, ['query', 'command'], 'value_error'],
    [`{"name":"x","v":"${'ä'.repeat(33_000)}"}`, ['query', 'command'], 'value_error'],
    [`{"name":"x","v":${'['.repeat(60_000)}`, ['query', 'command'], 'value_error'],
  ])('%.40s', (text, loc, type) => {
    expect(problemsOf(text)).toEqual([expect.objectContaining({ loc, type })]);
  });

  test('with all the problems at once', () => {
    expect(problemsOf('{"name":"x","a":1e999,"b":"\\u0000","c":12345678901234567890}')).toHaveLength(3);
  });
});

test('as deep as allowed, and as long', () => {
  expect(() => parseCommand(`{"name":"x","v":${'['.repeat(31)}${']'.repeat(31)}}`)).not.toThrow();
  expect(() => parseCommand(`{"name":"x","v":"${'}]"'.replace('"', '\\"').repeat(1000)}"}`)).not.toThrow();
  expect(() => parseCommand(`{"name":"x","v":"${'a'.repeat(65_536 - 19)}"}`)).not.toThrow();
  expect(() => parseCommand(`{"name":"x","v":"${'a'.repeat(65_536 - 18)}"}`)).toThrow();
});

test('a command in a body, as text or as an object', () => {
  expect(readCommand('sleep', ['body', 'command'])).toEqual({ name: 'sleep', args: {}, text: 'sleep' });
  expect(readCommand({ name: 'x', v: 1 }, ['body', 'command'])).toEqual({
    name: 'x',
    args: { v: 1 },
    text: '{"name":"x","v":1}',
  });
  expect(() => readCommand({ v: 1 }, ['body', 'command'])).toThrow(
    expect.objectContaining({ problems: [expect.objectContaining({ loc: ['body', 'command', 'name'] })] }),
  );
});

test('what is written as JSON is read as it was; whatever else comes is read or refused', () => {
  const units = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
  const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/);
  const value = fc.jsonValue({ maxDepth: 2 }).map((json) => JSON.parse(JSON.stringify(json)));
  fc.assert(
    fc.property(name, fc.dictionary(fc.string({ maxLength: 10 }), value, { maxKeys: 5 }), (name, args) => {
      delete args.name;
      const text = JSON.stringify({ name, ...args });
      let command: ReturnType<typeof parseCommand>;
      try {
        command = parseCommand(text);
      } catch (error) {
        // Only what cannot be kept: such integers and NUL come up by chance.
        expect(text).toMatch(/[0-9]{16}|\\u0000|\\ud/);
        expect(error).toMatchObject({ name: 'ValidationError' });
        return;
      }
      expect(command).toEqual({ name, args, text });
    }),
  );
  fc.assert(
    fc.property(fc.oneof(units, fc.string()), fc.boolean(), (text, isObject) => {
      try {
        const { name, text: kept } = parseCommand(isObject ? `{"name":"x",${text}}` : text);
        expect(name).toMatch(/^\S{1,64}$/);
        expect(kept).toContain(text);
      } catch (error) {
        expect(error).toMatchObject({ name: 'ValidationError' });
      }
    }),
    { numRuns: rounds(500) },
  );
});
