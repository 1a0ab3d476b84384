// What the store of push secrets promises, one test a sentence, on both databases.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../../test/databases.ts';
import { type PushSecretRecord, PushSecretStore } from './push-secret-store.ts';

interface PushSecretStoreFixture {
  store: PushSecretStore;
  /** The same secrets, seen from another node. */
  otherNode: PushSecretStore;
  remove(): Promise<void>;
}

const record = (ap_id: string, secret_encrypted = 'v1.a.b.c'): PushSecretRecord => ({
  ap_id,
  agent_id: `id of ${ap_id}`,
  secret_encrypted,
  created_at: 1_790_000_000_000,
});

function describePushSecretStore(open: () => Promise<PushSecretStoreFixture>): void {
  let fixture: PushSecretStoreFixture;
  let store: PushSecretStore;

  beforeEach(async () => {
    fixture = await open();
    store = fixture.store;
  });
  afterEach(() => fixture.remove());

  test('get resolves the record, on any node, or undefined', async () => {
    expect(await store.get('ap-1')).toBeUndefined();
    await store.put(record('ap-1'));
    expect(await fixture.otherNode.get('ap-1')).toStrictEqual(record('ap-1'));
  });

  test('list resolves all of them, ordered by ap_id', async () => {
    for (const ap_id of ['b', 'a', 'B']) await store.put(record(ap_id));
    expect((await store.list()).map(({ ap_id }) => ap_id)).toEqual(['B', 'a', 'b']);
  });

  test('a new secret takes the place of the earlier one', async () => {
    await store.put(record('ap-1', 'old'));
    await store.put({ ...record('ap-1', 'new'), agent_id: 'another' });
    expect(await store.list()).toStrictEqual([{ ...record('ap-1', 'new'), agent_id: 'another' }]);
  });

  test('what runs with it is told of both records, and what it throws undoes the change', async () => {
    const told: unknown[] = [];
    await store.put(record('ap-1', 'old'), async (_tx, changed) => void told.push(changed));
    await store.put(record('ap-1', 'new'), async (_tx, changed) => void told.push(changed));
    expect(told).toStrictEqual([
      { after: record('ap-1', 'old') },
      { before: record('ap-1', 'old'), after: record('ap-1', 'new') },
    ]);
    const failing = store.put(record('ap-1', 'newest'), async () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await store.get('ap-1')).toStrictEqual(record('ap-1', 'new'));
  });

  test('reencrypt replaces the ciphertext only if it is still the one that was read', async () => {
    await store.put(record('ap-1', 'old'));
    await store.reencrypt('ap-1', 'other', 'new');
    expect((await store.get('ap-1'))?.secret_encrypted).toBe('old');
    await store.reencrypt('ap-1', 'old', 'new');
    expect((await store.get('ap-1'))?.secret_encrypted).toBe('new');
  });

  test('remove removes; what is not there is left alone', async () => {
    await store.put(record('ap-1'));
    await store.put(record('ap-2'));
    await store.remove('ap-1');
    await store.remove('ap-1');
    expect(await store.list()).toStrictEqual([record('ap-2')]);
  });

  test('one node at a time may push to an agent, until its time is over or it gives it back', async () => {
    expect(await store.claim('ap-1', 'a', 0, 100)).toBe(false);
    await store.put(record('ap-1'));
    expect(await store.claim('ap-1', 'a', 0, 100)).toBe(true);
    expect(await fixture.otherNode.claim('ap-1', 'b', 99, 200)).toBe(false);
    expect(await store.claim('ap-1', 'a', 99, 150)).toBe(true);
    expect(await fixture.otherNode.claim('ap-1', 'b', 149, 300)).toBe(false);
    expect(await fixture.otherNode.claim('ap-1', 'b', 150, 300)).toBe(true);
    await store.release('ap-1', 'a');
    expect(await store.claim('ap-1', 'a', 200, 300)).toBe(false);
    await fixture.otherNode.release('ap-1', 'b');
    expect(await store.claim('ap-1', 'a', 200, 300)).toBe(true);
  });

  test('of many nodes that want to at once, one may', async () => {
    await store.put(record('ap-1'));
    const claims = Array.from({ length: 20 }, (_, n) =>
      (n % 2 ? store : fixture.otherNode).claim('ap-1', `node ${n}`, 0, 100),
    );
    expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
  });
}

eachDatabase((kind) => {
  describePushSecretStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return { store: new PushSecretStore(nodes[0]), otherNode: new PushSecretStore(nodes[1]), remove };
  });
});
