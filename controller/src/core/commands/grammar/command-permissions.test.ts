import type { AppPermissions } from '@weft/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import type { Caller } from '../../base/caller.ts';
import { requireCommandPermission, standingOf } from './command-permissions.ts';

const app = (permissions: AppPermissions): Caller => ({ kind: 'third_party_app', id: '1', name: 'app', permissions });
const user: Caller = { kind: 'user', id: '2', name: 'u@x.test', roles: ['user'], isAdmin: false };
const agent: Caller = { kind: 'agent', id: '3', name: 'ap-1' };
const power = { set_tx_power: { dbm: { min: 5, max: 20 } }, sleep: {} };

test.each<[AppPermissions['commands'], string, Record<string, unknown>]>([
  [undefined, 'reboot', {}],
  [true, 'reboot', {}],
  [['sleep', 'wake'], 'wake', { any: 1 }],
  [power, 'set_tx_power', { dbm: 5 }],
  [power, 'set_tx_power', { dbm: 20 }],
  [power, 'sleep', { dbm: 99 }],
  [{ x: { v: { max: 1 } } }, 'x', { v: -1e9 }],
])('Z4 %j allows %s %j', (commands, name, args) => {
  expect(() => requireCommandPermission(app({ commands }), { name, args })).not.toThrow();
});

test.each<[AppPermissions['commands'], string, Record<string, unknown>]>([
  [false, 'sleep', {}],
  [[], 'sleep', {}],
  [['sleep'], 'wake', {}],
  [{}, 'sleep', {}],
  [power, 'wake', {}],
  [power, 'toString', {}],
  [power, 'set_tx_power', { dbm: 4.99 }],
  [power, 'set_tx_power', { dbm: 21 }],
  [power, 'set_tx_power', { dbm: '21' }],
  [power, 'set_tx_power', { dbm: [30] }],
  [power, 'set_tx_power', { dbm: null }],
  [power, 'set_tx_power', {}],
  [power, 'set_tx_power', { dbm: 20, note: 'x' }],
  [power, 'set_tx_power', { power: 99 }],
  [power, 'set_tx_power', { text: '99' }],
  [power, 'set_tx_power', { dbm: 20, toString: 1 }],
  [power, 'set_tx_power', { dbm: 20, ['__proto__']: 1 }],
  [{ x: { v: {} } }, 'x', {}],
])('Z4 %j refuses %s %j', (commands, name, args) => {
  expect(() => requireCommandPermission(app({ commands }), { name, args })).toThrow(
    expect.objectContaining({ name: 'PermissionError', code: 'command_not_permitted' }),
  );
});

test('no command that is allowed has a value outside of its limits, or one that has none', () => {
  const name = fc.constantFrom('a', 'b', 'dbm', 'toString', '__proto__', 'text');
  const bound = fc.option(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true })), { nil: undefined });
  const limits = fc.dictionary(name, fc.record({ min: bound, max: bound }), { maxKeys: 3 });
  const value = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.double(), fc.jsonValue({ maxDepth: 1 }));
  const values = fc.array(value, { minLength: 3, maxLength: 3 });
  let allowed = 0;
  fc.assert(
    fc.property(
      limits,
      fc.dictionary(name, value, { maxKeys: 3 }),
      fc.boolean(),
      values,
      (limits, any, isNamed, values) => {
        const args = isNamed ? Object.fromEntries(Object.keys(limits).map((arg, at) => [arg, values[at]])) : any;
        const commands = { x: limits } as AppPermissions['commands'];
        try {
          requireCommandPermission(app({ commands }), { name: 'x', args });
        } catch (error) {
          expect(error).toMatchObject({ code: 'command_not_permitted' });
          return;
        }
        if (Object.keys(limits).length === 0) return;
        allowed += 1;
        expect(Object.keys(args).sort()).toEqual(Object.keys(limits).sort());
        for (const [arg, { min = -Infinity, max = Infinity }] of Object.entries(limits)) {
          expect(args[arg]).toBeGreaterThanOrEqual(min);
          expect(args[arg]).toBeLessThanOrEqual(max);
        }
      },
    ),
    { numRuns: rounds(5000) },
  );
  expect(allowed).toBeGreaterThan(0);
});

test('people may, agents may not', () => {
  expect(() => requireCommandPermission(user, { name: 'sleep', args: {} })).not.toThrow();
  expect(() => requireCommandPermission(agent, { name: 'sleep', args: {} })).toThrow('Agents send no commands');
});

test('people stand above apps, and apps by their priority', () => {
  expect(standingOf(user)).toEqual({ rank: 2, priority: 50 });
  expect(standingOf(app({}))).toEqual({ rank: 1, priority: 50 });
  expect(standingOf(app({ priority: 0 }))).toEqual({ rank: 1, priority: 0 });
  expect(standingOf(app({ priority: 99.6 }))).toEqual({ rank: 1, priority: 100 });
});
