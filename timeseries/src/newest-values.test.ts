import { expect, test } from 'vitest';
import { NewestValues } from './newest-values.ts';
import type { Sample } from './time-series.ts';

const sample = (ts: number, fields: Record<string, number>): Sample => ({
  ts,
  names: Object.keys(fields),
  values: Object.values(fields),
  texts: [],
});
const metric = (name: string, ts: number, value: number) => ({ name, ts, value });

function loaded(): NewestValues {
  const newest = new NewestValues();
  newest.expect('ap-1');
  newest.load({ source: 'ap-1', metrics: [metric('a', 10, 1), metric('b', 10, 2)] });
  return newest;
}

test('each metric keeps its newest value; of the same time the later one counts', () => {
  const newest = loaded();
  newest.recorded('ap-1', [sample(20, { a: 3 }), sample(5, { b: 9, c: 4 }), sample(20, { a: 6 })]);
  expect(newest.get('ap-1')?.metrics).toEqual([metric('a', 20, 6), metric('b', 10, 2), metric('c', 5, 4)]);
});

test('samples that share their names are told apart by their times', () => {
  const newest = loaded();
  const names = ['a'];
  for (const [ts, value] of [
    [30, 1],
    [20, 2],
    [40, 3],
  ] as const) {
    newest.recorded('ap-1', [{ ts, names, values: [value], texts: [] }]);
  }
  expect(newest.get('ap-1')?.metrics[0]).toEqual(metric('a', 40, 3));
});

test('it is the same object until something newer comes', () => {
  const newest = loaded();
  const first = newest.get('ap-1');
  expect(newest.get('ap-1')).toBe(first);
  newest.recorded('ap-1', [sample(11, { a: 1 })]);
  expect(newest.get('ap-1')).not.toBe(first);
});

test('what is stored while the values are on their way is not missed', () => {
  const newest = new NewestValues();
  newest.expect('ap-1');
  newest.recorded('ap-1', [sample(20, { a: 7 })]);
  expect(newest.get('ap-1')).toBeUndefined();
  expect(newest.load({ source: 'ap-1', metrics: [metric('a', 10, 1)] }).metrics).toEqual([metric('a', 20, 7)]);
});

test('more than can wait, sources that are forgotten, and those nobody asks for are read anew', () => {
  const newest = new NewestValues();
  newest.expect('ap-1');
  for (let ts = 0; ts < 20; ts++) newest.recorded('ap-1', [sample(ts, { [`m${ts}`]: ts })]);
  newest.load({ source: 'ap-1', metrics: [] });
  expect(newest.get('ap-1')).toBeUndefined();

  const other = loaded();
  for (let ts = 0; ts < 20; ts++) other.recorded('ap-1', [sample(ts, { [`m${ts}`]: ts })]);
  expect(other.get('ap-1')?.metrics).toHaveLength(22);
  other.forget('ap-1');
  expect(other.get('ap-1')).toBeUndefined();

  const unasked = loaded();
  for (let post = 0; post < 200_001; post++) unasked.recorded('ap-2', []);
  expect(unasked.get('ap-1')).toBeUndefined();
});
