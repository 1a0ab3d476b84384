import { expect, test } from 'vitest';
import { toShellWord } from './enrolment-line.ts';

test.each([
  ['planner', 'planner'],
  ['username=a@b.co', 'username=a@b.co'],
  ['My App', "'My App'"],
  ["it's; $(reboot)", "'it'\\''s; $(reboot)'"],
  ['', "''"],
])('%s is %s', (text, word) => {
  expect(toShellWord(text)).toBe(word);
});
