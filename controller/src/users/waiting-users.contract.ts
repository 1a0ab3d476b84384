// What every user store promises about users who wait for approval, one test a sentence. Run for each backend by
// user-store.contract.test.ts.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type UserStoreFixture, userNamed } from './user-store.contract.ts';
import type { UserStore } from './user-store.ts';

export function describeWaitingUsers(open: () => Promise<UserStoreFixture>): void {
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
