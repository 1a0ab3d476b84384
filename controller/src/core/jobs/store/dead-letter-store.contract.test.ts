// What the dead-letter store promises, one test a sentence, on both databases.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { type DeadLetterRecord, DeadLetterStore } from './dead-letter-store.ts';

interface DeadLetterStoreFixture {
  store: DeadLetterStore;
  /** The same letters, seen from another node. */
  otherNode: DeadLetterStore;
  /** Takes the database away from `store`. */
  cutOff(): Promise<void>;
  remove(): Promise<void>;
}

const NOW = 1_790_000_000_000;

function letterOf(id: string, received_at = NOW, more: Partial<DeadLetterRecord> = {}): DeadLetterRecord {
  return { id, queue: 'agent_data', reason: 'rejected', job_number: null, body: '{}', received_at, ...more };
}

function describeDeadLetterStore(open: () => Promise<DeadLetterStoreFixture>): void {
  let fixture: DeadLetterStoreFixture;
  let store: DeadLetterStore;

  beforeEach(async () => {
    fixture = await open();
    store = fixture.store;
  });
  afterEach(() => fixture.remove());

  test('countSince counts those received from that moment on', async () => {
    await store.record(letterOf('a', NOW - 1));
    await store.record(letterOf('b', NOW));
    expect([await store.countSince(NOW), await store.countSince(0)]).toEqual([1, 2]);
  });

  test('list gives what was recorded, newest first, up to the limit', async () => {
    await store.record(letterOf('b', NOW, { job_number: 'job', body: '{"é":"\\u0000"}' }));
    await store.record(letterOf('c', NOW - 1));
    await store.record(letterOf('a', NOW));
    const all = [
      letterOf('b', NOW, { job_number: 'job', body: '{"é":"\\u0000"}' }),
      letterOf('a'),
      letterOf('c', NOW - 1),
    ];
    expect(await fixture.otherNode.list(9)).toStrictEqual(all);
    expect(await store.list(2)).toStrictEqual(all.slice(0, 2));
  });

  test('record replaces a letter of the same id', async () => {
    await store.record(letterOf('a'));
    await store.record(letterOf('a', NOW + 1, { reason: 'expired', queue: 'q', job_number: 'j', body: '1' }));
    const replaced = letterOf('a', NOW + 1, { reason: 'expired', queue: 'q', job_number: 'j', body: '1' });
    expect(await store.list(9)).toStrictEqual([replaced]);
  });

  test('prune forgets those that are older, and all but the newest', async () => {
    for (const [n, id] of ['a', 'b', 'c', 'd', 'e'].entries()) await store.record(letterOf(id, NOW + n));
    const ids = async () => (await store.list(9)).map(({ id }) => id);
    await store.prune(NOW + 1, 9);
    expect(await ids()).toEqual(['e', 'd', 'c', 'b']);
    await store.prune(0, 3);
    expect(await ids()).toEqual(['e', 'd', 'c']);
    await store.prune(0, 3);
    expect(await ids()).toEqual(['e', 'd', 'c']);
  });

  test('every method throws TryLaterError (503) while the database is out of reach', async () => {
    await fixture.cutOff();
    const calls = [store.record(letterOf('a')), store.list(1), store.prune(0, 1)];
    for (const outcome of await Promise.allSettled<unknown>(calls)) {
      expect(outcome).toMatchObject({ reason: { name: 'TryLaterError', status: 503, code: 'database_unavailable' } });
    }
    expect(await fixture.otherNode.list(1)).toEqual([]);
  });
}

eachDatabase((kind) => {
  describeDeadLetterStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new DeadLetterStore(nodes[0]),
      otherNode: new DeadLetterStore(nodes[1]),
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
