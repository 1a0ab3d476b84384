// The rings hold what a plain list with the same bound would hold, however often they turn and grow.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesThatStay } from '../../../../../test/pure/garbage/fresh-heap.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { RecentSamples } from './recent-samples.ts';

const maxBytes = 2_000_000;
const names = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`);
const bytesOf = (list: readonly string[]) => list.reduce((sum, name) => sum + 48 + 3 * name.length, 200);

test('what is there, its numbers and its bytes are those of a list that drops its oldest', () => {
  const bursts = fc.array(fc.record({ samples: fc.nat({ max: 1500 }), fields: fc.integer({ min: 1, max: 40 }) }), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(bursts, fc.nat({ max: 97 }), (all, step) => {
      const recent = new RecentSamples(maxBytes);
      let list: { number: number; ap_id: string; ts: number; names: string[]; values: number[]; receivedMs: number }[] =
        [];
      let bytes = 0;
      let number = 1;
      for (const { samples, fields } of all) {
        for (let count = 0; count < samples; count++) {
          const sample = {
            ts: number,
            names: names(fields),
            values: names(fields).map((_, index) => number + index / 64),
          };
          list.push({ ...sample, number, ap_id: `ap-${number % 7}`, receivedMs: number * 2 });
          recent.append(`ap-${number % 7}`, { ...sample, texts: [] }, number * 2);
          number++;
          bytes += bytesOf(sample.names);
          let dropped = 0;
          while (bytes > maxBytes) bytes -= bytesOf(list[dropped++]!.names);
          if (dropped > 0) list = list.slice(dropped);
        }
        expect([recent.oldest, recent.next, recent.bytes]).toEqual([list[0]?.number ?? number, number, bytes]);
        expect(recent.get(recent.oldest - 1)).toBeUndefined();
        expect(recent.get(recent.next)).toBeUndefined();
        for (let index = 0; index < list.length; index += step + 1) {
          const wanted = list[index]!;
          expect(recent.get(wanted.number)).toEqual({ ...wanted, event: undefined });
          expect(recent.get(wanted.number)).toBe(recent.get(wanted.number));
        }
      }
    }),
    {
      numRuns: rounds(10),
      // Values, and then entries, that need more room when the oldest have been dropped already.
      examples: [
        [
          [
            { samples: 9000, fields: 1 },
            { samples: 1000, fields: 40 },
          ],
          9,
        ],
        [
          [
            { samples: 1500, fields: 40 },
            { samples: 6000, fields: 1 },
          ],
          9,
        ],
      ],
    },
  );
});

test('a sample larger than all the room is not kept', () => {
  const recent = new RecentSamples(1000);
  recent.append('ap', { ts: 1, names: ['a'], values: [1], texts: [] }, 1);
  recent.append('ap', { ts: 2, names: names(500), values: names(500).map(() => 1), texts: [] }, 2);
  expect([recent.oldest, recent.next, recent.bytes]).toEqual([3, 3, 0]);
  recent.append('ap', { ts: 3, names: ['a'], values: [7], texts: [] }, 3);
  expect(recent.get(3)).toMatchObject({ ts: 3, values: [7] });
});

test('the event of a sample is kept for those who read at the same time, not for as long as the sample', () => {
  const recent = new RecentSamples(maxBytes);
  for (let ts = 1; ts <= 2_000; ts++) recent.append('ap', { ts, names: ['a'], values: [ts], texts: [] }, ts);
  for (let number = 1; number <= 2_000; number++) {
    recent.get(number)!.event = `event ${number}`;
    expect(recent.get(number)!.event).toBe(`event ${number}`);
  }
  expect(recent.oldest).toBe(1);
  const kept = Array.from({ length: 2_000 }, (_, index) => recent.get(index + 1)!).filter(({ event }) => event);
  expect(kept.length).toBeLessThan(300);
});

test('events that nobody is to read any more go with the next young garbage', async () => {
  // All of the events would be ten million bytes.
  expect(await bytesThatStay('read-events')).toBeLessThan(3_000_000);
});
