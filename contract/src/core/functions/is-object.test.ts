import { expect, test } from 'vitest';
import { parseJson, parseObject } from './is-object.ts';

test('what is no JSON is undefined, and null is null', () => {
  expect(['{"a":1}', '[2]', 'null', '', '{', 'ap-1'].map(parseJson)).toEqual([
    { a: 1 },
    [2],
    null,
    undefined,
    undefined,
    undefined,
  ]);
});

test('only objects are objects', () => {
  expect(['{"a":1}', '[2]', 'null', '"a"', '{'].map(parseObject)).toEqual([
    { a: 1 },
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('bytes are read as UTF-8, and are none if they are no UTF-8', () => {
  expect(parseObject(Buffer.from('{"a":"é"}'))).toEqual({ a: 'é' });
  expect(parseJson(Buffer.from('"é"', 'latin1'))).toBeUndefined();
});
