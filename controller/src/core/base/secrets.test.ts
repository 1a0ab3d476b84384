// What is derived from the secret of the installation, and what only the right key opens.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateSecret, hashGeneratedSecret, Keyring } from './secrets.ts';

const [older, newer] = [generateSecret(), generateSecret()];

describe('a keyring', () => {
  const keyring = new Keyring(older);

  it('opens what it encrypted, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 600 }), fc.string(), (text, context) => {
        expect(keyring.decrypt(keyring.encrypt(text, context), context)).toBe(text);
      }),
    );
  });

  it('never encrypts twice alike, and shows nothing of the text', () => {
    const [first, second] = [keyring.encrypt('an api key', 'id'), keyring.encrypt('an api key', 'id')];
    expect(first).not.toBe(second);
    expect(first).not.toContain('an api key');
    expect(first).not.toContain(Buffer.from('an api key').toString('base64url'));
  });

  it('makes equal fingerprints of equal texts only, and others with another secret', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const fingerprint = keyring.fingerprint(one);
        expect(fingerprint).toMatch(/^[\w-]{22}$/);
        expect(keyring.fingerprint(other) === fingerprint).toBe(one === other);
        expect(new Keyring(newer).fingerprint(one)).not.toBe(fingerprint);
      }),
    );
  });

  it('does not open a ciphertext that was moved to another record', () => {
    expect(() => keyring.decrypt(keyring.encrypt('an api key', 'record 1'), 'record 2')).toThrow();
  });

  it('does not open a ciphertext of which one character of key id, nonce or body was changed, or the end cut off', () => {
    const ciphertext = keyring.encrypt('an api key', 'id');
    const start = ciphertext.indexOf('.') + 1;
    // The last character of a part also carries bits that mean nothing.
    for (let at = start; at < ciphertext.length - 1; at++) {
      if (ciphertext[at] === '.' || ciphertext[at + 1] === '.') continue;
      const changed = ciphertext.slice(0, at) + (ciphertext[at] === 'A' ? 'B' : 'A') + ciphertext.slice(at + 1);
      expect(() => keyring.decrypt(changed, 'id'), `character ${at}`).toThrow();
      expect(() => keyring.decrypt(ciphertext.slice(0, at), 'id'), `cut at ${at}`).toThrow();
    }
  });

  it('does not open what another installation encrypted', () => {
    expect(() => keyring.decrypt(new Keyring(newer).encrypt('an api key', 'id'), 'id')).toThrow('not configured');
  });

  it('opens and verifies with previous secrets, but encrypts and signs with the newest', () => {
    const ciphertext = keyring.encrypt('an api key', 'id');
    const rotated = new Keyring(newer, [older]);
    expect(rotated.decrypt(ciphertext, 'id')).toBe('an api key');
    expect(rotated.isOutdated(ciphertext)).toBe(true);
    expect(rotated.isOutdated(rotated.encrypt('an api key', 'id'))).toBe(false);
    expect(new Keyring(newer).decrypt(rotated.encrypt('an api key', 'id'), 'id')).toBe('an api key');
    expect(rotated.tokenKeys).toEqual([...new Keyring(newer).tokenKeys, ...keyring.tokenKeys]);
  });

  it('signs with a key of 256 bits that is not the secret itself', () => {
    expect(keyring.tokenKeys).toHaveLength(1);
    expect(keyring.tokenKeys[0]).toHaveLength(32);
    expect(Buffer.from(keyring.tokenKeys[0]!)).not.toEqual(Buffer.from(older, 'base64url'));
    expect(keyring.tokenKeys).not.toEqual(new Keyring(newer).tokenKeys);
  });

  it('derives one set-up code from the newest secret, in letters nobody mistakes for another', () => {
    expect(keyring.setupCode).toMatch(/^([A-HJ-NP-Z2-9]{4}-){2}[A-HJ-NP-Z2-9]{4}$/);
    expect(new Keyring(older, [newer]).setupCode).toBe(keyring.setupCode);
    expect(new Keyring(newer, [older]).setupCode).not.toBe(keyring.setupCode);
  });
});

describe('a generated secret', () => {
  it('has 256 bits and is never the same', () => {
    const secrets = new Set(Array.from({ length: 100 }, generateSecret));
    expect(secrets.size).toBe(100);
    for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  });

  it('is kept as its SHA-256', () => {
    expect(hashGeneratedSecret('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
  });
});
