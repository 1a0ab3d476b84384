// The meter must not praise what everybody tries first.
import { expect, it } from 'vitest';
import { passwordStrength } from './password-strength.ts';

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
