// Events come in pieces cut anywhere; what comes out does not depend on the cuts.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EventStreamParser } from './event-stream.ts';

const text = [
  'retry: 2000\n\n',
  'event: gap\ndata: {}\n\n',
  ': \n\n',
  'id: e-1\nevent: sample\ndata: {"ap_id":"a"}\n\n',
  'id: e-2\r\nevent: sample\r\ndata: one\r\ndata: two\r\n\r\n',
].join('');
const events = [
  { id: undefined, event: 'gap', data: '{}' },
  { id: 'e-1', event: 'sample', data: '{"ap_id":"a"}' },
  { id: 'e-2', event: 'sample', data: 'one\ntwo' },
];

it('reads what the server sends, and leaves out comments and bare settings', () => {
  expect(new EventStreamParser().push(text)).toEqual(events);
});

it('keeps what is not complete for the next piece, wherever it was cut', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 8 }), (cuts) => {
      const parser = new EventStreamParser();
      const places = [0, ...cuts.sort((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
      expect(pieces.flatMap((piece) => parser.push(piece))).toEqual(events);
    }),
  );
});
