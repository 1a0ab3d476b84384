// What every telemetry store promises about names and texts, one test a sentence. Part of telemetry-store.contract.ts.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { midnight, sample } from '../../../../../test/pure/telemetry-reference.ts';
import { isLong } from '../../../../../test/rounds.ts';
import { always, freshAgent, type StoreUnderTest } from '../../../../../test/telemetry-fixture.ts';

export function describeNames(on: () => StoreUnderTest): void {
  describe('names and texts', () => {
    const hostileNames = [
      '"; DROP MEASUREMENT "x',
      "' OR 1=1; --",
      '/.*/',
      '$1',
      'a=b',
      'a b',
      ' ',
      'a,b',
      'back\\slash',
      'ends in \\',
      '\\',
      '\\\\',
      '\\,',
      '\\ ',
      '\\=',
      '%',
      '%5C',
      'line\nbreak',
      'nul\0',
      '"',
      '""',
      'time',
      'Time',
      'ts',
      'name',
      '_name',
      '_field',
      '__proto__',
      'constructor',
      '#',
      '*',
      '📡😀',
      'é',
      'e\u0301',
      'A',
      'a',
      'x'.repeat(256),
      '😀'.repeat(128),
      '\\'.repeat(256),
      'select',
      'a::float',
      '1',
      'true',
      '\u2028',
      '\u0085',
    ];

    test('X2: hostile names of metrics and texts come back as they went in', async () => {
      const [ap_id, other] = [freshAgent(), freshAgent()];
      const values = hostileNames.map((_, n) => n + 1);
      await on().store.append(other, [sample(midnight, { untouched: 1 })]);
      await on().store.append(ap_id, [{ ts: midnight, names: hostileNames, values, texts: [] }]);
      const texts = hostileNames.map((name): [string, string] => [`t ${name}`, name]);
      await on().store.append(ap_id, [{ ts: midnight + 1, names: [], values: [], texts }]);
      let place = -1;
      await on().everywhere(async () => {
        place += 1;
        const question = { ap_id, ...always, maxPoints: 10, aggregate: 'mean' as const };
        const all = await on().store.query(question);
        for (const [n, name] of hostileNames.entries()) {
          expect([name, all.columns.get(name)?.[0]]).toEqual([name, n + 1]);
          expect([name, all.texts.get(`t ${name}`)?.[1]]).toEqual([name, name]);
          // Each of them alone in one of the places at least.
          if (!isLong && n % 3 !== place % 3) continue;
          const alone = await on().store.query({ ...question, metrics: [name] });
          expect([...alone.columns.keys()]).toEqual([name]);
          const buckets = await on().store.query({ ...question, metrics: [name], maxPoints: 0, aggregate: 'sum' });
          expect(buckets.columns.get(name)?.[0]).toBe(n + 1);
        }
        const fields = await on().store.fields(ap_id, 0);
        const metrics = fields.filter(({ kind }) => kind === 'metric').map(({ name }) => name);
        expect(metrics).toEqual([...hostileNames].sort());
        expect(fields).toHaveLength(hostileNames.length * 2);
        const [latest] = await on().store.latest([ap_id]);
        expect(latest!.metrics.map(({ name }) => name).sort()).toEqual([...hostileNames].sort());
        expect(await on().rowsOf(other)).toEqual([{ ts: midnight, untouched: 1 }]);
      });
    });

    test('X2: any names and texts at all', async () => {
      const letters = [...'ab\\"\'%=, \n\t;/$*#0é😀'];
      const anyName = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(fc.tuple(anyName, fc.string({ unit: 'grapheme' })), {
            maxLength: 20,
            selector: ([name]) => name,
          }),
          async (texts) => {
            const ap_id = freshAgent();
            const names = texts.map(([name]) => `m${name}`);
            const values = names.map((_, n) => n);
            await on().store.append(ap_id, [{ ts: midnight, names, values, texts }]);
            const frame = await on().store.query({ ap_id, ...always, maxPoints: 10, aggregate: 'mean' });
            expect([...frame.texts].map(([name, words]) => [name, words[0]]).sort()).toEqual([...texts].sort());
            expect(new Map([...frame.columns].map(([name, column]) => [name, column[0]]))).toEqual(
              new Map(names.map((name, n) => [name, n])),
            );
          },
        ),
        { numRuns: on().runs(60) },
      );
    });

    test('texts are kept beside the metrics and are never one of them', async () => {
      const ap_id = freshAgent();
      const words = ['up', '', 'a "quote" and \\', 'two\nlines\r\n', ' 😀 ', '12', '\\"', 'x'.repeat(20_000)];
      await on().store.append(
        ap_id,
        words.map((state, n) => sample(midnight + n, n % 2 ? {} : { a: n }, { state })),
      );
      await on().everywhere(async () => {
        expect((await on().rowsOf(ap_id)).map(({ state }) => state)).toEqual(words);
        expect(await on().rowsOf(ap_id, { metrics: ['state'] })).toEqual([]);
        expect(await on().rowsOf(ap_id, { metrics: ['a', 'state'] })).toEqual(
          [0, 2, 4, 6].map((n) => ({ ts: midnight + n, a: n })),
        );
        expect(await on().rowsOf(ap_id, { metrics: ['a', 'state'], maxPoints: 1, aggregate: 'max' })).toEqual([
          { ts: expect.any(Number), a: 6 },
        ]);
      });
    });
  });
}
