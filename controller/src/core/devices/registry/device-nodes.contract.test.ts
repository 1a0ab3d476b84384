// Devices across restarts and across nodes, on both databases.
import { expect, onTestFinished, test } from 'vitest';
import { type DatabaseKind, eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { toMoves } from '../../../operations/devices/device-answer.ts';
import { EventLog } from '../../accounts/event-log/event-log.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';
import { hearsNothing } from '../../telemetry/ingest/device-list.ts';
import { Pseudonyms } from '../privacy/pseudonyms.ts';
import { DeviceStore } from '../store/device-store.ts';
import { DeviceIntake } from './device-intake.ts';
import { DeviceJournal } from './device-journal.ts';
import { DeviceRegistry } from './device-registry.ts';
import { DeviceUpkeep } from './device-upkeep.ts';

const pseudonyms = new Pseudonyms(Buffer.alloc(32, 1));
const dayMs = 86_400_000;
const seesAll = { seesAll: true, get: () => undefined, has: () => true };

function openNode(database: SqlDatabase, node: string) {
  const clock = { nowMs: Date.now() };
  const now = () => clock.nowMs;
  const store = new DeviceStore(database, { node, now });
  const eventLog = new EventLog(database, { auditLog: { lock: async () => {} } });
  const journal = new DeviceJournal({ database, store, eventLog });
  const registry = new DeviceRegistry({
    pseudonyms,
    maxDevices: 3_000,
    onChanges: (changes) => journal.add(changes),
    now,
  });
  const intake = new DeviceIntake(registry, journal);
  const onError = (error: unknown) => {
    throw error;
  };
  const upkeep = new DeviceUpkeep({ registry, store, journal, isShared: true, keptMs: dayMs, onError, now });
  const report = (ap_id: string, ts: number, ...identities: string[]) =>
    intake.take(ap_id, [
      {
        ts,
        devices: identities.map((identity) => ({
          identity,
          rssi_dbm: -40.25,
          snr_db: 20,
          rx_mbps: 1,
          tx_mbps: 2,
          connected_seconds: Number.NaN,
          heard: identity === 'd1' ? [{ name: 'b', isBssid: false, rssi_dbm: -70 }] : hearsNothing,
        })),
      },
    ]);
  const attached = () => {
    const pairs: string[] = [];
    for (const agent of registry.agents()) {
      for (const slot of registry.table.all()) {
        if (registry.table.linkBetween(slot, agent.slot) >= 0)
          pairs.push(`${registry.table.idOf(slot)} ${agent.ap_id}`);
      }
    }
    return pairs.sort();
  };
  return { clock, registry, upkeep, journal, eventLog, report, attached };
}

async function openNodes(kind: DatabaseKind) {
  const { nodes, remove } = await openTwoNodes(kind);
  onTestFinished(remove);
  return { databases: nodes, one: openNode(nodes[0], 'one'), two: openNode(nodes[1], 'two') };
}

function pairs(...texts: string[]): string[] {
  return texts.map((text) => text.replace(/^\S+/, (identity) => pseudonyms.of(identity))).sort();
}

eachDatabase((kind) => {
  test('what was reported is there after a kill; what was saved has its values', async () => {
    const { databases, one } = await openNodes(kind);
    const now = Date.now();
    await one.report('a', now, 'd1', 'd2');
    await one.upkeep.save();
    await one.report('a', now + 1, 'd1');
    await one.report('b', now + 2, 'd2');
    const next = openNode(databases[0], 'one');
    await next.upkeep.load();
    expect(next.attached()).toEqual(pairs('d1 a', 'd2 b'));
    // Its list was not saved, but what it said is known.
    expect(next.registry.agent('b')!.listTs).toBe(now + 2);
    const { table } = next.registry;
    const link = table.linkBetween(table.find(pseudonyms.of('d1'))!, next.registry.agent('a')!.slot);
    expect(table.links.rssi_dbm[link]).toBe(-40.25);
    expect(table.heardOf(link)).toEqual([{ name: 'b', isBssid: false, rssi_dbm: -70 }]);
    await next.report('a', now + 3, 'd1');
    expect(next.journal.waiting).toBe(0);
  });

  test('another node learns what joined, moved and left, and tells nothing twice', async () => {
    const { one, two } = await openNodes(kind);
    await two.upkeep.load();
    const now = Date.now();
    await one.report('a', now, 'd1', 'd2');
    await two.upkeep.follow();
    expect(two.attached()).toEqual(pairs('d1 a', 'd2 a'));
    // The access point goes on at the other node.
    await two.report('a', now + 10, 'd1');
    await two.report('b', now + 20, 'd2');
    await one.upkeep.follow();
    expect(one.attached()).toEqual(pairs('d1 a', 'd2 b'));
    await one.report('a', now + 30, 'd1');
    await one.upkeep.save();
    await two.upkeep.follow();
    expect(two.attached()).toEqual(one.attached());
    const { events } = await one.eventLog.read({ limit: 100 });
    expect(events.map(({ kind }) => kind)).toEqual(['device.joined', 'device.joined', 'device.left', 'device.moved']);
  });

  test('a device that joined at one node and left before the other heard of it does not stay', async () => {
    const { one, two } = await openNodes(kind);
    const now = Date.now();
    await one.report('a', now, 'd1');
    await two.report('a', now + 10);
    await two.upkeep.follow();
    expect(two.attached()).toEqual([]);
    await one.upkeep.follow();
    expect(one.attached()).toEqual([]);
  });

  test('what could not be written is written with the next report, which waits for it', async () => {
    const { databases, one, two } = await openNodes(kind);
    const now = Date.now();
    const failing = openNode({ ...databases[0], transaction: () => Promise.reject(new Error('away')) }, 'one');
    await expect(failing.report('a', now, 'd1')).rejects.toThrow('away');
    await expect(failing.report('a', now + 1, 'd1')).rejects.toThrow('away');
    expect(failing.journal.waiting).toBe(1);
    await one.report('a', now, 'd1');
    await two.upkeep.follow();
    expect(two.attached()).toEqual(pairs('d1 a'));
  });

  test('devices of an access point that goes offline are one event, of which each of them knows', async () => {
    const { one } = await openNodes(kind);
    const now = Date.now();
    const many = Array.from({ length: 1_100 }, (_, index) => `many-${index}`);
    await one.report('a', now, 'd1', ...many);
    await one.report('b', now, 'd2', 'moves');
    await one.report('c', now + 10, 'moves', 'd3');
    for (const ap_id of ['a', 'b', 'c']) one.registry.leaveAll(ap_id, now + 20, 'offline');
    await one.journal.settled();
    const { events } = await one.eventLog.read({ kinds: ['device.left', 'device.moved'], limit: 10 });
    expect(events.map(({ text }) => text)).toEqual([
      '1,101 devices left a, which is offline',
      `${pseudonyms.of('moves')} moved from b to c`,
      `${pseudonyms.of('d2')} left b`,
      '2 devices left c, which is offline',
    ]);
    expect(events[0]).toMatchObject({ subject: 'a', ap_id: 'a', data: { count: 1_101, because: 'offline' } });
    const ofOne = await one.eventLog.read({ subject_kind: 'device', subject: pseudonyms.of('d1'), limit: 10 });
    expect(toMoves(ofOne.events, seesAll).map(({ kind: what, ap_id }) => [what, ap_id])).toEqual([
      ['joined', 'a'],
      ['left', 'a'],
    ]);
  });

  test('devices are forgotten a day after they were seen last', async () => {
    const { one, two } = await openNodes(kind);
    const later = one.clock.nowMs;
    one.clock.nowMs -= dayMs + 60_000;
    await one.report('a', one.clock.nowMs, 'd1', 'd2');
    await one.report('a', one.clock.nowMs + 10);
    one.clock.nowMs = later;
    await one.report('a', later, 'd2');
    await one.upkeep.prune(one.clock.nowMs);
    expect([...one.registry.table.all()].map((slot) => one.registry.table.idOf(slot))).toEqual([pseudonyms.of('d2')]);
    await two.upkeep.load();
    expect(two.registry.table.deviceCount).toBe(1);
  });

  test('a model that lies in the past keeps its devices, on every node and across a restart, until nobody hears of it', async () => {
    const { databases, one, two } = await openNodes(kind);
    const past = Date.parse('2020-01-01T00:00:00Z');
    await one.report('a', past, 'd1', 'd2');
    await one.report('a', past + 1_000, 'd1');
    await one.upkeep.save();
    await two.upkeep.load();
    const next = openNode(databases[0], 'one');
    await next.upkeep.load();
    for (const node of [one, two, next]) {
      await node.upkeep.prune(node.clock.nowMs);
      expect([node.attached(), node.registry.table.deviceCount]).toEqual([pairs('d1 a'), 2]);
    }
    expect((await one.eventLog.read({ limit: 100 })).events.map(({ kind: what }) => what)).toEqual([
      'device.joined',
      'device.joined',
      'device.left',
    ]);
    // Not even that it ended is known then.
    two.clock.nowMs += dayMs + 60_000;
    await two.upkeep.prune(two.clock.nowMs);
    expect([two.attached(), two.registry.table.deviceCount]).toEqual([[], 1]);
  });
});
