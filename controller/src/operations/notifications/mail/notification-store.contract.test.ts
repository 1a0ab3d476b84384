// What the store of notifications promises, one test a sentence, on both databases.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import type { SqlDatabase } from '../../../core/base/storage/sql-database.ts';
import { type NotificationRecord, NotificationStore } from './notification-store.ts';

interface NotificationStoreFixture {
  database: SqlDatabase;
  store: NotificationStore;
  remove(): Promise<void>;
}

function describeNotificationStore(open: () => Promise<NotificationStoreFixture>): void {
  let fixture: NotificationStoreFixture;
  let store: NotificationStore;
  beforeEach(async () => {
    fixture = await open();
    ({ store } = fixture);
  });
  afterEach(() => fixture.remove());

  const recordOf = (id: string, more: Partial<NotificationRecord> = {}): NotificationRecord => ({
    id,
    name: id,
    email: 'ada@weft.test',
    rule: {
      events: ['alarm.*'],
      severities: ['critical'],
      selector: '',
      digest_minutes: 5,
      quiet: { from: '22:00', until: '07:00' },
      time_zone: 'Europe/London',
    },
    enabled: true,
    created_by: 'ada@x',
    created_at: 1_800_000_000_000,
    version: 1,
    position: 3,
    last_sent_at: null,
    failing_since: null,
    ...more,
  });

  test('create, get, list by name and remove', async () => {
    await store.create(recordOf('b'));
    await store.create(recordOf('a', { enabled: false, last_sent_at: 5 }));
    expect(await store.get('a')).toEqual(recordOf('a', { enabled: false, last_sent_at: 5 }));
    expect((await store.list()).map(({ id }) => id)).toEqual(['a', 'b']);
    expect([await store.remove('a'), await store.remove('a'), await store.get('a')]).toEqual([true, false, undefined]);
  });

  test('a name that is taken is a conflict; update raises the version; `also` stands or falls with it', async () => {
    await store.create(recordOf('a'));
    await expect(store.create(recordOf('b', { name: 'a' }))).rejects.toMatchObject({ code: 'notification_exists' });
    const { rule } = recordOf('a');
    const change = { name: 'c', email: 'b@weft.test', enabled: false, rule };
    expect(await store.update('a', change)).toEqual(recordOf('a', { ...change, version: 2 }));
    const failing = async () => {
      throw new Error('changed my mind');
    };
    await expect(store.update('a', { ...change, name: 'd' }, failing)).rejects.toThrow('changed my mind');
    expect(await store.get('a')).toEqual(recordOf('a', { ...change, version: 2 }));
    expect(await store.update('none', change)).toBeUndefined();
  });

  test('save writes how far it has come, and nothing for another version', async () => {
    await store.create(recordOf('a'));
    const progress = { id: 'a', version: 1, position: 9, last_sent_at: 7, failing_since: 8 };
    const save = (each: typeof progress) => fixture.database.transaction((tx) => store.save(tx, each));
    expect(await save(progress)).toBe(true);
    expect(await save({ ...progress, version: 2, position: 99 })).toBe(false);
    expect(await store.get('a')).toEqual(recordOf('a', { position: 9, last_sent_at: 7, failing_since: 8 }));
  });
}

eachDatabase((kind) => {
  describeNotificationStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return { database: nodes[0], store: new NotificationStore(nodes[0]), remove };
  });
});
