import fc from 'fast-check';
import { expect, it } from 'vitest';
import { generateAgentSecret, isGeneratedSecret } from './agent-secret.ts';

it('is recognised, and fits where a password goes', () => {
  const secrets = Array.from({ length: 100 }, generateAgentSecret);
  for (const secret of secrets) {
    expect(isGeneratedSecret(secret)).toBe(true);
    expect(secret.length).toBeLessThanOrEqual(128);
  }
  expect(new Set(secrets).size).toBe(100);
});

it('is not what differs from it in one letter, is longer, shorter, or in capitals', () => {
  fc.assert(
    fc.property(fc.nat(75), fc.constantFrom(...'0123456789abcdefABCDEFxyz_- \n'), (at, letter) => {
      const secret = generateAgentSecret();
      const changed = secret.slice(0, at) + letter + secret.slice(at + 1);
      expect(isGeneratedSecret(changed)).toBe(changed === secret);
      expect(isGeneratedSecret(secret + letter)).toBe(false);
      expect(isGeneratedSecret(secret.slice(0, at))).toBe(false);
    }),
  );
  const secret = generateAgentSecret();
  expect(isGeneratedSecret(secret.toUpperCase())).toBe(false);
  expect(isGeneratedSecret(` ${secret}`)).toBe(false);
  expect(isGeneratedSecret(`${secret}\n`)).toBe(false);
});

it('is not a password that somebody chose, whatever it begins with', () => {
  fc.assert(fc.property(fc.string(), (text) => !isGeneratedSecret(text) && !isGeneratedSecret(`wfs_${text}`)));
  expect(isGeneratedSecret('wfs_')).toBe(false);
  expect(isGeneratedSecret(`wfs_${'0'.repeat(72)}`)).toBe(false);
});
