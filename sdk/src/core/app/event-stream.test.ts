import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventStreamParser } from './event-stream.ts';
import { onceEach } from './resumed-stream.ts';

const text =
  'retry: 2000\n\n: a comment\n\nid: a-1\nevent: sample\ndata: {"ap_id":"é"}\n\nevent: gap\r\ndata: {}\r\n\r\ndata:one\ndata: two\n\nid: a-2\n\n';
const events = [
  { id: 'a-1', event: 'sample', data: '{"ap_id":"é"}' },
  { id: 'a-1', event: 'gap', data: '{}' },
  { id: 'a-1', event: 'message', data: 'one\ntwo' },
];

test('events are the same however the pieces are cut', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 0, max: text.length })), (cuts) => {
      const parser = new EventStreamParser();
      const ends = [...cuts.sort((a, b) => a - b), text.length];
      let start = 0;
      const found = ends.flatMap((end) => {
        const piece = text.slice(start, end);
        start = end;
        return parser.push(piece);
      });
      expect(found).toEqual(events);
    }),
  );
});

test('an id without data counts, and that of an event that breaks off does not', () => {
  const parser = new EventStreamParser();
  expect(parser.lastId).toBeUndefined();
  expect(parser.push('retry: 2000\nid: 41\n\n')).toEqual([]);
  expect(parser.lastId).toBe('41');
  expect(parser.push('id: 42\nevent: event\ndata: {}')).toEqual([]);
  expect(parser.lastId).toBe('41');
  expect(parser.push('\n\n')).toHaveLength(1);
  expect(parser.lastId).toBe('42');
});

test('each sample comes once and in order, whatever an access point sends again after a restart', async () => {
  const restarts = fc.array(
    fc.record({ upTo: fc.integer({ min: 1, max: 100 }), back: fc.integer({ min: 0, max: 60 }) }),
  );
  await fc.assert(
    fc.asyncProperty(restarts, async (runs) => {
      const sent: { ap_id: string; ts: string; metrics: Record<string, number> }[] = [];
      let [next, last] = [0, 0];
      for (const { upTo, back } of runs) {
        for (const end = next + upTo; next < end; next++) {
          for (const ap_id of ['a', 'b'])
            sent.push({ ap_id, ts: new Date(next * 1000).toISOString(), metrics: { n: next } });
        }
        last = Math.max(last, next);
        next = Math.max(0, last - back);
      }
      const got = await all(onceEach(ReadableStream.from(sent)));
      for (const ap_id of ['a', 'b']) {
        const values = got.filter((sample) => sample.ap_id === ap_id).map(({ metrics }) => metrics.n);
        expect(values).toEqual(Array.from({ length: last }, (_, n) => n));
      }
    }),
  );
  // Two reports of one moment are two samples.
  const two = [{ a: 1 }, { b: 1 }].map((metrics) => ({ ap_id: 'a', ts: 't', metrics }));
  expect(await all(onceEach(ReadableStream.from(two)))).toHaveLength(2);
});

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of stream) list.push(item);
  return list;
}
