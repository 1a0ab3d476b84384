import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventStreamParser } from './event-stream.ts';

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
