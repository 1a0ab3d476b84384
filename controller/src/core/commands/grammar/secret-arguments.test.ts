// Which arguments are secrets, and that nothing of them is left where they are not to be.
import type { DeclaredCommand } from '@weft/contract/declared-commands';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { generateSecret, Keyring } from '../../base/secrets.ts';
import { withoutEchoes, withoutSecretArguments, withSecretArguments } from './secret-arguments.ts';

const keyring = new Keyring(generateSecret());
const print = (text: string) => keyring.fingerprint(text);
const hide = (name: string, args: Record<string, unknown>, declaration: DeclaredCommand | null = null) =>
  withoutSecretArguments({ name, args }, declaration, print);
const isFingerprint = expect.stringMatching(/^secret:[\w-]{22}$/);

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['set_wifi', { ssid: 'lab', psk: 'x' }, { ssid: 'lab', psk: isFingerprint }],
  [
    'set_wifi',
    { psk: null, token: { a: 1 }, key: 7 },
    { psk: isFingerprint, token: isFingerprint, key: isFingerprint },
  ],
  ['set', { wifi: [{ ssid: 'lab', psk: 'x' }], n: 1 }, { wifi: [{ ssid: 'lab', psk: isFingerprint }], n: 1 }],
  ['set', { text: 'wifi password hunter2' }, { text: isFingerprint }],
  ['log_in', { user: 'ada', pass: 'x', pin: 1234 }, { user: 'ada', pass: isFingerprint, pin: isFingerprint }],
  ['set', { text: 'psk=hunter2' }, { text: isFingerprint }],
  ['set_password', { value: 'hunter2', length: 8 }, { value: isFingerprint, length: 8 }],
  ['password', { text: 'hunter2' }, { text: isFingerprint }],
])('%s %j', (name, args, shown) => {
  expect(hide(name, args)).toEqual(shown);
});

test('a declaration says more than a name', () => {
  const params = { community: { secret: true }, key: { secret: false }, psk: {} };
  const declaration = { name: 'x', parameter: 'x', params };
  expect(hide('x', { community: 'public', key: 7, psk: 'p' }, declaration)).toEqual({
    ...{ community: isFingerprint, key: 7, psk: isFingerprint },
  });
});

test('arguments without secrets are the same object', () => {
  const args = { dbm: 17, deep: { a: [1, { b: null }] }, text: 'channel 36', ['__proto__']: 1 };
  expect(hide('set_tx_power', args)).toBe(args);
});

test('nothing of a secret is left, equal ones are equal, and the agent gets what was given', () => {
  const canary = 'canary-3a7f';
  const secretName = fc.constantFrom('password', 'psk', 'api_key', 'accessToken', 'key_2');
  const plainName = fc.constantFrom('ssid', 'n', '__proto__', 'toString', 'value');
  const secret = fc.oneof(fc.constant(canary), fc.constant([canary]), fc.constant({ a: { b: canary } }));
  const plain = fc.jsonValue({ maxDepth: 2 });
  const inside = fc.dictionary(secretName, secret, { minKeys: 1, maxKeys: 2 });
  const args = fc
    .tuple(
      fc.dictionary(plainName, fc.oneof(plain, inside, fc.array(inside, { maxLength: 2 })), { maxKeys: 3 }),
      fc.dictionary(secretName, secret, { minKeys: 1, maxKeys: 2 }),
    )
    .map(([plain, secret]) => ({ ...plain, ...secret }));
  fc.assert(
    fc.property(args, (args) => {
      const shown = hide('set', args);
      expect(JSON.stringify(shown)).not.toContain(canary);
      expect(Object.keys(shown)).toEqual(Object.keys(args));
      expect(hide('set', structuredClone(args))).toEqual(shown);
      expect(withSecretArguments(shown, shown, args)).toEqual(args);
      expect(JSON.stringify(withoutEchoes({ applied: args, deep: [args] }, shown))).not.toContain(canary);
    }),
  );
});
