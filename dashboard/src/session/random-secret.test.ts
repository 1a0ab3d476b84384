// Secrets made in the browser.
import { expect, it } from 'vitest';
import { randomKey, randomPassword } from './random-secret.ts';

it('a key has 256 bits and no character that a shell or an address would change', () => {
  expect(randomKey()).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(randomKey()).not.toBe(randomKey());
});

it('a password is in five groups without letters that look alike', () => {
  expect(randomPassword()).toMatch(/^([a-hjkmnp-z2-9]{4}-){4}[a-hjkmnp-z2-9]{4}$/);
  expect(randomPassword()).not.toBe(randomPassword());
});
