// What every user store promises about users who are disabled, one test a sentence. Run for each backend by
// user-store.contract.test.ts.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DISABLING, type UserStoreFixture, userNamed } from './user-store.contract.ts';
import type { UserStore } from './user-store.ts';

export function describeDisabledUsers(open: () => Promise<UserStoreFixture>): void {
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
