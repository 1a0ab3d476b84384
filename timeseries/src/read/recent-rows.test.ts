import { expect, test } from 'vitest';
import type { Rows } from '../blocks/block-codec.ts';
import { RecentRows } from './recent-rows.ts';

/** A row a second from the first time on, with the field's number in each of its values; counts how often it is read. */
class Source {
  reads: { startMs: number; fields: readonly number[] }[] = [];
  readonly rows: number;

  constructor(rows = 10) {
    this.rows = rows;
  }

  readonly read = (startMs: number, fields: readonly number[]): Rows => {
    this.reads.push({ startMs, fields: [...fields] });
    const ts = Float64Array.from({ length: this.rows }, (_, row) => row * 1000).filter((time) => time >= startMs);
    const columns = new Map(fields.map((field) => [field, new Float64Array(ts.length).fill(field)]));
    return { ts, columns, texts: new Map() };
  };
}

test('a window that moves on is read once', () => {
  const [recent, source] = [new RecentRows(), new Source()];
  const first = recent.rows(source, 1000, [1, 2], source.read);
  const later = recent.rows(source, 5000, [1, 2], source.read);
  expect(later).toEqual(first);
  expect(source.reads).toHaveLength(1);
});

test('an earlier start or another metric is read with what is known, and then both are known', () => {
  const [recent, source] = [new RecentRows(), new Source()];
  recent.rows(source, 5000, [1], source.read);
  expect([...recent.rows(source, 2000, [2], source.read).columns.keys()]).toEqual([2]);
  const reads = source.reads.length;
  const one = recent.rows(source, 5000, [1], source.read);
  const two = recent.rows(source, 2000, [2], source.read);
  expect([[...one.columns.keys()], [...two.columns.keys()]]).toEqual([[1], [2]]);
  expect(two.ts[0]).toBe(2000);
  expect(source.reads).toHaveLength(reads);
  expect(source.reads.at(-1)).toEqual({ startMs: 2000, fields: [1, 2] });
});

test('what is replaced is read anew, and what is too long is not kept and drives nothing out', () => {
  const [recent, source] = [new RecentRows(), new Source(100_000)];
  const short = 99_990_000;
  recent.rows(source, short, [1], source.read);
  expect(recent.rows(source, 0, [1], source.read).ts).toHaveLength(100_000);
  recent.rows(source, short, [1], source.read);
  expect(source.reads).toHaveLength(2);
  const replaced = new Source(100_001);
  expect(recent.rows(replaced, short, [1], replaced.read).ts).toHaveLength(11);
});

test('memory is bounded, and the least lately asked for goes first', () => {
  const probe = new RecentRows();
  const one = new Source();
  probe.rows(one, 0, [1], one.read);
  const recent = new RecentRows(2 * probe.bytes);
  const sources = [new Source(), new Source(), new Source()];
  const [a, b, c] = sources as [Source, Source, Source];
  for (const source of [a, b, a, c, a]) recent.rows(source, 0, [1], source.read);
  expect(recent.bytes).toBe(2 * probe.bytes);
  recent.rows(b, 0, [1], b.read);
  expect(sources.map(({ reads }) => reads.length)).toEqual([1, 2, 1]);
});

test('what is kept has memory of its own', () => {
  const recent = new RecentRows();
  const column = new Float64Array(1000).fill(7);
  const read = (): Rows => ({
    ts: new Float64Array(2),
    columns: new Map([[1, column.subarray(10, 12)]]),
    texts: new Map(),
  });
  const source = {};
  recent.rows(source, 0, [1], read);
  expect(recent.rows(source, 0, [1], read).columns.get(1)!.buffer.byteLength).toBe(16);
});
