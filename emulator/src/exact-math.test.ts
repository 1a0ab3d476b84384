import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  atan,
  atan2,
  cos,
  degrees,
  exp,
  exp2,
  fromDb,
  hypot,
  ln,
  log2,
  log10,
  pow,
  radians,
  rounded,
  sin,
  toDb,
} from '@weft/contract/exact-math';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const close = (mine: number, theirs: number) => Math.abs(mine - theirs) <= 1e-13 * Math.max(1, Math.abs(theirs));

test('logarithms, powers and angles agree with the engine to thirteen digits', () => {
  const positive = fc.double({ min: 1e-300, max: 1e300, noNaN: true });
  fc.assert(
    fc.property(
      positive,
      (x) => close(log2(x), Math.log2(x)) && close(log10(x), Math.log10(x)) && close(ln(x), Math.log(x)),
    ),
  );
  fc.assert(
    fc.property(fc.double({ min: -700, max: 700, noNaN: true }), (x) => {
      return Math.abs(exp2(x) / 2 ** x - 1) < 1e-13 && Math.abs(exp(x) / Math.exp(x) - 1) < 1e-12;
    }),
  );
  fc.assert(
    fc.property(fc.double({ min: -20, max: 20, noNaN: true }), (x) => {
      return close(sin(x), Math.sin(x)) && close(cos(x), Math.cos(x)) && close(atan(x), Math.atan(x));
    }),
  );
  fc.assert(
    fc.property(fc.double({ min: 1e-3, max: 1, noNaN: true }), fc.double({ min: 0, max: 20, noNaN: true }), (x, y) => {
      return Math.abs(pow(x, y) / x ** y - 1) < 1e-11;
    }),
  );
});

test('the angle and the length of a point agree with the engine in all quarters and on the axes', () => {
  const coordinate = fc.oneof(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.constantFrom(0, 1, -1, 1e-9, -1e-9));
  fc.assert(
    fc.property(coordinate, coordinate, (x, y) => {
      expect(close(hypot(x, y), Math.hypot(x, y))).toBe(true);
      // The engine tells zero from minus zero; a place on the globe does not.
      expect(close(atan2(y, x), Math.atan2(y + 0, x + 0))).toBe(true);
    }),
  );
  expect([atan2(0, 0), atan2(0, -1), atan2(1, 0), atan2(-1, 0)]).toEqual([0, Math.PI, Math.PI / 2, -Math.PI / 2]);
});

test('decibels and degrees go there and back', () => {
  expect(toDb(100)).toBeCloseTo(20, 12);
  expect(fromDb(-30)).toBeCloseTo(0.001, 15);
  expect(degrees(radians(57))).toBeCloseTo(57, 12);
});

test('the edges stay numbers that can be compared', () => {
  expect([log2(0), log2(-1), ln(Number.NaN)]).toEqual([-Infinity, -Infinity, -Infinity]);
  expect(exp2(5000)).toBe(2 ** 1023);
  expect(exp2(-5000)).toBe(2 ** -1022);
  expect([rounded(1.23456), rounded(-0.00001)]).toEqual([1.2346, 0]);
});

test('nothing in the model calls a function whose last bits are up to the engine', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  expect(files.length).toBeGreaterThan(5);
  const inexact = files.flatMap((file) => {
    const code = readFileSync(join(import.meta.dirname, file), 'utf8').replaceAll(/\/\/.*|\/\*[\s\S]*?\*\//g, '');
    const calls =
      code.match(/Math\.(?!abs|ceil|floor|imul|max|min|round|sqrt|trunc|PI|SQRT1_2|SQRT2|LN2)\w+|\*\*/g) ?? [];
    return calls.map((call) => `${file}: ${call}`);
  });
  expect(inexact).toEqual([]);
});
