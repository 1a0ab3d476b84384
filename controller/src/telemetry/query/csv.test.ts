import { expect, test } from 'vitest';
import { csvCell } from './export-pieces.ts';

test.each([
  ['plain', 'plain'],
  ['', ''],
  ['=HYPERLINK("http://x";"y")', `"'=HYPERLINK(""http://x"";""y"")"`],
  ['+1+1', "'+1+1"],
  ['-cmd', "'-cmd"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', `"'\r=1"`],
  ['\n=1', `"'\n=1"`],
  ['-5', '-5'],
  ['+5.25', '+5.25'],
  ['-1e-7', '-1e-7'],
  ['-5 +1', "'-5 +1"],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ['two\nlines', '"two\nlines"'],
  [' x', '" x"'],
])('X4 %j becomes %j', (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});
