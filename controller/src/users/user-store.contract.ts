// What every user store promises, one test a sentence; about users who are disabled, see disabled-users.contract.ts. Run for
// each backend by user-store.contract.test.ts.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ResetTokenStore } from './reset-token-store.ts';
import type { UserRecord } from './user-record.ts';
import type { UserStore } from './user-store.ts';

export interface UserStoreFixture {
  store: UserStore;
  /** The same users, seen from another node. */
  otherNode: UserStore;
  resetTokens: ResetTokenStore;
  /** Takes the database away from `store`. */
  cutOff(): Promise<void>;
  remove(): Promise<void>;
}

export function userNamed(username: string, roles = ['user']): UserRecord {
  return {
    id: randomUUID(),
    username,
    password_hash: 'hash-1',
    roles,
    ver: 'ver-1',
    created_at: 1_790_000_000_000,
    disabled_at: null,
    disabled_by: null,
    waiting_since: null,
    grants: [],
  };
}

export const DISABLING = { disabled_at: 1_790_000_001_000, disabled_by: 'root@x', ver: 'ver-2' };

export function describeUserStore(open: () => Promise<UserStoreFixture>): void {
  let fixture: UserStoreFixture;
  let store: UserStore;
  const admin = (username: string) => userNamed(username, ['admin']);
  const count = (values: unknown[], value: unknown) => values.filter((one) => one === value).length;

  beforeEach(async () => {
    fixture = await open();
    store = fixture.store;
  });
  afterEach(() => fixture.remove());

  describe('reading', () => {
    test('get resolves the record as it was created', async () => {
      const user = userNamed('ada+x@weft.example', ['user', 'admin']);
      await store.create(user);
      expect(await store.get(user.username)).toStrictEqual(user);
      expect(await fixture.otherNode.get(user.username)).toStrictEqual(user);
    });

    test.each(['nobody@weft.example', '', 'a\0b', '\ud800', "'; DROP TABLE users; --"])(
      'get resolves undefined for %j, which is unknown',
      async (username) => {
        await store.create(userNamed('ada@weft.example'));
        expect(await store.get(username)).toBeUndefined();
      },
    );

    test('list orders by username, byte by byte', async () => {
      const names = ['é@x', 'b@x', 'a_b@x', 'a@x', 'a-b@x', 'ab@x', 'a.b@x', '1@x'];
      for (const name of names) await store.create(userNamed(name));
      const inBytes = names.map((name) => Buffer.from(name)).sort(Buffer.compare);
      expect((await store.list()).map((user) => user.username)).toStrictEqual(inBytes.map(String));
    });

    test('count counts', async () => {
      expect(await store.count()).toBe(0);
      await store.create(userNamed('a@x'));
      await store.create(userNamed('b@x'));
      expect(await store.count()).toBe(2);
    });
  });

  describe('create', () => {
    test('throws user_exists if the username is taken, and leaves the first as it was', async () => {
      const first = userNamed('ada@x');
      await store.create(first);
      await expect(store.create(userNamed('ada@x', ['admin']))).rejects.toMatchObject({
        name: 'ConflictError',
        code: 'user_exists',
      });
      expect(await store.get('ada@x')).toStrictEqual(first);
      expect(await store.hasAdmin()).toBe(false);
    });

    test('of parallel calls with one username, one wins', async () => {
      const calls = Array.from({ length: 20 }, (_, n) => (n % 2 ? store : fixture.otherNode).create(userNamed('a@x')));
      const outcomes = await Promise.allSettled(calls);
      expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
      expect(await store.count()).toBe(1);
    });
  });

  describe('the first administrator', () => {
    test('there is none in the beginning, nor after creating a plain user', async () => {
      expect(await store.hasAdmin()).toBe(false);
      await store.create(userNamed('a@x'));
      expect(await store.hasAdmin()).toBe(false);
    });

    test('50 parallel calls on two nodes: exactly one resolves true, the others change nothing', async () => {
      const calls = Array.from({ length: 50 }, (_, n) =>
        (n % 2 ? store : fixture.otherNode).createFirstAdmin(admin(`a${n}@x`)),
      );
      const outcomes = await Promise.all(calls);
      expect(count(outcomes, true)).toBe(1);
      expect((await store.list()).map((user) => user.username)).toStrictEqual([`a${outcomes.indexOf(true)}@x`]);
      expect(await fixture.otherNode.hasAdmin()).toBe(true);
    });

    test.each(['create', 'update'])('it may also come by %s; then createFirstAdmin resolves false', async (way) => {
      if (way === 'create') await store.create(admin('a@x'));
      else {
        await store.create(userNamed('a@x'));
        await store.update('a@x', { roles: ['user', 'admin'] });
      }
      expect(await store.hasAdmin()).toBe(true);
      expect(await store.createFirstAdmin(admin('b@x'))).toBe(false);
      expect(await store.get('b@x')).toBeUndefined();
    });

    test('throws user_exists if the username is taken; then there is still no administrator', async () => {
      await store.create(userNamed('a@x'));
      await expect(store.createFirstAdmin(admin('a@x'))).rejects.toMatchObject({ code: 'user_exists' });
      expect(await store.hasAdmin()).toBe(false);
      expect(await store.createFirstAdmin(admin('b@x'))).toBe(true);
    });
  });

  describe('update', () => {
    test('resolves the record as it is now, with what was not named left alone', async () => {
      const user = userNamed('a@x');
      await store.create(user);
      const changed = { ...user, password_hash: 'hash-2', ver: 'ver-2' };
      expect(await store.update('a@x', { password_hash: 'hash-2', ver: 'ver-2' })).toStrictEqual(changed);
      expect(await store.update('a@x', { roles: ['user', 'admin'] })).toStrictEqual({
        ...changed,
        roles: ['user', 'admin'],
      });
      expect(await store.update('a@x', {})).toStrictEqual(await store.get('a@x'));
    });

    test('a new password makes open reset tokens useless, other changes do not', async () => {
      const user = userNamed('a@x');
      await store.create(user);
      const token = { user_id: user.id, created_at: 1, expires_at: 100 };
      await fixture.resetTokens.create({ ...token, token_hash: 'first' }, 3);
      await store.update('a@x', { password_hash: 'hash-2' });
      expect(await fixture.resetTokens.redeem('first', 50, { password_hash: 'x', ver: 'x' })).toBeUndefined();
      await fixture.resetTokens.create({ ...token, token_hash: 'second' }, 3);
      await store.update('a@x', { roles: ['user', 'admin'] });
      expect(await fixture.resetTokens.redeem('second', 50, { password_hash: 'x', ver: 'x' })).toBe('a@x');
    });

    test('resolves undefined for an unknown user, and makes no administrator of it', async () => {
      expect(await store.update('a@x', { roles: ['admin'] })).toBeUndefined();
      expect(await store.hasAdmin()).toBe(false);
    });

    test('throws last_administrator rather than take the last role', async () => {
      await store.create(admin('a@x'));
      await store.create(userNamed('b@x'));
      await expect(store.update('a@x', { roles: ['user'], ver: 'ver-2' })).rejects.toMatchObject({
        name: 'ConflictError',
        code: 'last_administrator',
      });
      expect(await store.get('a@x')).toMatchObject({ roles: ['admin'], ver: 'ver-1' });
      expect(await store.update('b@x', { roles: ['user'] })).toBeDefined();
      await store.update('b@x', { roles: ['admin'] });
      expect(await store.update('a@x', { roles: ['user'] })).toMatchObject({ roles: ['user'] });
    });

    test('plain users can be changed and removed while there has never been an administrator', async () => {
      await store.create(userNamed('a@x'));
      expect(await store.update('a@x', { roles: ['user'] })).toMatchObject({ roles: ['user'] });
      expect(await store.remove('a@x')).toBe(true);
    });
  });

  describe('remove', () => {
    test('resolves whether there was one to remove', async () => {
      await store.create(userNamed('a@x'));
      await store.create(userNamed('b@x'));
      expect(await store.remove('a@x')).toBe(true);
      expect(await store.remove('a@x')).toBe(false);
      expect((await store.list()).map((user) => user.username)).toStrictEqual(['b@x']);
    });

    test('takes the reset tokens of the user along', async () => {
      const user = userNamed('a@x');
      await store.create(user);
      const token = { token_hash: 'h', user_id: user.id, created_at: 0, expires_at: 100 };
      await fixture.resetTokens.create(token, 3);
      await store.remove('a@x');
      // The same id again: a token that had stayed behind would open it.
      await store.create(user);
      expect(await fixture.resetTokens.redeem('h', 50, { password_hash: 'x', ver: 'x' })).toBeUndefined();
    });

    test('throws last_administrator rather than remove the last one; hasAdmin stays true', async () => {
      await store.create(admin('a@x'));
      await store.create(userNamed('b@x'));
      await expect(store.remove('a@x')).rejects.toMatchObject({ code: 'last_administrator' });
      expect(await store.get('a@x')).toBeDefined();
      expect(await store.hasAdmin()).toBe(true);
    });
  });

  test.each(['remove', 'demote', 'disable', 'remove, demote or disable'])(
    'administrators who %s each other at the same time leave one',
    async (what) => {
      for (let round = 0; round < 10; round += 1) {
        const names = [0, 1, 2, 3].map((n) => `a${round}-${n}@x`);
        for (const name of names) await store.create(admin(name));
        if (round > 0) await store.remove('survivor@x');
        const outcomes = await Promise.allSettled(
          names.map((name, n) => {
            const node = n % 2 ? store : fixture.otherNode;
            const how = what.includes(',') ? ['remove', 'demote', 'disable'][n % 3] : what;
            if (how === 'remove') return node.remove(name);
            return how === 'demote' ? node.update(name, { roles: ['user'] }) : node.disable(name, DISABLING);
          }),
        );
        const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
        expect(refused).toMatchObject([{ reason: { code: 'last_administrator' } }]);
        const admins = (await store.list()).filter(
          ({ roles, disabled_at }) => roles.includes('admin') && disabled_at === null,
        );
        expect(admins).toHaveLength(1);
        await store.create(admin('survivor@x'));
        await store.remove(admins[0]!.username);
      }
    },
  );

  test('every method throws TryLaterError (503) while the database is out of reach', async () => {
    await fixture.cutOff();
    const calls = [
      store.get('a@x'),
      store.list(),
      store.count(),
      store.create(userNamed('a@x')),
      store.createFirstAdmin(admin('a@x')),
      store.hasAdmin(),
      store.update('a@x', { ver: 'v' }),
      store.remove('a@x'),
      store.listDisabled(),
      store.disable('a@x', DISABLING),
      store.enable('a@x'),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ reason: { name: 'TryLaterError', status: 503, code: 'database_unavailable' } });
    }
    expect(await fixture.otherNode.count()).toBe(0);
  });
}
