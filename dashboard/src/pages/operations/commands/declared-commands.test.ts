// From what agents declare to a form, and from the form to a command.
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../api/client.ts';
import {
  boundsInWords,
  commonCommands,
  readDeclaredCommands,
  toCommand,
  valueNow,
  wayBack,
  writeCommand,
} from './declared-commands.ts';

const power = { name: 'set_tx_power', params: { dbm: { type: 'number', minimum: 10, maximum: 38, unit: 'dBm' } } };

describe('what an agent declares', () => {
  it('is read as far as it makes sense', () => {
    const commands = [
      'sleep',
      power,
      { name: 7 },
      null,
      { name: 'odd', params: { a: 'x', b: { type: 'set', enum: [{}, 1] } } },
    ];
    expect(readDeclaredCommands({ commands })).toEqual([
      { name: 'sleep', params: undefined },
      power,
      { name: 'odd', params: { a: {}, b: { enum: [1] } } },
    ]);
  });

  it('may be nothing, which is not the same as no commands', () => {
    expect(readDeclaredCommands({})).toBeUndefined();
    expect(readDeclaredCommands({ commands: [] })).toEqual([]);
  });

  it('of several is what all of them know, within the bounds of all', () => {
    const weaker = { name: 'set_tx_power', params: { dbm: { type: 'number' as const, minimum: 0, maximum: 23 } } };
    const found = commonCommands([
      readDeclaredCommands({ commands: [power, 'sleep'] }),
      undefined,
      [{ name: 'sleep', params: {} }, weaker],
    ]);
    expect(found).toEqual([
      { name: 'set_tx_power', params: { dbm: { type: 'number', minimum: 10, maximum: 23, unit: 'dBm' } } },
      { name: 'sleep', params: {} },
    ]);
    expect(commonCommands([undefined])).toBeUndefined();
  });

  it('is told in words', () => {
    expect(boundsInWords({ minimum: 10, maximum: 38, unit: 'dBm' })).toBe('10 to 38\u2009dBm');
    expect(boundsInWords({ minimum: 1, multipleOf: 0.5 })).toBe('at least 1, in steps of 0.5');
    expect(boundsInWords({})).toBe('');
  });
});

describe('what is typed', () => {
  const commands = readDeclaredCommands({
    commands: [
      power,
      { name: 'set_channel', params: { channel: { type: 'integer', enum: [36, 40] }, on: { type: 'boolean' } } },
    ],
  });

  it('becomes arguments of their types; empty fields are left out', () => {
    expect(toCommand(commands, { name: 'set_tx_power', 'args.dbm': ' 17.5 ' })).toEqual({
      name: 'set_tx_power',
      args: { dbm: 17.5 },
    });
    expect(toCommand(commands, { name: 'set_channel', 'args.channel': '40', 'args.on': 'true' }).args).toEqual({
      channel: 40,
      on: true,
    });
    expect(toCommand(commands, { name: 'set_channel', 'args.channel': '' }).args).toEqual({});
  });

  it('goes out as it is where it is no number, for the server to judge', () => {
    expect(toCommand(commands, { name: 'set_tx_power', 'args.dbm': 'loud' }).args).toEqual({ dbm: 'loud' });
  });

  it('is JSON where nothing is declared', () => {
    expect(toCommand(undefined, { name: 'blink', arguments: '{"times": 3}' })).toEqual({
      name: 'blink',
      args: { times: 3 },
    });
    for (const text of ['{', '[1]', '7']) {
      expect(() => toCommand(undefined, { name: 'blink', arguments: text })).toThrow(Failure);
    }
  });

  it('is sent as a name, or as JSON with the name in it', () => {
    expect(writeCommand({ name: 'sleep', args: {} })).toBe('sleep');
    expect(writeCommand({ name: 'set_tx_power', args: { dbm: 17 } })).toBe('{"name":"set_tx_power","dbm":17}');
  });
});

it('what an argument is now comes from the newest value, else from the configuration', () => {
  const known = { configuration: { channel: 36, band: '5 GHz' }, latest: { tx_power_dbm: { ts: '', value: 17 } } };
  expect(valueNow('set_channel', 'channel', known)).toBe('36');
  expect(valueNow('set_channel', 'channel', { ...known, latest: { channel: { ts: '', value: 44 } } })).toBe('44');
  expect(valueNow('set_tx_power', 'dbm', known)).toBe('17');
  expect(valueNow('set_band', 'value', known)).toBe('5 GHz');
  expect(valueNow('steer_device', 'target', known)).toBeUndefined();
});

it('a command is put back with one command for all that had the same, or by its inverse; what is not known stays', () => {
  const at = (ap_id: string, dbm?: number) => ({
    ap_id,
    configuration: { commands: ['sleep', 'wake', power] },
    latest: dbm === undefined ? {} : { tx_power_dbm: { ts: '2026-01-01T00:00:00Z', value: dbm } },
  });
  const command = { name: 'set_tx_power', args: { dbm: 14 } };
  expect(wayBack(command, [at('a', 20), at('b'), at('c', 20), at('d', 17)])).toEqual([
    { command: '{"name":"set_tx_power","dbm":20}', ap_ids: ['a', 'c'] },
    { command: '{"name":"set_tx_power","dbm":17}', ap_ids: ['d'] },
  ]);
  expect(wayBack({ name: 'sleep', args: {} }, [at('a')])).toEqual([{ command: 'wake', ap_ids: ['a'] }]);
  expect(wayBack({ name: 'reboot', args: {} }, [at('a', 20)])).toEqual([]);
});
