import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fingerprint, isSameWant, mergeWants } from './requested-value.ts';

const want = (args: Record<string, unknown>, name = 'x') => ({ name, args });

test.each([
  [{}, {}, true],
  [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
  [{ a: 0 }, { a: -0 }, true],
  [{ a: 1 }, { a: '1' }, false],
  [{ a: 1 }, { b: 1 }, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: [] }, { a: {} }, false],
  [{ a: [1, 2] }, { a: [2, 1] }, false],
  [{ a: null }, { a: {} }, false],
  [{ toString: 1 }, {}, false],
])('%j and %j: %s', (a, b, isSame) => {
  expect(isSameWant(want(a), want(b))).toBe(isSame);
  expect(isSameWant(want(b), want(a))).toBe(isSame);
  expect(fingerprint(want(a)) === fingerprint(want(b))).toBe(isSame);
});

test('the name is part of what is wanted', () => {
  expect(isSameWant(want({}, 'sleep'), want({}, 'wake'))).toBe(false);
  expect(fingerprint(want({}, 'sleep'))).not.toBe(fingerprint(want({}, 'wake')));
});

test('a fingerprint is short, and as good as the want itself', () => {
  const args = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
  fc.assert(
    fc.property(args, args, (a, b) => {
      const [left, right] = [want(a), want(b)];
      expect(fingerprint(left).length).toBeLessThanOrEqual(128);
      expect(fingerprint(left) === fingerprint(right)).toBe(isSameWant(left, right));
    }),
  );
  const long = (tail: string) => fingerprint(want({ a: 'x'.repeat(60_000) + tail }));
  expect(long('a').length).toBeLessThanOrEqual(128);
  expect(long('a')).not.toBe(long('b'));
});

test('numbers are merged one by one, the rest must agree', () => {
  const wants = [want({ x: 1, y: 10, mode: 'a' }), want({ y: 0, x: 3, mode: 'a' })];
  expect(mergeWants(wants, 'min', null)).toEqual({ x: 1, y: 0, mode: 'a' });
  expect(mergeWants(wants, 'max', null)).toEqual({ x: 3, y: 10, mode: 'a' });
  expect(mergeWants(wants, 'mean', null)).toEqual({ x: 2, y: 5, mode: 'a' });
  expect(mergeWants([...wants, want({ x: 1, y: 1, mode: 'b' })], 'min', null)).toBeUndefined();
  expect(mergeWants([want({ mode: 'a' }), want({ mode: 'a' })], 'min', null)).toBeUndefined();
  expect(mergeWants([], 'min', null)).toBeUndefined();
});

test('the largest numbers there are have a mean', () => {
  expect(mergeWants([want({ v: Number.MAX_VALUE }), want({ v: Number.MAX_VALUE })], 'mean', null)).toEqual({
    v: Number.MAX_VALUE,
  });
});
