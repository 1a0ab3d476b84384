import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { createPlaceStore } from './place-store.sql.ts';
import { type PlaceStore, requireAllNamed } from './place-store.ts';

eachDatabase((kind) =>
  describe('the places of telemetry', () => {
    let nodes: [PlaceStore, PlaceStore];
    let remove: () => Promise<void>;
    beforeAll(async () => {
      const opened = await openTwoNodes(kind);
      nodes = [createPlaceStore(opened.nodes[0]), createPlaceStore(opened.nodes[1])];
      remove = opened.remove;
    });
    afterAll(() => remove());

    test('nodes that place an agent at once agree, and whoever comes later finds it there', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => nodes[n % 2]!.place('same', () => `server-${n}`)),
      );
      expect(new Set(answers).size).toBe(1);
      expect((await nodes[0].get(['same', 'nobody'])).get('same')).toBe(answers[0]);
      expect(await nodes[1].place('same', () => 'another')).toBe(answers[0]);
    });

    test('what is found on a server keeps the place that it has', async () => {
      await nodes[0].place('kept', () => 'first');
      await nodes[1].adopt(['kept', 'found'], 'second');
      expect(Object.fromEntries(await nodes[0].get(['kept', 'found']))).toEqual({ kept: 'first', found: 'second' });
    });

    test('an agent is moved from where it is, once, and can be removed', async () => {
      await nodes[0].place('mover', () => 'first');
      const moves = await Promise.all([nodes[0].move('mover', 'first', 'b'), nodes[1].move('mover', 'first', 'c')]);
      expect(moves.filter(Boolean)).toHaveLength(1);
      await nodes[0].remove('mover');
      await nodes[0].remove('mover');
      expect((await nodes[1].get(['mover'])).size).toBe(0);
    });

    test('servers keep their id at another address; a drained one is named to those who choose', async () => {
      await nodes[0].seen('one', 'a:1/x');
      await nodes[0].seen('two', 'b:1/x');
      await nodes[0].setDrained('two', true);
      await nodes[1].seen('two', 'c:1/x');
      expect(await nodes[1].servers()).toEqual([
        { id: 'one', place: 'a:1/x', isDrained: false },
        { id: 'two', place: 'c:1/x', isDrained: true },
      ]);
      expect(await nodes[0].place('chosen', (drained) => (drained.has('two') ? 'one' : 'two'))).toBe('one');
    });

    test('pages hold every agent once, in order; servers that nobody names are told with their agents', async () => {
      const names = Array.from({ length: 25 }, (_, n) => `Page-${n % 2 ? 'a' : 'B'}-${n}`);
      await nodes[0].adopt(names, 'pages');
      const found: string[] = [];
      for (let last = ''; ; last = found.at(-1)!) {
        const page = await nodes[1].after(last, 7);
        found.push(...page.map(({ ap_id }) => ap_id));
        if (page.length < 7) break;
      }
      expect(found).toEqual([...new Set(found)].sort());
      expect(found).toEqual(expect.arrayContaining(names));
      await nodes[0].seen('pages', 'gone.test:5432/weft');
      const counts = await nodes[0].counts();
      expect(counts.get('pages')).toBe(25);
      const others = [...counts.keys()].filter((id) => id !== 'pages');
      await expect(requireAllNamed(nodes[0], others)).rejects.toThrow(
        'the telemetry of 25 access points lies on gone.test:5432/weft, which WEFT_TELEMETRY_URL does not name: ' +
          'name it again, run weft rebalance --drain gone.test:5432/weft, and leave it out then',
      );
    });
  }),
);
