// The rule for passwords of people beyond this machine.
import { describe, expect, it } from 'vitest';
import { isNameAsPassword, weaknessOfPassword } from './weak-password.ts';

describe('a password', () => {
  it.each(['password', 'PASSWORD', '12345678', 'qwertyuiop', 'Trustno1', ' password '])('%j is too common', (weak) => {
    expect(weaknessOfPassword(weak)).toContain('most common');
  });

  it.each(['        ', 'aaaaaaaa', 'AaAaAaAa', 'éééééééé', '🐎'.repeat(9)])('%j is one character', (weak) => {
    expect(weaknessOfPassword(weak)).toContain('repeated');
  });

  it.each(['correct horse battery', 'abababab', 'a password of mine', '🐎🐎🐎🐎🐎🐎🐎🐄', '# those of the'])(
    '%j is none of these',
    (good) => {
      expect(weaknessOfPassword(good)).toBeUndefined();
    },
  );

  it('is not the name, nor what stands before its @', () => {
    for (const same of ['ada.lovelace@x.test', 'ADA.LOVELACE', ' ada.lovelace ']) {
      expect(isNameAsPassword(same, 'ada.lovelace@x.test'), same).toBe(true);
    }
    expect(isNameAsPassword('ada.lovelace1', 'ada.lovelace@x.test')).toBe(false);
  });
});
