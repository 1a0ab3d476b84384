// How times are written.
import { expect, it } from 'vitest';
import { formatAge, formatExactly, formatMoment, formatSpan } from './times.ts';

it.each([
  [0, '0\u2009s'],
  [40, '40\u2009s'],
  [65, '1\u2009min'],
  [7199, '1\u2009h'],
  [500_000, '5\u2009d'],
])('a span of %d s in one part is %s', (seconds, text) => {
  expect(formatSpan(seconds)).toBe(text);
});

it('a span in two parts leaves out what is nothing', () => {
  expect([formatSpan(125, 2), formatSpan(7200, 2), formatSpan(86_400 + 60, 2)]).toEqual([
    '2\u2009min 5\u2009s',
    '2\u2009h',
    '1\u2009d',
  ]);
});

it('an age begins with now', () => {
  expect([formatAge(0.4), formatAge(3)]).toEqual(['just now', '3\u2009s']);
});

it('a moment has its date unless it is today', () => {
  const noon = Date.UTC(2026, 0, 5, 12, 30, 9);
  expect(formatMoment(noon, noon + 1000)).toBe('12:30:09');
  expect(formatMoment(noon, noon + 86_400_000)).toBe('5 Jan 12:30:09');
  expect(formatMoment(noon, noon + 365 * 86_400_000)).toBe('5 Jan 2026 12:30:09');
  expect(formatExactly(noon)).toBe('2026-01-05 12:30:09.000 UTC');
});
