import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { asText, midnight, sample } from '../../../../../test/pure/telemetry-reference.ts';
import { freshAgent, hour, type StoreUnderTest, second } from '../../../../../test/telemetry-fixture.ts';
import { maxNamesPerAgent, type TelemetryStore, TooManyNames } from './telemetry-store.ts';

export function describeAppending(on: () => StoreUnderTest): void {
  describe('append', () => {
    test('what was appended is there, and stays there wherever the data goes', async () => {
      const ap_id = freshAgent();
      await on().store.append(ap_id, [sample(midnight, { a: 1.5 }), sample(midnight + 1, { a: -2, b: 3e300 })]);
      await on().everywhere(async () => {
        expect(await on().rowsOf(ap_id)).toEqual([
          { ts: midnight, a: 1.5 },
          { ts: midnight + 1, a: -2, b: 3e300 },
        ]);
      });
    });

    test('a value of the same time and name replaces the earlier one; other fields of that time stay', async () => {
      const ap_id = freshAgent();
      await on().store.append(ap_id, [sample(midnight, { a: 1, b: 2 })]);
      let n = 0;
      await on().everywhere(async () => {
        await on().store.append(ap_id, [sample(midnight, { a: ++n }, { state: 'up' })]);
        expect(await on().rowsOf(ap_id)).toEqual([{ ts: midnight, a: n, b: 2, state: 'up' }]);
        await on().store.append(ap_id, [sample(midnight, {}, { state: 'down' })]);
        expect(await on().rowsOf(ap_id)).toEqual([{ ts: midnight, a: n, b: 2, state: 'down' }]);
      });
    });

    test('of two samples for one time in one append the later counts', async () => {
      const ap_id = freshAgent();
      await on().store.append(ap_id, [sample(midnight, { a: 1, b: 1 }), sample(midnight, { a: 2 })]);
      expect(await on().rowsOf(ap_id)).toEqual([{ ts: midnight, a: 2, b: 1 }]);
    });

    test('appends of an agent are stored and told in the order in which they came, with new names or without', async () => {
      for (const pauses of [0, 1, 2, 3, 5, 8]) {
        const ap_id = freshAgent();
        const told: number[] = [];
        const appends: Promise<unknown>[] = [];
        for (let n = 0; n < 12; n++) {
          const fields = { a: n, ...(n % 4 === 0 && { [`new_${n}`]: n }) };
          appends.push(
            on()
              .store.append(ap_id, [sample(midnight, fields)])
              .then(() => told.push(n)),
          );
          for (let turn = 0; turn < pauses; turn++) await setImmediate();
        }
        await Promise.all(appends);
        expect(told).toEqual(told.toSorted((a, b) => a - b));
        expect(await on().rowsOf(ap_id)).toEqual([{ ts: midnight, a: 11, new_0: 0, new_4: 4, new_8: 8 }]);
      }
    });

    test('M1: a batch that comes ten times, one after the other and at once, is stored once', async () => {
      const ap_id = freshAgent();
      const batch = Array.from({ length: 50 }, (_, n) => sample(midnight + n * second, { a: n, b: n / 2 }));
      for (let n = 0; n < 5; n++) await on().store.append(ap_id, batch);
      await Promise.all(Array.from({ length: 5 }, () => on().store.append(ap_id, batch)));
      await on().everywhere(async () => {
        expect(await on().rowsOf(ap_id)).toEqual(batch.map(({ ts, values }) => ({ ts, a: values[0], b: values[1] })));
        const [total] = await on().rowsOf(ap_id, { metrics: ['a'], maxPoints: 1, aggregate: 'count' });
        expect(total?.a).toBe(50);
      });
    });

    test('M2: shuffled samples, late by hours and from both sides of midnight, come back in order', async () => {
      const ap_id = freshAgent();
      const times = Array.from({ length: 60 }, (_, n) => midnight + 24 * hour + (n - 30) * 60 * second);
      const shuffled = times.map((ts, n) => ({ ts, key: (n * 37) % 60 })).sort((a, b) => a.key - b.key);
      for (const { ts } of shuffled.slice(0, 40)) await on().store.append(ap_id, [sample(ts, { a: ts - midnight })]);
      await on().store.append(ap_id, [sample(times.at(-1)! + 5 * hour, { a: 0 })]);
      await on().everywhere(async () => {
        await on().store.append(
          ap_id,
          shuffled.slice(40).map(({ ts }) => sample(ts, { a: ts - midnight })),
        );
        const rows = await on().rowsOf(ap_id);
        expect(rows.map(({ ts }) => ts)).toEqual([...times, times.at(-1)! + 5 * hour]);
        expect(rows.slice(0, -1).every(({ ts, a }) => a === ts - midnight)).toBe(true);
      });
    });

    test('nothing to append is fine', async () => {
      const ap_id = freshAgent();
      await on().store.append(ap_id, []);
      await on().store.append(ap_id, [sample(midnight, {})]);
      expect(await on().rowsOf(ap_id)).toEqual([]);
      await on().store.append(ap_id, [sample(midnight, { a: 1 })]);
      await on().store.append(ap_id, []);
      expect(await on().rowsOf(ap_id)).toHaveLength(1);
    });

    test('extreme numbers come back as they went in', async () => {
      const ap_id = freshAgent();
      const values = [0, 1e-7, 5e-324, 1.7976931348623157e308, -1e21, 2 ** 53 + 2, 0.1 + 0.2, -123456.789, 1e15 + 0.5];
      await on().store.append(
        ap_id,
        values.map((value, n) => sample(midnight + n, { a: value })),
      );
      await on().everywhere(async () => {
        expect((await on().rowsOf(ap_id)).map(({ a }) => a)).toEqual(values);
      });
    });

    test('sums beyond all numbers are infinite, and the rest of the answer is there', async () => {
      const ap_id = freshAgent();
      const samples = [0, 1, 2].map((n) => sample(midnight + n, { huge: 1.5e308, ...(n < 2 && { small: n }) }));
      await on().store.append(ap_id, samples);
      const question = { startMs: midnight, endMs: midnight + 2, maxPoints: 1, aggregate: 'sum' as const };
      expect(await on().rowsOf(ap_id, question)).toEqual([{ ts: midnight, huge: Number.POSITIVE_INFINITY, small: 1 }]);
    });

    test('twenty writers at once lose nothing', async () => {
      const writers = Array.from({ length: 20 }, freshAgent);
      const shared = freshAgent();
      await Promise.all(
        writers.map(async (ap_id, writer) => {
          for (let n = 0; n < 10; n++) {
            await Promise.all([
              on().store.append(ap_id, [sample(midnight + n, { a: n, [`own_${writer}`]: n })]),
              on().store.append(shared, [sample(midnight + n, { [`of_${writer}`]: n })]),
            ]);
          }
        }),
      );
      await on().everywhere(async () => {
        for (const [writer, ap_id] of writers.entries()) {
          expect(await on().rowsOf(ap_id)).toEqual(
            Array.from({ length: 10 }, (_, n) => ({ ts: midnight + n, a: n, [`own_${writer}`]: n })),
          );
        }
        const rows = await on().rowsOf(shared);
        expect(rows).toHaveLength(10);
        expect(rows.every((row) => Object.keys(row).length === 21)).toBe(true);
      });
    });

    test('agents whose names look alike have nothing in common', async () => {
      const ap_id = freshAgent();
      const names = [ap_id, `${ap_id}0`, ap_id.toUpperCase(), `${ap_id}.`, `${ap_id}:a@b+c_d`];
      for (const [n, name] of names.entries()) await on().store.append(name, [sample(midnight, { a: n })]);
      await on().everywhere(async () => {
        for (const [n, name] of names.entries()) expect(await on().rowsOf(name)).toEqual([{ ts: midnight, a: n }]);
      });
    });
  });

  describe('numbers and texts of one name', () => {
    test('are two series: each is kept, replaced and counted by itself', async () => {
      const ap_id = freshAgent();
      await on().store.append(ap_id, [sample(midnight, { a: 1.2 }, { a: '1.20' }), sample(midnight + 2, { a: 5 })]);
      await on().store.append(ap_id, [sample(midnight + 1, {}, { a: '1.10.1', b: 'x' }), sample(midnight, { b: 7 })]);
      let n = 0;
      await on().everywhere(async () => {
        await on().store.append(ap_id, [sample(midnight, { a: ++n })]);
        await on().store.append(ap_id, [sample(midnight + 1, {}, { b: `x${n}` })]);
        expect(await on().rowsOf(ap_id)).toEqual([
          { ts: midnight, a: n, [`a${asText}`]: '1.20', b: 7 },
          { ts: midnight + 1, a: '1.10.1', b: `x${n}` },
          { ts: midnight + 2, a: 5 },
        ]);
        expect(await on().rowsOf(ap_id, { metrics: ['a'] })).toEqual([
          { ts: midnight, a: n },
          { ts: midnight + 2, a: 5 },
        ]);
        const buckets = { metrics: ['a', 'b'], maxPoints: 1, aggregate: 'sum' as const };
        expect(await on().rowsOf(ap_id, buckets)).toEqual([{ ts: expect.any(Number), a: n + 5, b: 7 }]);
        expect(await on().rowsOf(ap_id, { maxPoints: 1, aggregate: 'count' })).toEqual([
          { ts: expect.any(Number), a: 2, b: 1 },
        ]);
        expect(await on().store.fields(ap_id, 0)).toEqual([
          { name: 'a', kind: 'metric', lastTs: midnight + 2 },
          { name: 'a', kind: 'text', lastTs: midnight + 1 },
          { name: 'b', kind: 'metric', lastTs: midnight },
          { name: 'b', kind: 'text', lastTs: midnight + 1 },
        ]);
        const [latest] = await on().store.latest([ap_id]);
        expect(latest!.metrics.sort((x, y) => (x.name < y.name ? -1 : 1))).toEqual([
          { name: 'a', ts: midnight + 2, value: 5 },
          { name: 'b', ts: midnight, value: 7 },
        ]);
      });
    });

    test('may begin with either, in one append, or at once', async () => {
      const [first, second, third] = [freshAgent(), freshAgent(), freshAgent()];
      await on().store.append(first, [sample(midnight, { a: 1 }), sample(midnight + 1, {}, { a: 'x' })]);
      await on().store.append(second, [sample(midnight + 1, {}, { a: 'x' }), sample(midnight, { a: 1 })]);
      await Promise.all([
        on().store.append(third, [sample(midnight + 1, {}, { a: 'x' })]),
        on().store.append(third, [sample(midnight, { a: 1 })]),
      ]);
      await on().everywhere(async () => {
        for (const ap_id of [first, second, third]) {
          expect(await on().rowsOf(ap_id)).toEqual([
            { ts: midnight, a: 1 },
            { ts: midnight + 1, a: 'x' },
          ]);
        }
      });
    });

    test('are forgotten together with their agent', async () => {
      const ap_id = freshAgent();
      await on().everywhere(async () => {
        await on().store.append(ap_id, [sample(midnight, { a: 1 }, { a: '1.0' })]);
        await on().store.remove(ap_id);
        expect(await on().store.fields(ap_id, 0)).toEqual([]);
        await on().store.append(ap_id, [sample(midnight + 1, {}, { a: 'x' })]);
        expect(await on().rowsOf(ap_id)).toEqual([{ ts: midnight + 1, a: 'x' }]);
        await on().store.remove(ap_id);
      });
    });
  });

  describe('one name too many', () => {
    const refusalOf = async (ap_id: string, samples: Parameters<TelemetryStore['append']>[1]) => {
      const error = await on()
        .store.append(ap_id, samples)
        .then(
          () => undefined,
          (reason: unknown) => reason,
        );
      expect(error).toBeInstanceOf(TooManyNames);
      const { sampleIndex, field } = error as TooManyNames;
      return { sampleIndex, field };
    };

    test('stores nothing of its append, and neighbours in the same instant are unaffected', async () => {
      const [ap_id, neighbour] = [freshAgent(), freshAgent()];
      const names = Array.from({ length: maxNamesPerAgent - 1 }, (_, n) => `metric_${n}`);
      await on().store.append(ap_id, [sample(midnight, Object.fromEntries(names.map((name) => [name, 1])))]);
      const results = await Promise.allSettled([
        on().store.append(neighbour, [sample(midnight, {}, { a: 'text' })]),
        on().store.append(ap_id, [sample(midnight + 1, { metric_0: 2, b: 2 }), sample(midnight + 2, {}, { c: 'x' })]),
        on().store.append(ap_id, [sample(midnight + 3, { metric_0: 3 })]),
        on().store.append(neighbour, [sample(midnight + 1, { b: 1 })]),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
      await on().everywhere(async () => {
        expect(await on().rowsOf(ap_id, { metrics: ['metric_0', 'b'] })).toEqual([
          { ts: midnight, metric_0: 1 },
          { ts: midnight + 3, metric_0: 3 },
        ]);
        expect(await on().rowsOf(neighbour)).toEqual([
          { ts: midnight, a: 'text' },
          { ts: midnight + 1, b: 1 },
        ]);
        expect(await on().store.fields(ap_id, 0)).toHaveLength(names.length);
      });
    });

    test('D6: the 1,025th name of an agent is refused, texts counted; its other fields go on', async () => {
      const ap_id = freshAgent();
      const names = Array.from({ length: maxNamesPerAgent - 1 }, (_, n) => `metric_${n}`);
      await on().store.append(ap_id, [sample(midnight, Object.fromEntries(names.map((name) => [name, 1])))]);
      await on().store.append(ap_id, [sample(midnight + 1, {}, { state: 'up', metric_1: '1.20' })]);
      await on().everywhere(async () => {
        const samples = [sample(midnight + 2, { metric_0: 2 }), sample(midnight + 3, { one_more: 1 })];
        expect(await refusalOf(ap_id, samples)).toEqual({ sampleIndex: 1, field: 'one_more' });
        const asOther = sample(midnight + 1, { state: 1 }, { metric_0: 'both kinds are one name' });
        await on().store.append(ap_id, [asOther]);
        await on().store.append(ap_id, [sample(midnight, { metric_0: 2 })]);
        expect(await on().rowsOf(ap_id, { metrics: ['metric_0', 'one_more'] })).toEqual([
          { ts: midnight, metric_0: 2 },
        ]);
        const fields = await on().store.fields(ap_id, 0);
        expect(new Set(fields.map(({ name }) => name)).size).toBe(maxNamesPerAgent);
        expect(fields).toHaveLength(maxNamesPerAgent + 3);
      });
    });
  });
}
