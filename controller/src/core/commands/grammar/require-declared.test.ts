import { readDeclaredCommands } from '@weft/contract/declared-commands';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkArguments, requireDeclared } from './require-declared.ts';

test('whatever an agent declares can be checked against', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (item, params) => {
      const commands = readDeclaredCommands({ commands: [item, { name: 'x', params }] })!;
      checkArguments(commands.get('x')!, { a: 1, ['__proto__']: 2 });
    }),
  );
});

describe('arguments', () => {
  const check = (bounds: object, value: unknown) => {
    const command = readDeclaredCommands({ commands: [{ name: 'x', params: { v: bounds } }] })!.get('x')!;
    return checkArguments(command, { v: value }).map(({ loc, type }) => [...loc, type].join(' '));
  };

  test.each<[object, unknown[], unknown[], string]>([
    [{ type: 'number' }, [1, 1.5, -0], ['1', true, null, [], {}], 'float_type'],
    [{ type: 'integer' }, [1, 1.0, -7], ['1', 1.5, true, 2 ** 53], 'int_type'],
    [{ type: 'string' }, ['', 'a'], [1, null, true], 'string_type'],
    [{ type: 'boolean' }, [true, false], [0, 'true', null], 'bool_type'],
    [{ minimum: 5 }, [5, 6], [4.999], 'greater_than_equal'],
    [{ maximum: 20 }, [20, -1], [20.001], 'less_than_equal'],
    [{ maximum: 20 }, [20], ['19', null], 'float_type'],
    [{ multipleOf: 0.1 }, [0.3, 0.7, 1e6 + 0.1, -0.3, 0], [0.35, 0.05], 'multiple_of'],
    [{ multipleOf: 20 }, [0, 20, 5180], [10, 5190], 'multiple_of'],
    [{ enum: [1, 6, 11, 'auto', null] }, [1, 'auto', null], [2, '1', 'x'], 'enum'],
    [{}, [1, 'a', null, { a: 1 }, [1]], [], ''],
  ])('%j', (bounds, good, bad, type) => {
    for (const value of good) expect(check(bounds, value)).toEqual([]);
    for (const value of bad) expect(check(bounds, value)).toEqual([`query command v ${type}`]);
  });

  test('that the agent does not name are refused if it names any', () => {
    const commands = readDeclaredCommands({ commands: ['free', { name: 'strict', params: {} }] })!;
    expect(checkArguments(commands.get('free')!, { a: 1 })).toEqual([]);
    expect(checkArguments(commands.get('strict')!, { a: 1, toString: 2 }).map(({ type }) => type)).toEqual([
      'extra_forbidden',
      'extra_forbidden',
    ]);
  });

  test('that are required must be there: all but optional ones, those with a default, and of a command without params', () => {
    const params = { a: { type: 'number' }, b: { type: 'number', optional: true }, c: { default: 1 }, toString: {} };
    const commands = readDeclaredCommands({ commands: ['free', { name: 'x', params }] })!;
    const problems = (name: string, args: Record<string, unknown>) =>
      checkArguments(commands.get(name)!, args).map(({ loc, type, msg }) => [loc.at(-1), type, msg]);
    expect(problems('x', {})).toEqual([
      ['a', 'missing', 'Field required'],
      ['toString', 'missing', 'Field required'],
    ]);
    expect(problems('x', { b: 'x' })).toHaveLength(3);
    expect(problems('x', { a: 1, toString: null })).toEqual([]);
    expect(problems('free', {})).toEqual([]);
  });

  test('do not make an answer of any length', () => {
    const args = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`a${index}`, 1]));
    expect(checkArguments({ name: 'x', parameter: 'x', params: {} }, args)).toHaveLength(100);
  });

  test('do not make a message of any length', () => {
    const values = Array.from({ length: 5000 }, (_, index) => `value-${index}`.repeat(20));
    const command = readDeclaredCommands({ commands: [{ name: 'x', params: { v: { enum: values } } }] })!.get('x')!;
    expect(checkArguments(command, { v: 1 })[0]!.msg.length).toBeLessThan(2000);
  });
});

describe('a command', () => {
  const declared = readDeclaredCommands({
    commands: ['sleep', { name: 'set_tx_power', params: { dbm: { maximum: 20 }, ms: { optional: true } } }],
  });

  test('passes if the agent lists it, or lists nothing', () => {
    expect(requireDeclared(declared, { name: 'sleep', args: { x: 1 } })).toMatchObject({ parameter: 'power_state' });
    expect(requireDeclared(undefined, { name: 'anything', args: {} })).toBeUndefined();
  });

  test('is refused otherwise, with every problem', () => {
    expect(() => requireDeclared(declared, { name: 'sleeep', args: {} })).toThrow(
      expect.objectContaining({
        problems: [
          expect.objectContaining({ loc: ['query', 'command'], msg: expect.stringContaining('Did you mean sleep?') }),
        ],
      }),
    );
    expect(() =>
      requireDeclared(declared, { name: 'set_tx_power', args: { dbm: 21, y: 1 } }, ['body', 'command']),
    ).toThrow(
      expect.objectContaining({
        problems: [
          expect.objectContaining({ loc: ['body', 'command', 'dbm'] }),
          expect.objectContaining({ loc: ['body', 'command', 'y'] }),
        ],
      }),
    );
  });
});
