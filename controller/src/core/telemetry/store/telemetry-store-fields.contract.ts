import { describe, expect, test } from 'vitest';
import {
  midnight,
  ReferenceTelemetry,
  type Row,
  sample,
  toRows,
} from '../../../../../test/pure/telemetry-reference.ts';
import { always, expectRows, freshAgent, type StoreUnderTest, second } from '../../../../../test/telemetry-fixture.ts';
import { TryLaterError } from '../../base/errors.ts';

export function describeFields(on: () => StoreUnderTest): void {
  describe('fields', () => {
    test('gives those reported at or after a time, by name, with kind and last time', async () => {
      const ap_id = freshAgent();
      await on().store.append(ap_id, [
        sample(midnight + 10, { b: 1, Z: 1 }, { state: 'up' }),
        sample(midnight + 20, { b: 2, a: 1 }),
      ]);
      await on().store.append(ap_id, [sample(midnight, { b: 3, late: 1 })]);
      const found = [
        { name: 'Z', kind: 'metric', lastTs: midnight + 10 },
        { name: 'a', kind: 'metric', lastTs: midnight + 20 },
        { name: 'b', kind: 'metric', lastTs: midnight + 20 },
        { name: 'late', kind: 'metric', lastTs: midnight },
        { name: 'state', kind: 'text', lastTs: midnight + 10 },
      ];
      await on().everywhere(async () => {
        expect(await on().store.fields(ap_id, 0)).toEqual(found);
        expect(await on().store.fields(ap_id, midnight + 10)).toEqual(found.filter(({ name }) => name !== 'late'));
        expect(await on().store.fields(ap_id, midnight + 11)).toEqual(found.slice(1, 3));
        expect(await on().store.fields(ap_id, midnight + 21)).toEqual([]);
      });
      expect(await on().store.fields(freshAgent(), 0)).toEqual([]);
    });
  });

  describe('latest', () => {
    test('gives the newest value of each metric, with its own time, for agents that have metrics', async () => {
      const [first, second, onlyText] = [freshAgent(), freshAgent(), freshAgent()];
      await on().store.append(first, [
        sample(midnight + 5, { a: 5, b: 5 }),
        sample(midnight + 9, { a: 9 }, { state: 'x' }),
      ]);
      await on().store.append(first, [sample(midnight + 1, { a: 1, b: 1 })]);
      await on().store.append(second, [sample(midnight, { a: -1 })]);
      await on().store.append(onlyText, [sample(midnight, {}, { a: 'text' })]);
      await on().everywhere(async () => {
        const found = await on().store.latest([onlyText, second, freshAgent(), first]);
        expect(found.map(({ ap_id }) => ap_id).sort()).toEqual([first, second].sort());
        const byName = Map.groupBy(found, ({ ap_id }) => ap_id);
        expect(byName.get(second)![0]!.metrics).toEqual([{ name: 'a', ts: midnight, value: -1 }]);
        expect(byName.get(first)![0]!.metrics.sort((x, y) => (x.name < y.name ? -1 : 1))).toEqual([
          { name: 'a', ts: midnight + 9, value: 9 },
          { name: 'b', ts: midnight + 5, value: 5 },
        ]);
        expect(await on().store.latest([])).toEqual([]);
      });
      await on().store.append(first, [sample(midnight + 9, { a: 10 })]);
      const [replaced] = await on().store.latest([first]);
      expect(replaced!.metrics).toContainEqual({ name: 'a', ts: midnight + 9, value: 10 });
    });
  });

  describe('rows', () => {
    test('walks through any range in pages, without a gap or a repeat, never in buckets', async () => {
      const ap_id = freshAgent();
      const samples = Array.from({ length: 2500 }, (_, n) =>
        sample(midnight + n * 500, n % 3 ? { a: n } : { b: n }, n % 100 ? {} : { state: `at ${n}` }),
      );
      await on().store.append(ap_id, samples.slice(500));
      const walk = async (limit: number, metrics?: string[]) => {
        const rows: Row[] = [];
        for (let startMs = midnight + 500; ; ) {
          const frame = await on().store.rows(ap_id, { startMs, endMs: midnight + 2499 * 500 }, limit, metrics);
          expect(frame.resolution_seconds).toBeUndefined();
          rows.push(...toRows(frame));
          if (frame.ts.length < limit) return rows;
          expect(frame.ts).toHaveLength(limit);
          startMs = frame.ts.at(-1)! + 1;
        }
      };
      const reference = new ReferenceTelemetry();
      reference.append(samples);
      const range = { startMs: midnight + 500, endMs: midnight + 2499 * 500 };
      await on().everywhere(async () => {
        await on().store.append(ap_id, samples.slice(0, 500));
        for (const limit of [97, 1000, 2499, 10_000]) expectRows(await walk(limit), reference.rows(range));
        for (const limit of [97, 1000]) expectRows(await walk(limit, ['b']), reference.rows(range, ['b']));
      });
      expect(toRows(await on().store.rows(freshAgent(), range, 10))).toEqual([]);
    });
  });

  describe('remove', () => {
    test('forgets everything about an agent and nothing about others; again is harmless', async () => {
      const [ap_id, other] = [freshAgent(), freshAgent()];
      await on().store.append(other, [sample(midnight, { a: 7 })]);
      await on().everywhere(async () => {
        await on().store.append(ap_id, [sample(midnight, { a: 1 }, { state: 'up' })]);
        await on().store.remove(ap_id);
        await on().store.remove(ap_id);
        expect(await on().rowsOf(ap_id)).toEqual([]);
        expect(await on().store.fields(ap_id, 0)).toEqual([]);
        expect(await on().store.latest([ap_id])).toEqual([]);
        expect(toRows(await on().store.rows(ap_id, always, 10))).toEqual([]);
        expect(await on().rowsOf(other)).toEqual([{ ts: midnight, a: 7 }]);
      });
    });

    test('an agent of the same name begins anew, also with its kinds of fields', async () => {
      const ap_id = freshAgent();
      const samples = Array.from({ length: 2000 }, (_, n) => sample(midnight + n * second, { a: 1 }, { b: 'x' }));
      for (const move of [async () => on().store, ...on().fixture.moves]) {
        await on().store.append(ap_id, samples);
        on().store = await move();
        await on().store.remove(ap_id);
        await on().store.append(ap_id, [sample(midnight + 5, { b: 2 }, { a: 'x' })]);
        expect(await on().rowsOf(ap_id)).toEqual([{ ts: midnight + 5, a: 'x', b: 2 }]);
        expect(await on().rowsOf(ap_id, { metrics: ['b'], maxPoints: 0, aggregate: 'count' })).toEqual([
          { ts: expect.any(Number), b: 1 },
        ]);
        await on().store.remove(ap_id);
      }
    });

    test('an unknown agent is nothing to remove', async () => {
      await on().store.remove(freshAgent());
    });
  });

  describe('the store itself', () => {
    test('prune keeps what is within the retention', async () => {
      const ap_id = freshAgent();
      await on().store.append(ap_id, [sample(midnight, { a: 1 })]);
      await on().everywhere(async () => {
        for (let steps = 0; await on().store.prune(Date.now()); steps++) expect(steps).toBeLessThan(1000);
        expect(await on().rowsOf(ap_id)).toEqual([{ ts: midnight, a: 1 }]);
      });
    });

    test('check resolves while it serves', async () => {
      await on().store.check();
    });

    test('after close nothing is accepted, and what was under way is stored or refused', async () => {
      const another = await on().fixture.openAnother();
      const ap_id = freshAgent();
      await another.append(ap_id, [sample(midnight, { a: 1 })]);
      const underWay = another.append(ap_id, [sample(midnight + 1, { a: 1 })]).catch((error) => error);
      await another.close();
      const outcome = await underWay;
      if (outcome !== undefined) expect(outcome).toBeInstanceOf(TryLaterError);
      await expect(another.append(ap_id, [sample(midnight, { a: 2 })])).rejects.toBeInstanceOf(TryLaterError);
      await expect(another.query({ ap_id, ...always, maxPoints: 1, aggregate: 'mean' })).rejects.toBeInstanceOf(
        TryLaterError,
      );
      await expect(another.check()).rejects.toThrow(/./);
      await another.close();
    });
  });
}
