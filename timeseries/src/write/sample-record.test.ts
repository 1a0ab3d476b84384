// A run of samples leaves a head as its samples do one by one, whatever was in it before.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { Head, type SampleRun } from '../heads/head.ts';
import { RecordWriter, readRecord, toNumberedSource } from './sample-record.ts';

const names = ['a', 'b', 'c'];
const source = toNumberedSource(
  7,
  [...names, 'text'].map((name, no) => ({ name, no, isText: name === 'text' })),
);

const sample = fc.record({
  ts: fc.integer({ min: 0, max: 40 }),
  names: fc.subarray(names, { minLength: 1 }),
  value: fc.integer(),
  text: fc.option(fc.constantFrom('x', 'y'), { nil: undefined, freq: 12 }),
});
/** As in a batch: the same metrics, one time after the other. */
const batch = fc
  .record({
    start: fc.integer({ min: 0, max: 40 }),
    steps: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 40 }),
    names: fc.subarray(names, { minLength: 1 }),
  })
  .map(({ start, steps, names }) => {
    let ts = start;
    return steps.map((step, index) => {
      ts += step;
      return { ts, names, value: index, text: undefined };
    });
  });

test('a head with runs is the head without them', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(batch, fc.array(sample, { maxLength: 5 })), { maxLength: 6 }),
      fc.nat(),
      (all, cut) => {
        const [head, model] = [new Head(), new Head()];
        for (const samples of all) {
          const writer = new RecordWriter();
          writer.add(
            source,
            samples.map(({ ts, names, value, text }) => ({
              ts,
              names,
              values: names.map((_, index) => value + index / 4),
              texts: text === undefined ? [] : [['text', text]],
            })),
          );
          const record = writer.take();
          readRecord(record, { ...intoHead(head), run: (_source, run) => head.addRun(run) });
          readRecord(record, intoHead(model));
          if (all.length > 3 && cut % 3 === 0)
            for (const each of [head, model]) each.removeFirst(Math.min(each.count, 2));
        }
        expect(rowsOf(head)).toEqual(rowsOf(model));
        expect(head.bytes).toBe(model.bytes);
      },
    ),
    { numRuns: rounds(500) },
  );
});

function intoHead(head: Head) {
  let row = 0;
  return {
    sample: (_source: number, ts: number) => {
      row = head.row(ts);
    },
    value: (field: number, value: number) => head.setValue(row, field, value),
    text: (field: number, text: string) => head.setText(row, field, text),
  };
}

function rowsOf({ ts, columns, texts }: Head) {
  return { ts: [...ts], columns: [...columns].map(([field, values]) => [field, ...values]).sort(), texts: [...texts] };
}

test('a batch is added as one run: behind the last row, into a gap, and over itself', () => {
  const head = new Head();
  const taken: boolean[] = [];
  const add = (...times: number[]) => {
    const writer = new RecordWriter();
    writer.add(
      source,
      times.map((ts) => ({ ts, names: ['a', 'b'], values: [ts, -ts], texts: [] })),
    );
    const run = (_source: number, run: SampleRun) => {
      taken.push(head.addRun(run));
      return taken.at(-1)!;
    };
    readRecord(writer.take(), { ...intoHead(head), run });
  };
  add(10, 20, 30);
  add(40, 50);
  add(12, 14, 16);
  add(12, 14, 16);
  expect(taken).toEqual([true, true, true, true]);
  // One is there, and the other is not; and one is between them.
  add(16, 18);
  add(14, 18);
  expect(taken.slice(4)).toEqual([false, false]);
  expect([...head.ts]).toEqual([10, 12, 14, 16, 18, 20, 30, 40, 50]);
  expect([...head.columns.get(1)!]).toEqual([-10, -12, -14, -16, -18, -20, -30, -40, -50]);
});
