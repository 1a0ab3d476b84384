// Devices that go back after they were moved: known across a kill and on every node, on both databases.
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { untilSo } from '../../../../test/pure/until-so.ts';
import type { SqlDatabase } from '../../core/base/storage/sql-database.ts';
import type { SteeredDevice } from '../../core/commands/ledger/ledger-batch.ts';
import type { DeviceChange } from '../../core/devices/registry/device-changes.ts';
import { DeviceExtrasStore } from '../../core/devices/store/device-extras-store.ts';
import { SteeredStore } from '../../core/devices/store/steered-store.ts';
import { Stickiness } from './stickiness.ts';

const steered: SteeredDevice = { device: 'd', ap_id: 'a', target: 'b', outcome: 'moved', command_id: '1' };
const link = { device: 'd', ap_id: 'a', since: 0, seen: 0, left_at: null, is_randomised: false };
const change: DeviceChange = { kind: 'joined', link, ts: 0 };
const minute = 60_000;

eachDatabase((kind) => {
  let databases: readonly SqlDatabase[];
  const clock = { nowMs: 0 };
  let serving: string;

  beforeEach(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    onTestFinished(remove);
    databases = nodes;
    clock.nowMs = 1_000_000;
    serving = 'b';
  });

  function openNode(database: SqlDatabase) {
    const extras = new DeviceExtrasStore(database);
    const stickiness = new Stickiness({
      database,
      store: new SteeredStore(database),
      isAttached: (ap_id) => ap_id === serving,
      putSticky: extras.putSticky.bind(extras),
      refreshSticky: async () => {},
      onError: (error) => {
        throw error;
      },
      now: () => clock.nowMs,
    });
    const end = async (...ends: SteeredDevice[]) => {
      await database.transaction((tx) => stickiness.ending(tx, ends));
      return () => stickiness.ended(ends);
    };
    const sticky = async () => (await extras.sticky()).map(({ device, reason }) => `${device} ${reason}`);
    return { extras, stickiness, end, sticky };
  }
  const open = () => [openNode(databases[0]!), openNode(databases[1]!)] as const;

  test('a device that goes back after a kill is remembered, by whichever node hears of it', async () => {
    const [killed, next] = open();
    await killed.end(steered);
    await next.stickiness.refresh();
    next.stickiness.changed([change]);
    serving = 'a';
    clock.nowMs += 4 * minute;
    next.stickiness.changed([change]);
    await untilSo(async () => expect(await next.sticky()).toEqual(['d moved_back']));
  });

  test('one that went back while nobody looked is found later', async () => {
    const [killed, next] = open();
    await killed.end(steered);
    serving = 'a';
    await next.stickiness.refresh();
    // The report that was the evidence may have to be repeated.
    next.stickiness.check();
    clock.nowMs += minute;
    await next.stickiness.refresh();
    expect(await next.sticky()).toEqual([]);
    next.stickiness.check();
    await untilSo(async () => expect(await next.sticky()).toEqual(['d moved_back']));
  });

  test('one that went back before its node knew what to watch is found at once', async () => {
    const [one] = open();
    const ended = await one.end(steered);
    serving = 'a';
    one.stickiness.changed([change]);
    await ended();
    await untilSo(async () => expect(await one.sticky()).toEqual(['d moved_back']));
  });

  test('after five minutes it may go where it likes, and what was watched goes', async () => {
    const [one, two] = open();
    await (await one.end(steered))();
    await two.stickiness.refresh();
    serving = 'a';
    clock.nowMs += 5 * minute;
    for (const { stickiness } of [one, two]) {
      stickiness.changed([change]);
      stickiness.check();
    }
    await one.extras.prune(clock.nowMs + minute);
    expect(await databases[0]!.query('SELECT device FROM device_steered')).toEqual([]);
    expect(await one.sticky()).toEqual([]);
  });

  test('one that refused is durable with the end of its command; the others are not', async () => {
    const [one] = open();
    const others = (['ignored', 'unreachable'] as const).map((outcome) => ({ ...steered, device: outcome, outcome }));
    await one.end({ ...steered, outcome: 'refused' }, ...others, { ...steered, device: '', outcome: 'refused' });
    expect(await one.sticky()).toEqual(['d refused']);
  });

  test('an erased device is not watched any more', async () => {
    const [one] = open();
    await one.end(steered);
    await databases[0]!.transaction((tx) => one.extras.remove(tx, 'd', clock.nowMs));
    expect(await databases[0]!.query('SELECT device FROM device_steered')).toEqual([]);
  });
});
