import { describe, expect, test } from 'vitest';
import { defaultParameter, readDeclaredCommands } from './declared-commands.ts';

test.each([
  ['sleep', 'power_state'],
  ['wake', 'power_state'],
  ['turn_on', 'power_state'],
  ['turn_off', 'power_state'],
  ['on', 'power_state'],
  ['off', 'power_state'],
  ['power_on', 'power_state'],
  ['power_off', 'power_state'],
  ['enable', 'power_state'],
  ['disable', 'power_state'],
  ['enabled', 'enabled'],
  ['set_tx_power', 'tx_power'],
  ['set_channel', 'channel'],
  ['set_report_interval', 'report_interval'],
  ['steer_device', 'steering'],
  ['reboot', 'reboot'],
  ['set_', 'set_'],
  ['set_5', 'set_5'],
  ['constructor', 'constructor'],
])('%s sets %s', (name, parameter) => {
  expect(defaultParameter(name)).toBe(parameter);
});

describe('the list of an agent', () => {
  test('is names and declarations', () => {
    const commands = readDeclaredCommands({
      commands: [
        'sleep',
        { name: 'set_tx_power', params: { dbm: { type: 'number', minimum: 0, maximum: 20, unit: 'dBm' } } },
        { name: 'tune', parameter: 'channel' },
      ],
    });
    expect([...commands!.values()]).toEqual([
      { name: 'sleep', parameter: 'power_state' },
      { name: 'set_tx_power', parameter: 'tx_power', params: { dbm: { type: 'number', minimum: 0, maximum: 20 } } },
      { name: 'tune', parameter: 'channel' },
    ]);
  });

  test.each([undefined, null, 'sleep', { sleep: true }, 7])('is none: %j', (commands) => {
    expect(readDeclaredCommands({ commands })).toBeUndefined();
  });

  test('leaves out what makes no sense', () => {
    const commands = readDeclaredCommands({
      commands: [
        ...[
          null,
          1,
          [],
          {},
          '',
          'a b',
          { name: 7 },
          { name: '__proto__' },
          { name: 'x', parameter: 'no good', params: [] },
        ],
        {
          name: 'y',
          params: {
            a: 7,
            b: { type: 'float', minimum: '1', maximum: null, multipleOf: 0, enum: 'a' },
            c: { enum: [{}] },
          },
        },
      ],
    });
    expect([...commands!.values()]).toEqual([
      { name: 'x', parameter: 'x' },
      { name: 'y', parameter: 'y', params: { a: {}, b: {}, c: {} } },
    ]);
  });

  test('says which arguments may be left out', () => {
    const params = {
      a: { type: 'number' },
      b: { optional: true },
      c: { required: false },
      d: { default: 7 },
      e: { default: null },
      f: { optional: 'yes', required: true },
    };
    const found = readDeclaredCommands({ commands: [{ name: 'x', params }] })!.get('x')!;
    const isOptional = Object.entries(found.params!).filter(([, { optional }]) => optional);
    expect(isOptional.map(([arg]) => arg)).toEqual(['b', 'c', 'd', 'e']);
  });

  test('has units for whoever asks for them', () => {
    const dbm = { type: 'number', minimum: 0, unit: 'dBm' };
    const commands = [{ name: 'set_tx_power', params: { dbm, other: { unit: 7 } } }];
    const found = readDeclaredCommands({ commands }, { withUnits: true })!.get('set_tx_power');
    expect(found?.params).toEqual({ dbm, other: {} });
  });
});
