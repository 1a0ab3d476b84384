// What the store of devices promises, one test a sentence, on both databases.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';
import { type DeviceLinkRecord, DeviceStore, type StoredDeviceLink } from './device-store.ts';

interface DeviceStoreFixture {
  db: SqlDatabase;
  store: DeviceStore;
  /** The same rows, seen from another node. */
  otherNode: DeviceStore;
  setNow(ms: number): void;
  remove(): Promise<void>;
}

function linkOf(device: string, ap_id: string, more: Partial<DeviceLinkRecord> = {}): DeviceLinkRecord {
  return { device, ap_id, since: 100, seen: 200, left_at: null, is_randomised: false, ...more };
}

/** What was written, without when. */
function plain({ updated_at: _updated_at, ...link }: StoredDeviceLink): DeviceLinkRecord {
  return link;
}

function describeDeviceStore(open: () => Promise<DeviceStoreFixture>): void {
  let fixture: DeviceStoreFixture;
  let store: DeviceStore;
  const write = (...links: DeviceLinkRecord[]) => fixture.db.transaction((tx) => store.write(tx, links));
  const page = async (...args: Parameters<DeviceStore['links']>) => (await store.links(...args)).map(plain);
  const all = async () => (await fixture.otherNode.links(undefined, 100)).map(plain);

  beforeEach(async () => {
    fixture = await open();
    store = fixture.store;
  });
  afterEach(() => fixture.remove());

  test('links gives what was written, ordered by device and ap_id, page by page', async () => {
    const links = [linkOf('a', 'x'), linkOf('a', 'y', { is_randomised: true }), linkOf('b', 'x', { left_at: 300 })];
    await write(links[2]!, links[0]!, links[1]!);
    expect(await all()).toEqual(links);
    expect(await page(undefined, 2)).toEqual(links.slice(0, 2));
    expect(await page(links[1], 2)).toEqual(links.slice(2));
  });

  test('a link is replaced by a newer one, and never by an older one', async () => {
    await write(linkOf('a', 'x', { seen: 200 }));
    await write(linkOf('a', 'x', { seen: 199, left_at: 199 }));
    expect(await all()).toEqual([linkOf('a', 'x', { seen: 200 })]);
    await write(linkOf('a', 'x', { seen: 200, left_at: 201 }));
    expect(await all()).toEqual([linkOf('a', 'x', { seen: 200, left_at: 201 })]);
  });

  test('write resolves those that were in the same state already', async () => {
    expect(await write(linkOf('a', 'x'), linkOf('b', 'x', { left_at: 5 }))).toEqual([]);
    const again = linkOf('a', 'x', { seen: 300 });
    expect(await write(again, linkOf('b', 'x', { seen: 300 }))).toEqual([again]);
  });

  test('changedSince gives links that were written then or later, and lists of other nodes', async () => {
    fixture.setNow(1_000);
    await write(linkOf('a', 'x'));
    await store.saveLists([{ ap_id: 'x', ts: 1, heard_at: 5_000, device_values: '[]' }]);
    fixture.setNow(2_000);
    await write(linkOf('b', 'x'));
    await store.saveLists([{ ap_id: 'y', ts: 1, heard_at: 5_000, device_values: '[]' }]);
    expect(await fixture.otherNode.changedSince(2_000)).toEqual({
      links: [{ ...linkOf('b', 'x'), updated_at: 2_000 }],
      lists: [{ ap_id: 'y', ts: 1, heard_at: 5_000, device_values: '[]' }],
    });
    expect((await store.changedSince(0)).lists).toEqual([]);
  });

  test('a list is replaced by a newer one, and never by an older one', async () => {
    await store.saveLists([{ ap_id: 'x', ts: 10, heard_at: 5_000, device_values: '[1]' }]);
    await fixture.otherNode.saveLists([{ ap_id: 'x', ts: 9, heard_at: 5_000, device_values: '[2]' }]);
    expect(await store.lists('', 10)).toEqual([{ ap_id: 'x', ts: 10, heard_at: 5_000, device_values: '[1]' }]);
    await fixture.otherNode.saveLists([{ ap_id: 'x', ts: 11, heard_at: 5_000, device_values: '[2]' }]);
    expect(await store.lists('', 10)).toEqual([{ ap_id: 'x', ts: 11, heard_at: 5_000, device_values: '[2]' }]);
  });

  test('removeAgent and remove forget everything about one', async () => {
    await write(linkOf('a', 'x'), linkOf('a', 'y'), linkOf('b', 'y'));
    await store.saveLists([{ ap_id: 'x', ts: 10, heard_at: 5_000, device_values: '[]' }]);
    await store.removeAgent('x');
    await store.removeAgent('x');
    expect(await all()).toEqual([linkOf('a', 'y'), linkOf('b', 'y')]);
    expect(await store.lists('', 10)).toEqual([]);
    await fixture.db.transaction((tx) => store.remove(tx, ['a', 'nobody']));
    expect(await all()).toEqual([linkOf('b', 'y')]);
  });

  test('remove forgets the lists that the device is in; one from before is not saved any more, a later one is', async () => {
    const list = { ap_id: 'x', ts: 10, heard_at: 5_000, device_values: '[{"d":"a"},{"d":"b"}]' };
    const [other, later] = [
      { ...list, ap_id: 'y', device_values: '[{"d":"ab"}]' },
      { ...list, heard_at: 6_001 },
    ];
    await write(linkOf('a', 'x'), linkOf('b', 'x'), linkOf('ab', 'y'));
    await store.saveLists([list, other]);
    await fixture.db.transaction(async (tx) => {
      await tx.query('INSERT INTO device_erasures (device, at_ms) VALUES (?, ?)', ['a', 6_000]);
      await store.remove(tx, ['a']);
    });
    expect(await store.lists('', 10)).toEqual([other]);
    await store.saveLists([list, other]);
    expect(await store.lists('', 10)).toEqual([other]);
    await store.saveLists([later]);
    expect(await store.lists('', 10)).toEqual([later, other]);
  });

  test('prune removes ended links that were written long ago, or before a newer one of the device', async () => {
    fixture.setNow(50);
    await write(linkOf('c', 'x', { left_at: 9_000, seen: 9_000 }), linkOf('e', 'x', { seen: 1 }));
    fixture.setNow(500);
    await write(
      linkOf('a', 'x', { left_at: 500, seen: 500 }),
      linkOf('a', 'y', { seen: 600 }),
      // The clock of the access point, or of its model, says nothing about when Weft heard of it.
      linkOf('b', 'x', { left_at: 5, seen: 5 }),
    );
    fixture.setNow(2_000);
    await write(linkOf('d', 'x', { left_at: 20, seen: 20 }), linkOf('d', 'y', { seen: 3_000 }));
    while (await store.prune({ goneMs: 100, movedMs: 1_000 }, 1)) {
      // one at a time
    }
    expect((await all()).map(({ device, ap_id }) => `${device} ${ap_id}`)).toEqual(['a y', 'b x', 'd x', 'd y', 'e x']);
  });
}

eachDatabase((kind) => {
  describeDeviceStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    let nowMs = 0;
    const now = () => nowMs;
    return {
      db: nodes[0],
      store: new DeviceStore(nodes[0], { node: 'one', now }),
      otherNode: new DeviceStore(nodes[1], { node: 'two', now }),
      setNow: (ms) => {
        nowMs = ms;
      },
      remove,
    };
  });
});
