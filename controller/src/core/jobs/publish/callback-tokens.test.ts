// Callback tokens: who they open a job to, and whom not.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateSecret, Keyring } from '../../base/secrets.ts';
import { CallbackTokens } from './callback-tokens.ts';

const [older, newer] = [generateSecret(), generateSecret()];
const tokens = new CallbackTokens(new Keyring(older));
const job = '0f6c1d3e-6a55-4f0e-9c37-2b5d8a4b7f10';

describe('a callback token', () => {
  it('names its job, and is the same each time', () => {
    expect(tokens.create(job)).toMatch(/^wcb\.0f6c1d3e-6a55-4f0e-9c37-2b5d8a4b7f10\.[\w-]{43}$/);
    expect(tokens.create(job)).toBe(tokens.create(job));
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (number) => {
        expect(tokens.verify(tokens.create(number))).toBe(number);
      }),
    );
  });

  it('is refused when one character of it was changed, or the end cut off', () => {
    const token = tokens.create(job);
    for (let at = 0; at < token.length; at += 1) {
      const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
      expect(tokens.verify(changed), `character ${at}`).toBeUndefined();
      expect(tokens.verify(token.slice(0, at)), `cut at ${at}`).toBeUndefined();
    }
  });

  it('is refused with the number of another job, or from another installation', () => {
    const mac = tokens.create('b').slice('wcb.b.'.length);
    expect(tokens.verify(`wcb.a.${mac}`)).toBeUndefined();
    expect(tokens.verify(new CallbackTokens(new Keyring(newer)).create(job))).toBeUndefined();
  });

  it('is refused whatever it looks like, and nothing is thrown', () => {
    for (const odd of [
      '',
      'wcb.',
      'wcb..',
      'wcb.a',
      'wcb..é',
      `wcb.${job}.${'é'.repeat(43)}`,
      'eyJ.a.b',
      '.'.repeat(99),
    ])
      expect(tokens.verify(odd), odd).toBeUndefined();
  });

  it('opens its job while the secret is being changed, and not afterwards', () => {
    const token = tokens.create(job);
    const rotating = new CallbackTokens(new Keyring(newer, [older]));
    expect(rotating.verify(token)).toBe(job);
    expect(rotating.create(job)).toBe(new CallbackTokens(new Keyring(newer)).create(job));
    expect(new CallbackTokens(new Keyring(newer)).verify(token)).toBeUndefined();
  });

  it('is signed with a key of its own', () => {
    const keyring = new Keyring(older);
    expect(keyring.callbackKeys[0]).not.toEqual(keyring.tokenKeys[0]);
  });
});
