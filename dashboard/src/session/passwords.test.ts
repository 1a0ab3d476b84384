// The meter must not praise what everybody tries first.
// Secrets made in the browser.
import { expect, it } from 'vitest';
import { passwordStrength, randomKey, randomPassword } from './passwords.ts';

it('says when the server would refuse it for its length', () => {
  expect(passwordStrength('Xy7$kq', 8)).toBe('too_short');
  expect(passwordStrength('Xy7$kqp', 8)).toBe('too_short');
  expect(passwordStrength('Xy7$kqpL', 8)).not.toBe('too_short');
});

it.each(['password1', 'aaaaaaaaaaaa', '12345678', 'abcdefghij', 'Passw0rd2024', 'adaada99'])(
  'calls %s weak',
  (word) => {
    expect(passwordStrength(word, 8, ['ada'])).toBe('weak');
  },
);

it.each(['correct horse battery', 'tK9!vmPq2#xz', 'violet-otter-harbour'])('calls %s strong', (words) => {
  expect(passwordStrength(words, 8, ['ada'])).toBe('strong');
});

it('grows with every word that is added', () => {
  expect(passwordStrength('harbour9', 8)).toBe('weak');
  expect(passwordStrength('harbourOtt9', 8)).toBe('fair');
  expect(passwordStrength('harbourOtter9', 8)).toBe('strong');
});

it('takes the characters of a name for what they are', () => {
  expect(passwordStrength('(.*)(.*)', 8, ['(.*)'])).toBe('weak');
});

it('a key has 256 bits and no character that a shell or an address would change', () => {
  expect(randomKey()).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(randomKey()).not.toBe(randomKey());
});

it('a password is in five groups without letters that look alike', () => {
  expect(randomPassword()).toMatch(/^([a-hjkmnp-z2-9]{4}-){4}[a-hjkmnp-z2-9]{4}$/);
  expect(randomPassword()).not.toBe(randomPassword());
});
