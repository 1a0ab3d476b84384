// What the session store promises, one test a sentence, on both databases.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { userNamed } from '../../../../../test/pure/stored-records.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';
import { UserStore } from '../users/user-store.ts';
import { type SessionRecord, SessionStore } from './session-store.ts';

interface SessionStoreFixture {
  store: SessionStore;
  /** The same sessions, seen from another node. */
  otherNode: SessionStore;
  users: UserStore;
  database: SqlDatabase;
  remove(): Promise<void>;
}

const NOW = 1_790_000_000_000;
const HOUR = 3_600_000;
const ada = userNamed('ada@x');
const bob = userNamed('bob@x');
const adas = { id: ada.id, ver: ada.ver };

function session(id: string, more: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id,
    user_id: ada.id,
    ver: ada.ver,
    created_at: NOW,
    renewed_at: NOW,
    expires_at: NOW + HOUR,
    ends_at: NOW + 24 * HOUR,
    address: '192.0.2.1',
    client: 'curl/8',
    ...more,
  };
}

function describeSessionStore(open: () => Promise<SessionStoreFixture>): void {
  let fixture: SessionStoreFixture;
  let store: SessionStore;
  const idsOf = async (now = NOW) => (await store.list(adas, now)).map(({ id }) => id);
  const endedIds = async (after = 0) => (await store.listEnded(after)).map(({ id }) => id).sort();

  beforeEach(async () => {
    fixture = await open();
    store = fixture.store;
    await fixture.users.create(ada);
    await fixture.users.create(bob);
  });
  afterEach(() => fixture.remove());

  describe('create and list', () => {
    test('what was created is listed on every node, newest first, while it has not expired', async () => {
      await store.create(session('a'), 10);
      await store.create(session('b', { created_at: NOW + 1 }), 10);
      await store.create(session('c', { user_id: bob.id, ver: bob.ver }), 10);
      expect(await fixture.otherNode.list(adas, NOW)).toEqual([session('b', { created_at: NOW + 1 }), session('a')]);
      expect(await idsOf(NOW + HOUR)).toEqual([]);
    });

    test('above the maximum those that were renewed longest ago end, and are resolved', async () => {
      await store.create(session('old', { renewed_at: NOW - 5 }), 2);
      await store.create(session('used', { created_at: NOW - 9 }), 2);
      expect(await store.create(session('new', { created_at: NOW + 1 }), 2)).toEqual([
        { id: 'old', ended_at: NOW + 1, expires_at: NOW + HOUR },
      ]);
      expect(await idsOf()).toEqual(['new', 'used']);
      expect(await endedIds()).toEqual(['old']);
    });

    test('parallel logins on two nodes never exceed the maximum', async () => {
      await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 ? store : fixture.otherNode).create(session(`s${n}`), 5)),
      );
      expect(await idsOf()).toHaveLength(5);
      expect(await endedIds()).toHaveLength(15);
    });

    test('a session of an earlier version of the user is not listed, and makes room', async () => {
      await store.create(session('a'), 1);
      await fixture.users.update('ada@x', { ver: 'ver-2' });
      expect(await store.list({ id: ada.id, ver: 'ver-2' }, NOW)).toEqual([]);
      expect(await store.create(session('b', { ver: 'ver-2' }), 1)).toEqual([]);
    });

    test('a user who was deleted has none, and gets none', async () => {
      await store.create(session('a'), 10);
      await fixture.users.remove('ada@x');
      await store.create(session('b'), 10);
      expect(await idsOf()).toEqual([]);
    });
  });

  test('renew changes its times, address and client, and only of the version that it has', async () => {
    await store.create(session('a'), 10);
    const renewal = { renewed_at: NOW + 5, expires_at: NOW + 2 * HOUR, address: '192.0.2.2', client: 'x' };
    expect(await store.renew('a', 'ver-9', renewal)).toBeUndefined();
    expect(await store.renew('none', ada.ver, renewal)).toBeUndefined();
    expect(await store.renew('a', ada.ver, renewal)).toEqual(session('a', renewal));
    expect(await store.list(adas, NOW)).toEqual([session('a', renewal)]);
  });

  test('extend changes the end of a session of that user, with what runs in the same transaction', async () => {
    await store.create(session('a'), 10);
    expect(await store.extend('a', bob.id, NOW)).toBeUndefined();
    const failing = store.extend('a', ada.id, NOW + 99, async () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await store.list(adas, NOW)).toEqual([session('a')]);
    expect(await store.extend('a', ada.id, NOW + 99)).toEqual(session('a', { ends_at: NOW + 99 }));
  });

  describe('end', () => {
    const ended = { id: 'a', ended_at: NOW, expires_at: NOW + HOUR };

    test('takes the session away and names it on every node; a repetition changes nothing', async () => {
      await store.create(session('a'), 10);
      let runs = 0;
      const also = async () => {
        runs += 1;
      };
      expect(await store.end(ended, also)).toBe(true);
      expect(await fixture.otherNode.end({ ...ended, ended_at: NOW + 5 }, also)).toBe(false);
      expect(runs).toBe(1);
      expect(await idsOf()).toEqual([]);
      expect(await fixture.otherNode.listEnded()).toEqual([ended]);
    });

    test('holds for a session that was never listed', async () => {
      expect(await store.end({ ...ended, id: "an agent's" })).toBe(true);
      expect(await endedIds()).toEqual(["an agent's"]);
    });

    test('is named after every earlier revision, until it is removed', async () => {
      const before = await fixture.otherNode.head();
      await store.end(ended);
      const { revision, forgotten } = await fixture.otherNode.head();
      expect([await endedIds(before.revision), await endedIds(revision)]).toEqual([['a'], []]);
      await store.removeExpired(NOW + HOUR);
      expect(await endedIds()).toEqual([]);
      expect((await fixture.otherNode.head()).forgotten).toBeGreaterThan(Math.max(revision, forgotten));
    });
  });

  test('keepOnly gives one session the new version and ends the others, and stands or falls with its transaction', async () => {
    await store.create(session('a'), 10);
    await store.create(session('b'), 10);
    await store.create(session('c', { user_id: bob.id, ver: bob.ver }), 10);
    const kept = { id: 'a', user_id: ada.id, ver: 'ver-2', expires_at: NOW + 5 };
    const failing = fixture.database.transaction(async (tx) => {
      await store.keepOnly(tx, kept);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await idsOf()).toHaveLength(2);
    await fixture.database.transaction((tx) => store.keepOnly(tx, kept));
    expect(await idsOf()).toEqual([]);
    expect((await store.list({ id: ada.id, ver: 'ver-2' }, NOW)).map(({ id }) => id)).toEqual(['a']);
    expect(await store.list({ id: bob.id, ver: bob.ver }, NOW)).toHaveLength(1);
  });

  test('removeExpired removes what has expired and nothing else', async () => {
    await store.create(session('a'), 10);
    await store.create(session('b', { expires_at: NOW + 2 * HOUR }), 10);
    await store.end({ id: 'c', ended_at: NOW, expires_at: NOW + HOUR });
    await store.end({ id: 'd', ended_at: NOW, expires_at: NOW + 2 * HOUR });
    await store.removeExpired(NOW + HOUR);
    expect(await idsOf(0)).toEqual(['b']);
    expect(await endedIds()).toEqual(['d']);
  });
}

eachDatabase((kind) => {
  describeSessionStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new SessionStore(nodes[0]),
      otherNode: new SessionStore(nodes[1]),
      users: new UserStore(nodes[0]),
      database: nodes[0],
      remove,
    };
  });
});
