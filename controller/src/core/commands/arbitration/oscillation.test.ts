import { expect, test } from 'vitest';
import type { RecentValue } from './conflict-intent.ts';
import { isOscillating, withRecent } from './conflict-resolution.ts';

/** One letter a value, one second apart; its callers take turns. */
const recentOf = (values: string, callers = 'ab') => {
  let recent: RecentValue[] = [];
  for (const [index, value] of [...values].entries()) {
    const caller_id = callers[index % callers.length]!;
    recent = withRecent(recent, { value, caller_id, rank: 1, at: index * 1000 });
  }
  return recent;
};
const rules = { reversals: 3, window_s: 600, freeze_s: 600 };

test.each([
  ['ABABA', true],
  ['ABABAB', true],
  ['ABBBBABBBBBBBABBBBA', true],
  ['XYABABA', true],
  ['ACABADA', true],
  ['ABABAC', false],
  ['ABAB', false],
  ['ABCABC', false],
  ['ABCDEFGH', false],
  ['AAAAAAA', false],
  ['', false],
])('%s: %s', (values, isSo) => {
  expect(isOscillating(recentOf(values), rules, values.length * 1000)).toBe(isSo);
});

test('one caller may change its mind', () => {
  expect(isOscillating(recentOf('ABABA', 'a'), rules, 5000)).toBe(false);
});

test('only what is within the window counts', () => {
  expect(isOscillating(recentOf('ABABA'), { ...rules, window_s: 5 }, 4999)).toBe(true);
  expect(isOscillating(recentOf('ABABA'), { ...rules, window_s: 5 }, 5000)).toBe(false);
});

test('the most reversals that rules may ask for can be seen, and no more is kept', () => {
  const recent = recentOf('ABABABABABAB');
  expect(recent).toHaveLength(8);
  expect(isOscillating(recent, { ...rules, reversals: 6 }, 12_000)).toBe(true);
});

test('a repeat makes the value younger; it stays that of whoever brought it', () => {
  const first = { value: 'A', caller_id: 'a', rank: 1, at: 0 };
  const repeat = { value: 'A', caller_id: 'b', rank: 2, at: 5 };
  expect(withRecent([first], repeat)).toEqual([{ value: 'A', caller_id: 'a', rank: 2, at: 5 }]);
});
