// What the reset token store promises, one test a sentence, on both databases.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { userNamed } from '../../../../../test/pure/stored-records.ts';
import { type RecoveryRequest, type ResetTokenRecord, ResetTokenStore } from './reset-token-store.ts';
import type { UserRecord } from './user-record.ts';
import { UserStore } from './user-store.ts';

interface ResetTokenStoreFixture {
  store: ResetTokenStore;
  /** The same requests and tokens, seen from another node. */
  otherNode: ResetTokenStore;
  users: UserStore;
  remove(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const NOW = 1_790_000_000_000;
const CHANGE = { password_hash: 'hash-2', ver: 'ver-2' };

function describeResetTokenStore(open: () => Promise<ResetTokenStoreFixture>): void {
  let fixture: ResetTokenStoreFixture;
  let store: ResetTokenStore;

  beforeEach(async () => {
    fixture = await open();
    store = fixture.store;
  });
  afterEach(() => fixture.remove());

  describe('recovery requests', () => {
    const request = (id: string, requested_at = NOW): RecoveryRequest => ({
      id,
      username: `${id}@x`,
      requested_at,
      attempts: 0,
    });
    const idsOf = (requests: RecoveryRequest[]) => requests.map(({ id }) => id);

    test('a request that was enqueued can be claimed, on any node; its attempts count the taking', async () => {
      await store.enqueue(request('r'), 10);
      expect(await fixture.otherNode.claim(NOW, NOW + 100, 5)).toStrictEqual([{ ...request('r'), attempts: 1 }]);
      expect(await store.claim(NOW + 100, NOW + 200, 5)).toStrictEqual([{ ...request('r'), attempts: 2 }]);
    });

    test('enqueue throws TryLaterError (429) when the places are taken, and the request is not kept', async () => {
      await store.enqueue(request('a'), 2);
      await store.enqueue(request('b'), 2);
      await expect(store.enqueue(request('c'), 2)).rejects.toMatchObject({ name: 'TryLaterError', status: 429 });
      expect(idsOf(await store.claim(NOW, NOW + 1, 10))).toStrictEqual(['a', 'b']);
    });

    test('parallel calls never overfill it', async () => {
      const calls = Array.from({ length: 30 }, (_, n) =>
        (n % 2 ? store : fixture.otherNode).enqueue(request(`r${n}`), 7),
      );
      const outcomes = await Promise.allSettled(calls);
      expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(7);
      expect(await store.claim(NOW, NOW + 1, 100)).toHaveLength(7);
    });

    test('claim takes up to the limit, oldest first', async () => {
      for (const [id, at] of [
        ['d', 4],
        ['b', 2],
        ['a', 1],
        ['c', 3],
      ] as const)
        await store.enqueue(request(id, at), 9);
      expect(idsOf(await store.claim(NOW, NOW + 100, 3))).toStrictEqual(['a', 'b', 'c']);
      expect(idsOf(await store.claim(NOW, NOW + 100, 3))).toStrictEqual(['d']);
    });

    test('what is held comes back when the lease is over, not before', async () => {
      await store.enqueue(request('r'), 9);
      await store.claim(NOW, NOW + 100, 1);
      expect(await store.claim(NOW + 99, NOW + 500, 1)).toStrictEqual([]);
      expect(idsOf(await store.claim(NOW + 100, NOW + 500, 1))).toStrictEqual(['r']);
    });

    test('no two callers ever hold the same request', async () => {
      for (let n = 0; n < 40; n += 1) await store.enqueue(request(`r${n}`), 100);
      const calls = Array.from({ length: 20 }, (_, n) => (n % 2 ? store : fixture.otherNode).claim(NOW, NOW + 1000, 3));
      const taken = idsOf((await Promise.all(calls)).flat());
      expect(new Set(taken).size).toBe(taken.length);
      const rest = idsOf(await store.claim(NOW, NOW + 1000, 100));
      expect(new Set([...taken, ...rest]).size).toBe(40);
    });

    test('finish forgets a request; repeated calls are harmless', async () => {
      await store.enqueue(request('a'), 9);
      await store.enqueue(request('b'), 9);
      await store.finish('a');
      await store.finish('a');
      expect(idsOf(await store.claim(NOW, NOW + 1, 10))).toStrictEqual(['b']);
    });
  });

  describe('tokens', () => {
    let ada: UserRecord;
    let bob: UserRecord;
    const tokenOf = (user: UserRecord, token_hash: string, created_at = NOW): ResetTokenRecord => ({
      token_hash,
      user_id: user.id,
      created_at,
      expires_at: created_at + HOUR_MS,
    });

    beforeEach(async () => {
      ada = userNamed('ada@x');
      bob = userNamed('bob@x');
      await fixture.users.create(ada);
      await fixture.users.create(bob);
    });

    test('redeem gives the user the new hash and ver, and resolves the username', async () => {
      expect(await store.create(tokenOf(ada, 'h'), 3)).toBe(true);
      expect(await fixture.otherNode.redeem('h', NOW + 1, CHANGE)).toBe('ada@x');
      expect(await fixture.users.get('ada@x')).toStrictEqual({ ...ada, ...CHANGE });
      expect(await fixture.users.get('bob@x')).toStrictEqual(bob);
    });

    test('redeem resolves undefined for a token unknown, used or expired, and changes nothing', async () => {
      expect(await store.redeem('h', NOW, CHANGE)).toBeUndefined();
      await store.create(tokenOf(ada, 'h'), 3);
      expect(await store.redeem('h', NOW + HOUR_MS, CHANGE)).toBeUndefined();
      expect(await fixture.users.get('ada@x')).toStrictEqual(ada);
      expect(await store.redeem('h', NOW + HOUR_MS - 1, CHANGE)).toBe('ada@x');
      expect(await store.redeem('h', NOW, { password_hash: 'hash-3', ver: 'ver-3' })).toBeUndefined();
      expect(await fixture.users.get('ada@x')).toStrictEqual({ ...ada, ...CHANGE });
    });

    test('a new token makes the older ones of that user useless, and of nobody else', async () => {
      await store.create(tokenOf(ada, 'old'), 3);
      await store.create(tokenOf(bob, 'bobs'), 3);
      await store.create(tokenOf(ada, 'new', NOW + 1), 3);
      expect(await store.redeem('old', NOW + 2, CHANGE)).toBeUndefined();
      expect(await store.redeem('bobs', NOW + 2, CHANGE)).toBe('bob@x');
      expect(await store.redeem('new', NOW + 2, CHANGE)).toBe('ada@x');
    });

    test('over the hourly limit create resolves false and nothing changes; used tokens count too', async () => {
      await store.create(tokenOf(ada, 'h1', NOW), 2);
      await store.redeem('h1', NOW, CHANGE);
      await store.create(tokenOf(ada, 'h2', NOW + 10), 2);
      expect(await store.create(tokenOf(ada, 'h3', NOW + HOUR_MS - 1), 2)).toBe(false);
      expect(await store.redeem('h3', NOW + 20, CHANGE)).toBeUndefined();
      expect(await store.create(tokenOf(bob, 'h4', NOW + 20), 2)).toBe(true);
      expect(await store.redeem('h2', NOW + 20, CHANGE)).toBe('ada@x');
      expect(await store.create(tokenOf(ada, 'h5', NOW + HOUR_MS), 2)).toBe(true);
    });

    test('parallel calls keep to the hourly limit', async () => {
      const calls = Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? store : fixture.otherNode).create(tokenOf(ada, `h${n}`), 3),
      );
      expect((await Promise.all(calls)).filter(Boolean)).toHaveLength(3);
    });

    test('a user who is gone gets no token', async () => {
      await fixture.users.remove('ada@x');
      expect(await store.create(tokenOf(ada, 'h'), 3)).toBe(false);
    });

    test('a user who is disabled gets no token', async () => {
      await fixture.users.disable('ada@x', { disabled_at: NOW, disabled_by: 'root@x', ver: 'ver-2' });
      expect(await store.create(tokenOf(ada, 'h'), 3)).toBe(false);
      expect(await store.redeem('h', NOW, CHANGE)).toBeUndefined();
      expect(await store.create(tokenOf(bob, 'bobs'), 3)).toBe(true);
    });

    test('of parallel calls with one token, one wins', async () => {
      await store.create(tokenOf(ada, 'h'), 3);
      const calls = Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? store : fixture.otherNode).redeem('h', NOW, { password_hash: `hash-${n}`, ver: `ver-${n}` }),
      );
      const outcomes = await Promise.all(calls);
      const winner = outcomes.indexOf('ada@x');
      expect(outcomes.filter((outcome) => outcome !== undefined)).toStrictEqual(['ada@x']);
      expect(await fixture.users.get('ada@x')).toMatchObject({ password_hash: `hash-${winner}` });
    });

    test('a discarded token is useless and does not count towards the hour', async () => {
      await store.create(tokenOf(ada, 'h1'), 1);
      await store.discard('h1');
      await store.discard('h1');
      expect(await store.redeem('h1', NOW, CHANGE)).toBeUndefined();
      expect(await store.create(tokenOf(ada, 'h2'), 1)).toBe(true);
    });

    test('removeExpired removes tokens that expired more than an hour ago; resolves how many', async () => {
      await store.create(tokenOf(ada, 'h1', NOW), 9);
      await store.create(tokenOf(ada, 'h2', NOW + 1), 9);
      await store.create(tokenOf(bob, 'h3', NOW + 2), 9);
      expect(await store.removeExpired(NOW + 2 * HOUR_MS)).toBe(0);
      expect(await store.removeExpired(NOW + 2 * HOUR_MS + 2)).toBe(2);
      expect(await store.redeem('h3', NOW, CHANGE)).toBe('bob@x');
    });
  });
}

eachDatabase((kind) => {
  describeResetTokenStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new ResetTokenStore(nodes[0]),
      otherNode: new ResetTokenStore(nodes[1]),
      users: new UserStore(nodes[0]),
      remove,
    };
  });
});
