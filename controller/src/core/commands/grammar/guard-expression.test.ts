import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isBroken, parseGuard } from './guard-expression.ts';

test.each([
  ['rsrp_dbm>-110', 'rsrp_dbm', '>', -110],
  ['load<0.9', 'load', '<', 0.9],
  [' load < 1e2 ', 'load', '<', 100],
  ['a>b<5', 'a>b', '<', 5],
  ['a<b>.5', 'a<b', '>', 0.5],
  ['Signal (dBm) ünï>+3', 'Signal (dBm) ünï', '>', 3],
  [`${'m'.repeat(256)}<1`, 'm'.repeat(256), '<', 1],
])('%s', (text, metric, comparison, limit) => {
  expect(parseGuard(text)).toEqual({ metric, comparison, limit });
});

test.each([
  ...['', '<', '>1', ' <1', 'load', 'load<', 'load<=5', 'load==5', 'load<x', 'load<NaN', 'load<Infinity', 'load<1e999'],
  ...['load<0x10', 'a,b<1', 'a\nb<1', 'a\0<1', 'load<1;', 'a\ud800<1', `${'m'.repeat(257)}<1`, `${'m'.repeat(1e6)}<1`],
])('refuses %.20j', (text) => {
  expect(() => parseGuard(text)).toThrow(
    expect.objectContaining({ problems: [expect.objectContaining({ loc: ['query', 'guard'], type: 'value_error' })] }),
  );
});

test('holds on one side of the limit only', () => {
  const above = parseGuard('sinr>10');
  expect([9, 10, 11].map((value) => isBroken(above, value))).toEqual([true, true, false]);
  const below = parseGuard('load<10');
  expect([9, 10, 11, Number.NaN].map((value) => isBroken(below, value))).toEqual([false, true, true, true]);
});

test('whatever metric and number it is made of, it gives back', () => {
  const metric = fc.stringMatching(/^[!-+\--~]([ -+\--~]{0,20}[!-+\--~])?$/);
  fc.assert(
    fc.property(
      metric,
      fc.constantFrom('<', '>'),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      (name, sign, limit) => {
        expect(parseGuard(`${name}${sign}${limit}`)).toEqual({
          metric: name,
          comparison: sign,
          limit: Number(`${limit}`),
        });
      },
    ),
  );
});
