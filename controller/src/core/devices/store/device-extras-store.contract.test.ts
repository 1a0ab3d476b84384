import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import type { SqlDatabase, SqlQueries } from '../../base/storage/sql-database.ts';
import { readRevision } from '../../base/storage/table-revision.ts';
import { DeviceExtrasStore, devicesHead } from './device-extras-store.ts';
import { DeviceStore } from './device-store.ts';

const callerOf = (id = 'u') => ({ kind: 'user', id, name: id, roles: [], isAdmin: false }) as const;

eachDatabase((kind) => {
  let db: SqlDatabase;
  let store: DeviceExtrasStore;
  let other: DeviceExtrasStore;
  const inTx = <T>(work: (tx: SqlQueries) => Promise<T>) => db.transaction(work);
  const watchOf = (device: string, caller_id = 'u', until = 100) => ({ device, until, caller_kind: 'user', caller_id });

  beforeEach(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    onTestFinished(remove);
    db = nodes[0];
    [store, other] = [new DeviceExtrasStore(nodes[0]), new DeviceExtrasStore(nodes[1])];
  });

  test('every node reads who would not be moved, and whether clear addresses are allowed', async () => {
    expect([await other.sticky(), await other.allowances()]).toEqual([[], []]);
    const sticky = { device: 'a', reason: 'refused', target: 'x', until: 5 } as const;
    await inTx((tx) => store.putSticky(tx, { ...sticky, reason: 'moved_back' }));
    await inTx((tx) => store.putSticky(tx, sticky));
    await inTx((tx) => store.setClearAddresses(tx, true));
    expect([await other.sticky(), (await other.allowances()).length]).toEqual([[sticky], 1]);
    expect(await readRevision(db, devicesHead)).toBe(3);
  });

  test('a caller has a tenth of all watches, which a repeat and what has ended take nothing of', async () => {
    const watch = (...[device, id, until]: Parameters<typeof watchOf>) =>
      inTx((tx) => store.putWatch(tx, watchOf(device, id, until), callerOf(id), 50));
    for (let at = 1; at < 100; at++) await watch(`u-${at}`);
    await watch('ended', 'u', 40);
    await watch('a');
    await watch('a', 'u', 200);
    await expect(watch('c')).rejects.toMatchObject({
      code: 'too_many_watches',
      message: 'Your share of watched devices is 100: 100 of 1000 watched devices; remove one or ask an administrator',
    });
    await watch('c', 'v');
    // Of another's watch nothing is taken.
    await watch('c');
    expect(await other.watches()).toHaveLength(102);
    expect(await inTx((tx) => store.removeWatch(tx, 'a', callerOf(), 50))).toBe(true);
    expect(await inTx((tx) => store.removeWatch(tx, 'a', callerOf(), 50))).toBe(false);
    await inTx((tx) => store.removeWatchesOf(tx, 'user', 'u'));
    expect(await other.watches()).toEqual([watchOf('c', 'v')]);
    await store.prune(100);
    expect(await other.watches()).toEqual([]);
  });

  test('a watch is ended or shortened by its maker or an administrator alone, and prolonged by anybody', async () => {
    const admin = { ...callerOf('admin'), isAdmin: true };
    const watch = (by: ReturnType<typeof callerOf> | typeof admin, until: number) =>
      inTx((tx) => store.putWatch(tx, watchOf('a', by.id, until), by, 50));
    const watches = () => other.watches();
    await watch(callerOf(), 100);
    await expect(watch(callerOf('v'), 99)).rejects.toMatchObject({ code: 'watched_by_another' });
    await expect(inTx((tx) => store.removeWatch(tx, 'a', callerOf('v'), 50))).rejects.toMatchObject({
      code: 'watched_by_another',
      message: expect.stringMatching(/^Somebody else watches this device; it ends at 1970-01-01T00:00:00.100/),
    });
    expect(await watches()).toEqual([watchOf('a', 'u', 100)]);
    await watch(callerOf('v'), 300);
    await watch(admin, 200);
    expect(await watches()).toEqual([watchOf('a', 'u', 200)]);
    await watch(callerOf(), 150);
    expect(await inTx((tx) => store.removeWatch(tx, 'a', admin, 50))).toBe(true);
    await watch(callerOf('v'), 60);
    // What has ended is nobody's.
    await inTx((tx) => store.putWatch(tx, watchOf('a', 'u', 90), callerOf(), 70));
    expect(await watches()).toEqual([watchOf('a', 'u', 90)]);
  });

  test('names that are linked are one device, whatever was linked before, and so are its links', async () => {
    const links = new DeviceStore(db, { node: 'one' });
    const row = { ap_id: 'x', since: 1, seen: 1, left_at: null, is_randomised: false };
    await inTx((tx) =>
      links.write(tx, [
        { ...row, device: 'a' },
        { ...row, device: 'b' },
      ]),
    );
    await inTx((tx) => store.link(tx, 'c', 'b', 10));
    await inTx((tx) => store.link(tx, 'b', 'a', 10));
    const identities = await other.identities();
    expect(identities.map((each) => ({ ...each })).sort((x, y) => (x.identity < y.identity ? -1 : 1))).toEqual([
      { identity: 'b', device: 'a' },
      { identity: 'c', device: 'a' },
    ]);
    expect((await links.links(undefined, 10)).map(({ device }) => device)).toEqual(['a']);
    await expect(inTx((tx) => store.link(tx, 'd', 'a', 2))).rejects.toMatchObject({ code: 'too_many_identities' });
  });

  test('remove forgets a device, tells which names stood for it, and that is known for a while', async () => {
    await inTx((tx) => store.putWatch(tx, watchOf('a'), callerOf(), 1));
    await inTx((tx) => store.putSticky(tx, { device: 'a', reason: 'refused', target: 'x', until: 5 }));
    await inTx((tx) => store.link(tx, 'b', 'a', 10));
    expect(await inTx((tx) => store.remove(tx, 'a', 1_000))).toEqual(['b']);
    expect([await other.sticky(), await other.watches(), await other.identities()]).toEqual([[], [], []]);
    expect(await other.erasures()).toEqual([{ device: 'a', at: 1_000 }]);
    await store.prune(1_000 + 600_000);
    expect(await other.erasures()).toEqual([]);
  });
});
