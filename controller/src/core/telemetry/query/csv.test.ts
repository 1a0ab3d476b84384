import { csvCell } from '@weft/contract/enrolment-line';
import { expect, test } from 'vitest';
import type { Frame } from '../store/telemetry-store.ts';
import { csvRows } from './export-pieces.ts';

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
  ['\x1b[2J\0\x9b', '\\u{1b}[2J\\u{0}\\u{9b}'],
])('X4 %j becomes %j', (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});

test('a row has a cell for each name, also where the page has no values of it', () => {
  const frame = {
    resolution_seconds: null,
    ts: Float64Array.of(0, 1_000),
    columns: new Map([['b', Float64Array.of(1, Number.NaN)]]),
    texts: new Map([['d', [undefined, 'x,y']]]),
  };
  expect([...csvRows(['a', 'b', 'c', 'd', 'e', 'f'], frame as unknown as Frame)].join('').split('\r\n')).toEqual([
    '1970-01-01T00:00:00.000Z,,1,,,,',
    '1970-01-01T00:00:01.000Z,,,,"x,y",,',
    '',
  ]);
  expect([...csvRows([], frame as unknown as Frame)].join('')).toBe(
    '1970-01-01T00:00:00.000Z\r\n1970-01-01T00:00:01.000Z\r\n',
  );
});
