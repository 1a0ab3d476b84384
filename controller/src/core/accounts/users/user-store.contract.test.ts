// What the user store promises, one test a sentence, on both databases.

import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { userNamed } from '../../../../../test/pure/stored-records.ts';
import { MIGRATIONS_FOLDER } from '../../base/storage/migrations.ts';
import { ResetTokenStore } from './reset-token-store.ts';
import { UserStore } from './user-store.ts';

interface UserStoreFixture {
  store: UserStore;
  /** The same users, seen from another node. */
  otherNode: UserStore;
  resetTokens: ResetTokenStore;
  /** Takes the database away from `store`. */
  cutOff(): Promise<void>;
  remove(): Promise<void>;
}

const DISABLING = { disabled_at: 1_790_000_001_000, disabled_by: 'root@x', ver: 'ver-2' };

function describeUserStore(open: () => Promise<UserStoreFixture>): void {
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

function describeDisabledUsers(open: () => Promise<UserStoreFixture>): void {
  let fixture: UserStoreFixture;
  let store: UserStore;
  const admin = (username: string) => userNamed(username, ['admin']);

  beforeEach(async () => {
    fixture = await open();
    store = fixture.store;
  });
  afterEach(() => fixture.remove());

  test('disable and enable resolve the record as it is now, with nothing else changed', async () => {
    const user = userNamed('a@x');
    await store.create(user);
    const disabled = { ...user, ...DISABLING };
    expect(await store.disable('a@x', DISABLING)).toStrictEqual(disabled);
    expect(await fixture.otherNode.get('a@x')).toStrictEqual(disabled);
    expect(await store.enable('a@x')).toStrictEqual({ ...user, ver: 'ver-2' });
    expect(await fixture.otherNode.get('a@x')).toStrictEqual({ ...user, ver: 'ver-2' });
  });

  test('disable and enable resolve undefined for an unknown user', async () => {
    expect(await store.disable('a@x', DISABLING)).toBeUndefined();
    expect(await store.enable('a@x')).toBeUndefined();
  });

  test('disable and enable leave alone what is so already, and do not run `also`', async () => {
    const user = userNamed('a@x');
    await store.create(user);
    const refuse = () => Promise.reject(new Error('called'));
    expect(await store.enable('a@x', refuse)).toStrictEqual(user);
    await store.disable('a@x', DISABLING);
    const again = { disabled_at: 1, disabled_by: 'eve@x', ver: 'ver-3' };
    expect(await store.disable('a@x', again, refuse)).toStrictEqual({ ...user, ...DISABLING });
    expect(await store.get('a@x')).toStrictEqual({ ...user, ...DISABLING });
  });

  test('other changes keep a user disabled', async () => {
    await store.create(userNamed('a@x'));
    await store.disable('a@x', DISABLING);
    expect(await store.update('a@x', { password_hash: 'hash-2', ver: 'ver-3' })).toMatchObject({
      disabled_at: DISABLING.disabled_at,
      disabled_by: 'root@x',
    });
  });

  test('listDisabled names those who are, in order', async () => {
    for (const name of ['c@x', 'a@x', 'b@x']) await store.create(userNamed(name));
    expect(await store.listDisabled()).toStrictEqual([]);
    await store.disable('c@x', DISABLING);
    await store.disable('a@x', DISABLING);
    expect(await store.listDisabled()).toStrictEqual([await store.get('a@x'), await store.get('c@x')]);
    await store.enable('c@x');
    expect((await store.listDisabled()).map(({ username }) => username)).toStrictEqual(['a@x']);
  });

  test('open reset tokens become useless and stay so; while disabled there is no new one', async () => {
    const user = userNamed('a@x');
    await store.create(user);
    const token = { user_id: user.id, created_at: 1, expires_at: 100 };
    const redeem = (hash: string) => fixture.resetTokens.redeem(hash, 50, { password_hash: 'x', ver: 'x' });
    await fixture.resetTokens.create({ ...token, token_hash: 'before' }, 3);
    await store.disable('a@x', DISABLING);
    expect(await redeem('before')).toBeUndefined();
    expect(await fixture.resetTokens.create({ ...token, token_hash: 'meanwhile' }, 3)).toBe(false);
    await store.enable('a@x');
    expect([await redeem('before'), await redeem('meanwhile')]).toStrictEqual([undefined, undefined]);
    expect(await store.get('a@x')).toMatchObject({ password_hash: 'hash-1', ver: 'ver-2' });
    await fixture.resetTokens.create({ ...token, token_hash: 'after' }, 3);
    expect(await redeem('after')).toBe('a@x');
  });

  test('disable throws last_administrator rather than take the last one who is enabled', async () => {
    await store.create(admin('a@x'));
    await store.create(userNamed('u@x'));
    await expect(store.disable('a@x', DISABLING)).rejects.toMatchObject({
      name: 'ConflictError',
      code: 'last_administrator',
    });
    expect(await store.get('a@x')).toMatchObject({ disabled_at: null, ver: 'ver-1' });
    expect(await store.disable('u@x', DISABLING)).toBeDefined();
    await store.create(admin('b@x'));
    expect(await store.disable('a@x', DISABLING)).toBeDefined();
  });

  test('an administrator who is disabled does not count: the other one can be neither disabled, demoted nor removed', async () => {
    await store.create(admin('a@x'));
    await store.create(admin('b@x'));
    await store.disable('b@x', DISABLING);
    const refusal = { code: 'last_administrator' };
    await expect(store.disable('a@x', DISABLING)).rejects.toMatchObject(refusal);
    await expect(store.update('a@x', { roles: ['user'] })).rejects.toMatchObject(refusal);
    await expect(store.remove('a@x')).rejects.toMatchObject(refusal);
    expect(await store.update('b@x', { roles: ['user'] })).toMatchObject({ roles: ['user'] });
    await store.update('b@x', { roles: ['admin'] });
    await expect(store.remove('a@x')).rejects.toMatchObject(refusal);
    await store.enable('b@x');
    expect(await store.remove('a@x')).toBe(true);
  });
}

function describeWaitingUsers(open: () => Promise<UserStoreFixture>): void {
  let fixture: UserStoreFixture;
  let store: UserStore;
  const waiting = (username: string, waiting_since = 5) => ({ ...userNamed(username), waiting_since });
  const refuse = () => Promise.reject(new Error('called'));

  beforeEach(async () => {
    fixture = await open();
    store = fixture.store;
  });
  afterEach(() => fixture.remove());

  test('listWaiting names those who wait, longest first, and countWaiting counts them', async () => {
    for (const user of [waiting('b@x', 7), waiting('c@x', 5), waiting('a@x', 7), userNamed('d@x')]) {
      await store.create(user);
    }
    expect((await fixture.otherNode.listWaiting()).map(({ username }) => username)).toEqual(['c@x', 'a@x', 'b@x']);
    expect([await store.countWaiting(), await store.count()]).toEqual([3, 4]);
  });

  test('approve resolves the record, which waits no more; of one that does not wait nothing changes', async () => {
    const user = waiting('a@x');
    await store.create(user);
    const approved = { ...user, waiting_since: null };
    await expect(store.approve('a@x', refuse)).rejects.toThrow('called');
    expect(await store.get('a@x')).toStrictEqual(user);
    expect(await store.approve('a@x')).toStrictEqual(approved);
    expect(await fixture.otherNode.get('a@x')).toStrictEqual(approved);
    expect(await store.approve('a@x', refuse)).toStrictEqual(approved);
    expect(await store.approve('nobody@x', refuse)).toBeUndefined();
  });

  test('removeWaiting removes those who wait and nobody else', async () => {
    await store.create(waiting('a@x'));
    await store.create(userNamed('b@x'));
    await expect(store.removeWaiting('a@x', refuse)).rejects.toThrow('called');
    expect(await store.removeWaiting('a@x')).toBe(true);
    expect(await store.removeWaiting('a@x', refuse)).toBe(false);
    expect(await store.removeWaiting('b@x', refuse)).toBe(false);
    expect((await store.list()).map(({ username }) => username)).toEqual(['b@x']);
  });

  test('an administrator who waits is not the one that must remain', async () => {
    await store.createFirstAdmin(userNamed('root@x', ['admin']));
    await store.create({ ...waiting('a@x'), roles: ['admin'] });
    await expect(store.remove('root@x')).rejects.toMatchObject({ code: 'last_administrator' });
    await store.approve('a@x');
    expect(await store.remove('root@x')).toBe(true);
  });
}

eachDatabase((kind) => {
  const open = async (): Promise<UserStoreFixture> => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new UserStore(nodes[0]),
      otherNode: new UserStore(nodes[1]),
      resetTokens: new ResetTokenStore(nodes[0]),
      cutOff: () => nodes[0].close(),
      remove,
    };
  };
  describe('users', () => describeUserStore(open));
  describe('disabled users', () => describeDisabledUsers(open));
  describe('waiting users', () => describeWaitingUsers(open));

  test('users from before there were disabled ones are enabled', async () => {
    const before = mkdtempSync(join(tmpdir(), 'weft-migrations-'));
    const isOlder = (path: string) => !/^\d/.test(basename(path)) || basename(path) < '0008';
    cpSync(MIGRATIONS_FOLDER, before, { recursive: true, filter: isOlder });
    const namespace = await kind.createNamespace({ isBare: true });
    try {
      const older = namespace.open({ migrationsFolder: before });
      await older.migrate();
      await older.query(
        `INSERT INTO users (id, username, password_hash, roles, is_admin, ver, created_at)
         VALUES ('i', 'ada@x', 'h', '["admin"]', 1, 'v', 1)`,
      );
      await older.query('INSERT INTO administration (id, established_at) VALUES (1, 1)');
      const newer = namespace.open();
      await newer.migrate();
      const store = new UserStore(newer);
      expect(await store.get('ada@x')).toMatchObject({ roles: ['admin'], disabled_at: null, disabled_by: null });
      await expect(store.remove('ada@x')).rejects.toMatchObject({ code: 'last_administrator' });
    } finally {
      await namespace.remove();
      rmSync(before, { recursive: true, force: true });
    }
  });
});
