// What the third-party app store promises, one test a sentence, on both databases.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { type ThirdPartyAppRecord, ThirdPartyAppStore } from './third-party-app-store.ts';

interface ThirdPartyAppStoreFixture {
  store: ThirdPartyAppStore;
  /** The same apps, seen from another node. */
  otherNode: ThirdPartyAppStore;
  /** Takes the database away from `store`. */
  cutOff(): Promise<void>;
  remove(): Promise<void>;
}

function describeThirdPartyAppStore(open: () => Promise<ThirdPartyAppStoreFixture>): void {
  let fixture: ThirdPartyAppStoreFixture;
  let store: ThirdPartyAppStore;
  const appNamed = (app_name: string, permissions: Record<string, unknown> = {}): ThirdPartyAppRecord => ({
    id: randomUUID(),
    app_name,
    api_key_encrypted: 'ciphertext-1',
    permissions,
    ver: 'ver-1',
    created_at: 1_790_000_000_000,
  });

  beforeEach(async () => {
    fixture = await open();
    store = fixture.store;
  });
  afterEach(() => fixture.remove());

  test('get resolves the record as it was created', async () => {
    const app = appNamed('energy-saver', {
      agents: ['roof-*'],
      commands: { set_tx_power: { dbm: { max: 20 } } },
      x: null,
    });
    await store.create(app);
    expect(await store.get('energy-saver')).toStrictEqual(app);
    expect(await fixture.otherNode.get('energy-saver')).toStrictEqual(app);
  });

  test.each(['other', '', 'Energy', 'energy\0'])('get resolves undefined for %j, which is unknown', async (name) => {
    await store.create(appNamed('energy'));
    expect(await store.get(name)).toBeUndefined();
  });

  test('list orders by app_name, byte by byte', async () => {
    const names = ['b', 'B', 'a_1', 'a-1', 'a1', 'a', 'A', '1'];
    for (const name of names) await store.create(appNamed(name));
    expect((await store.list()).map((app) => app.app_name)).toStrictEqual(names.sort());
  });

  test('count counts', async () => {
    expect(await store.count()).toBe(0);
    await store.create(appNamed('a'));
    await store.create(appNamed('b'));
    expect(await store.count()).toBe(2);
  });

  test('create throws app_exists if the app_name is taken, and leaves the first as it was', async () => {
    const first = appNamed('a');
    await store.create(first);
    await expect(fixture.otherNode.create(appNamed('a'))).rejects.toMatchObject({
      name: 'ConflictError',
      code: 'app_exists',
    });
    expect(await store.get('a')).toStrictEqual(first);
  });

  test('update resolves the record as it is now, with what was not named left alone', async () => {
    const app = appNamed('a', { read: true });
    await store.create(app);
    await store.create(appNamed('b'));
    expect(await store.update('a', { ver: 'ver-2' })).toStrictEqual({ ...app, ver: 'ver-2' });
    const change = { api_key_encrypted: 'ciphertext-2', permissions: { read: false }, ver: 'ver-3' };
    expect(await store.update('a', change)).toStrictEqual({ ...app, ...change });
    expect(await store.update('a', {})).toStrictEqual(await fixture.otherNode.get('a'));
    expect(await store.get('b')).toMatchObject({ api_key_encrypted: 'ciphertext-1', ver: 'ver-1' });
  });

  test('update resolves undefined if there is none', async () => {
    expect(await store.update('a', { ver: 'v' })).toBeUndefined();
    expect(await store.count()).toBe(0);
  });

  test('update leaves a record of another version alone if a version is given', async () => {
    const app = appNamed('a');
    await store.create(app);
    expect(await store.update('a', { api_key_encrypted: 'late' }, { onlyVer: 'ver-0' })).toBeUndefined();
    expect(await store.get('a')).toStrictEqual(app);
    expect(await store.update('a', { api_key_encrypted: 'in time' }, { onlyVer: 'ver-1' })).toMatchObject({
      api_key_encrypted: 'in time',
    });
  });

  test('remove resolves whether there was one to remove', async () => {
    await store.create(appNamed('a'));
    await store.create(appNamed('b'));
    expect(await store.remove('a')).toBe(true);
    expect(await store.remove('a')).toBe(false);
    expect((await store.list()).map((app) => app.app_name)).toStrictEqual(['b']);
  });

  test('every method throws TryLaterError (503) while the database is out of reach', async () => {
    await fixture.cutOff();
    const calls = [
      store.get('a'),
      store.list(),
      store.count(),
      store.create(appNamed('a')),
      store.update('a', {}),
      store.remove('a'),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ reason: { name: 'TryLaterError', status: 503, code: 'database_unavailable' } });
    }
    expect(await fixture.otherNode.count()).toBe(0);
  });
}

eachDatabase((kind) => {
  describeThirdPartyAppStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new ThirdPartyAppStore(nodes[0]),
      otherNode: new ThirdPartyAppStore(nodes[1]),
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
