// Permissions on their way into the form and back.
import { expect, it } from 'vitest';
import { toPermissions, toPermissionValues } from './permission-form.ts';

const roundTrip = (permissions: Record<string, unknown>) => toPermissions(toPermissionValues(permissions));

it.each([
  ['nothing restricted', {}],
  ['a few agents', { agents: ['ap-*', 'x'] }],
  ['no agent at all', { agents: [] }],
  ['a site', { selector: 'site:uk/cardiff/**' }],
  ['a site and patterns', { agents: ['ap-*'], selector: 'tag:lobby' }],
  ['no reading, no commands, no emulation', { read: false, commands: false, emulator: false }],
  ['named commands', { commands: ['sleep', 'wake'] }],
  ['limits', { commands: { set_tx_power: { dbm: { min: -5, max: 20 }, w: { max: 0 } }, wake: {} } }],
  ['a limited emulator, a priority, other keys', { emulator: { max_access_points: 0 }, priority: 0, team: { a: [1] } }],
  ['an end', { expires_at: '2027-01-01T00:00:00.000Z' }],
])('%s comes back as it was', (_, permissions) => {
  expect(roundTrip(permissions)).toEqual(permissions);
});

it('what means the same as absent is left out', () => {
  expect(roundTrip({ read: true, write: true, commands: true, emulator: true })).toEqual({});
});

it('no writing becomes no commands and no emulation', () => {
  expect(roundTrip({ write: false, commands: ['sleep'] })).toEqual({ commands: false, emulator: false });
});

it.each([
  ['JSON that cannot be read', { permissions: '{' }, 'permissions'],
  ['JSON that is no object', { permissions: '[]' }, 'permissions'],
  ['a key that has a field', { permissions: '{"read":true}' }, 'permissions'],
  ['a number that is none', { emulatorMode: 'some', 'permissions.emulator': 'many' }, 'permissions.emulator'],
])('%s is refused beside its field', (_, change, field) => {
  const values = { ...toPermissionValues({}), ...change };
  expect(() => toPermissions(values)).toThrow(
    expect.objectContaining({ problems: [expect.objectContaining({ loc: ['body', ...field.split('.')] })] }),
  );
});

it('a priority that is no number is left to the server', () => {
  expect(toPermissions({ ...toPermissionValues({}), 'permissions.priority': 'high' })).toEqual({ priority: 'high' });
});
