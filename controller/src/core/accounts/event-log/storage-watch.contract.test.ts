// Outages of stores and a full disk, as events.
import { expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { AuditLog } from '../audit/audit-store.ts';
import { EventLog } from './event-log.ts';
import { StorageWatch } from './storage-watch.ts';

eachDatabase((kind) => {
  test('outages are told when they begin and end, those of the database afterwards, with their times', async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    const [database] = nodes;
    const eventLog = new EventLog(database, { auditLog: new AuditLog(database) });
    const away = new Set<string>();
    let isDiskLow = false;
    let now = 1_000_000;
    const check = (name: string) => async () => {
      if (away.has(name)) throw new Error('away');
    };
    const watch = new StorageWatch({
      database: {
        transaction: async (work) => {
          await check('database')();
          return database.transaction(work);
        },
      },
      eventLog,
      node: 'n1',
      isDiskLow: () => isDiskLow,
      stores: { database: check('database'), telemetry: check('telemetry') },
      onError: () => {},
      now: () => now,
    });
    const look = async () => {
      now += 5_000;
      await watch.once();
    };
    away.add('telemetry');
    await look();
    away.clear();
    await look();
    away.add('telemetry');
    await look();
    await look();
    away.add('database');
    isDiskLow = true;
    for (let round = 0; round < 3; round++) await look();
    away.clear();
    isDiskLow = false;
    await look();
    const { events } = await eventLog.read({ limit: 100 });
    expect(events.map(({ kind: each, subject, data }) => [each, subject, data.at])).toEqual([
      ['storage.unreachable', 'n1/telemetry', new Date(1_020_000).toISOString()],
      ['storage.disk_low', 'n1/disk', new Date(1_025_000).toISOString()],
      ['storage.unreachable', 'n1/database', new Date(1_030_000).toISOString()],
      ['storage.recovered', 'n1/database', new Date(1_040_000).toISOString()],
      ['storage.recovered', 'n1/telemetry', new Date(1_040_000).toISOString()],
      ['storage.disk_recovered', 'n1/disk', new Date(1_040_000).toISOString()],
    ]);
    await remove();
  });
});
