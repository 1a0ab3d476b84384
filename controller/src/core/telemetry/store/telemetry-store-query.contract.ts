// What every telemetry store promises about windows, one test a sentence. Part of telemetry-store.contract.ts.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  aggregates,
  midnight,
  ReferenceTelemetry,
  sample,
  samplesOf,
  someAppend,
  someQuestion,
  toRows,
} from '../../../../../test/pure/telemetry-reference.ts';
import { isLong, rounds } from '../../../../../test/rounds.ts';
import { always, expectClose, freshAgent, type StoreUnderTest, second } from '../../../../../test/telemetry-fixture.ts';
import type { SeriesQuery } from './telemetry-store.ts';

export function describeQuerying(on: () => StoreUnderTest): void {
  describe('query', () => {
    test('an unknown agent, an unknown metric, no metric and an empty window give no rows', async () => {
      const ap_id = freshAgent();
      await on().store.append(ap_id, [sample(midnight, { a: 1 })]);
      expect(await on().rowsOf(freshAgent())).toEqual([]);
      expect(await on().rowsOf(freshAgent(), { metrics: ['a'], maxPoints: 0 })).toEqual([]);
      expect(await on().rowsOf(ap_id, { metrics: ['b'] })).toEqual([]);
      expect(await on().rowsOf(ap_id, { metrics: [] })).toEqual([]);
      expect(await on().rowsOf(ap_id, { startMs: midnight + 1 })).toEqual([]);
      expect(await on().rowsOf(ap_id, { startMs: midnight + 1, endMs: midnight - 1 })).toEqual([]);
    });

    test('both ends of the range are included, in samples and in buckets', async () => {
      const ap_id = freshAgent();
      await on().store.append(
        ap_id,
        [-1, 0, 30_000, 60_000, 60_001].map((offset) => sample(midnight + offset, { a: 1 })),
      );
      await on().everywhere(async () => {
        const range = { startMs: midnight, endMs: midnight + 60_000 };
        expect((await on().rowsOf(ap_id, range)).map(({ ts }) => ts - midnight)).toEqual([0, 30_000, 60_000]);
        expect(await on().rowsOf(ap_id, { ...range, maxPoints: 2, aggregate: 'count' })).toEqual([
          { ts: midnight, a: 2 },
          { ts: midnight + 60_000, a: 1 },
        ]);
      });
    });

    test('a repeated name counts once', async () => {
      const ap_id = freshAgent();
      await on().store.append(ap_id, [sample(midnight, { a: 1, b: 2 })]);
      expect(await on().rowsOf(ap_id, { metrics: ['b', 'a', 'b'] })).toEqual([{ ts: midnight, a: 1, b: 2 }]);
      expect(await on().rowsOf(ap_id, { metrics: ['b', 'b'], maxPoints: 0 })).toEqual([
        { ts: expect.any(Number), b: 2 },
      ]);
    });

    test('above max_points in any asked series, all of them come as buckets; else as samples', async () => {
      const ap_id = freshAgent();
      const samples = Array.from({ length: 100 }, (_, n) => {
        return sample(
          midnight + n * second,
          n % 2 ? { long: n } : { long: n, short: n },
          n < 60 ? { state: 'up' } : {},
        );
      });
      await on().store.append(ap_id, samples);
      const resolutionOf = async (question: Partial<SeriesQuery>) => {
        const frame = await on().store.query({ ap_id, ...always, maxPoints: 1, aggregate: 'mean', ...question });
        return frame.resolution_seconds;
      };
      await on().everywhere(async () => {
        expect(await resolutionOf({ maxPoints: 100 })).toBeUndefined();
        expect(await resolutionOf({ maxPoints: 99 })).toBeGreaterThan(0);
        expect(await resolutionOf({ maxPoints: 50, metrics: ['short'] })).toBeUndefined();
        expect(await resolutionOf({ maxPoints: 50, metrics: ['short', 'long'] })).toBeGreaterThan(0);
        expect(await resolutionOf({ maxPoints: 49, metrics: ['short'] })).toBeGreaterThan(0);
        const range = { startMs: midnight, endMs: midnight + 99 * second };
        expect(await resolutionOf({ ...range, maxPoints: 20 })).toBe(5);
        expect(await on().rowsOf(ap_id, { ...range, maxPoints: 20, aggregate: 'count' })).toEqual(
          Array.from({ length: 20 }, (_, n) => ({ ts: midnight + n * 5 * second, long: 5, short: n % 2 ? 2 : 3 })),
        );
      });
    });

    test('a text is a series too, unless metrics are asked for; but never in buckets', async () => {
      const ap_id = freshAgent();
      await on().store.append(
        ap_id,
        Array.from({ length: 30 }, (_, n) => sample(midnight + n, n < 3 ? { a: n } : {}, { state: 'up' })),
      );
      const frame = await on().store.query({ ap_id, ...always, maxPoints: 29, aggregate: 'max' });
      expect(frame.resolution_seconds).toBeGreaterThan(0);
      expect(toRows(frame)).toEqual([{ ts: expect.any(Number), a: 2 }]);
      expect(await on().rowsOf(ap_id, { maxPoints: 30 })).toHaveLength(30);
      const metrics = ['a', 'state'];
      expect(await on().rowsOf(ap_id, { metrics, maxPoints: 3 })).toHaveLength(3);
    });

    test(`${aggregates.join(', ')} of a bucket take in what was late and what was replaced`, async () => {
      const ap_id = freshAgent();
      const reference = new ReferenceTelemetry();
      const add = async (samples: ReturnType<typeof sample>[]) => {
        await on().store.append(ap_id, samples);
        reference.append(samples);
      };
      const count = rounds(3000, 900);
      await add(Array.from({ length: count }, (_, n) => sample(midnight + n * second, { a: n % 7, b: -n / 4 })));
      const range = { startMs: midnight + 90 * second, endMs: midnight + count * second - 1 };
      const questions = aggregates.flatMap((aggregate) =>
        (isLong ? [1, 2, 10, 50, 700] : [1, 10, 700]).map((maxPoints) => ({ ap_id, ...range, aggregate, maxPoints })),
      );
      await on().everywhere(async () => {
        await add([sample(midnight + 120 * second, { a: 1000 }), sample(midnight + 125_500, { b: -1000 })]);
        for (const query of questions) expectClose(toRows(await on().store.query(query)), reference.query(query).rows);
      });
    });

    test('equals a simple reference for any samples, late, replaced and moved, and any question', async () => {
      const steps = fc.array(fc.oneof({ weight: 3, arbitrary: someAppend }, fc.nat({ max: 3 })), {
        minLength: 1,
        maxLength: 6,
      });
      await fc.assert(
        fc.asyncProperty(steps, fc.array(someQuestion, { minLength: 1, maxLength: 6 }), async (done, questions) => {
          const ap_id = freshAgent();
          const reference = new ReferenceTelemetry();
          for (const step of done) {
            if (typeof step === 'number') on().store = (await on().fixture.moves[step]?.()) ?? on().store;
            else {
              const samples = samplesOf(step);
              await on().store.append(ap_id, samples);
              reference.append(samples);
            }
          }
          for (const question of questions) {
            const query = { ap_id, ...question };
            const frame = await on().store.query(query);
            const expected = reference.query(query, frame.resolution_seconds !== undefined);
            if (expected.rows.length > 0) expect(frame.resolution_seconds).toBe(expected.resolution_seconds);
            expectClose(toRows(frame), expected.rows);
            expectClose(
              toRows(await on().store.rows(ap_id, query, 100_000, query.metrics)),
              reference.rows(query, query.metrics),
            );
          }
        }),
        // A failure is told as it is then, rather than made smaller until the test ends.
        { numRuns: on().runs(30), interruptAfterTimeLimit: 90_000 },
      );
    });
  });
}
