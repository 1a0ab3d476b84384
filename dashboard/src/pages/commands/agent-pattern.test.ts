// Patterns over names.
import { expect, it } from 'vitest';
import { isPattern, matchesPattern } from './agent-pattern.ts';

it('a pattern means every name it fits', () => {
  expect(matchesPattern('ap-lab-*', 'ap-lab-7')).toBe(true);
  expect(matchesPattern('ap-?', 'ap-7')).toBe(true);
  expect(matchesPattern('ap-?', 'ap-17')).toBe(false);
  expect(matchesPattern('a.b+c', 'a.b+c')).toBe(true);
  expect(matchesPattern('a.b', 'axb')).toBe(false);
  expect(['ap-1', 'ap-*', 'ap-?'].map(isPattern)).toEqual([false, true, true]);
});
