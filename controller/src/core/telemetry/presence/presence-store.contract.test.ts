// What the presence store promises, one test a sentence, on both databases.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import type { PresenceRecord } from './presence.ts';
import { PresenceStore } from './presence-store.ts';

interface PresenceStoreFixture {
  store: PresenceStore;
  /** The same records, seen from another node. */
  otherNode: PresenceStore;
  /** Takes the database away from `store`. */
  cutOff(): Promise<void>;
  remove(): Promise<void>;
}

function recordOf(ap_id: string, last_seen = 1_790_000_000_000, more: Partial<PresenceRecord> = {}): PresenceRecord {
  return { ap_id, last_seen, online_since: null, returned_at: null, learned_interval_ms: null, ...more };
}

function describePresenceStore(open: () => Promise<PresenceStoreFixture>): void {
  let fixture: PresenceStoreFixture;
  let store: PresenceStore;

  beforeEach(async () => {
    fixture = await open();
    store = fixture.store;
  });
  afterEach(() => fixture.remove());

  test('list gives what was updated, ordered by ap_id, byte by byte', async () => {
    const full = recordOf('b', 1_790_000_000_001, { online_since: 5, returned_at: 6, learned_interval_ms: 60_000 });
    await store.update([full, recordOf('a'), recordOf('B')]);
    expect((await fixture.otherNode.list()).map((row) => ({ ...row }))).toEqual([recordOf('B'), recordOf('a'), full]);
  });

  test('listSince gives those that another node has written and that were seen at that time or later', async () => {
    await store.update([recordOf('a', 100), recordOf('b', 200), recordOf('c', 300), recordOf('d', 300)]);
    await fixture.otherNode.update([recordOf('d', 301)]);
    const since = async (node: PresenceStore) => (await node.listSince(200)).map(({ ap_id }) => ap_id).sort();
    expect(await since(fixture.otherNode)).toEqual(['b', 'c']);
    expect(await since(store)).toEqual(['d']);
  });

  test('update takes none and takes thousands', async () => {
    await store.update([]);
    await store.update(Array.from({ length: 1234 }, (_, n) => recordOf(`ap-${n}`)));
    expect((await store.list()).length).toBe(1234);
  });

  test('update replaces a record, but not by an older one', async () => {
    await store.update([recordOf('a', 100), recordOf('b', 100)]);
    await fixture.otherNode.update([recordOf('a', 200), recordOf('b', 50)]);
    await store.update([recordOf('a', 200, { online_since: 7 })]);
    expect((await store.list()).map(({ last_seen, online_since }) => [last_seen, online_since])).toEqual([
      [200, 7],
      [100, null],
    ]);
  });

  test('update stores all or none', async () => {
    const broken = recordOf('z', Number.NaN);
    await expect(store.update([recordOf('a'), broken])).rejects.toThrow();
    expect(await store.list()).toEqual([]);
  });

  test('remove forgets these and no others, and may be repeated', async () => {
    await store.update([recordOf('a'), recordOf('b'), recordOf('c')]);
    await store.remove(['a', 'c', 'x']);
    await store.remove(['a']);
    await store.remove([]);
    expect((await store.list()).map(({ ap_id }) => ap_id)).toEqual(['b']);
  });

  test('every method throws TryLaterError (503) while the database is out of reach', async () => {
    await fixture.cutOff();
    const calls = [store.list(), store.listSince(0), store.update([recordOf('a')]), store.remove(['a'])];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ reason: { name: 'TryLaterError', status: 503, code: 'database_unavailable' } });
    }
    expect(await fixture.otherNode.list()).toEqual([]);
  });
}

eachDatabase((kind) => {
  describePresenceStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new PresenceStore(nodes[0]),
      otherNode: new PresenceStore(nodes[1]),
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
