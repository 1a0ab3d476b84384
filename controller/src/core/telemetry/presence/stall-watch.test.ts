// A process that stood still: nobody is late because of it, and one event says so.
import { expect, test } from 'vitest';
import { AuditLog } from '../../accounts/audit/audit-store.ts';
import { EventLog } from '../../accounts/event-log/event-log.ts';
import { openSqlite } from '../../base/storage/sql-database.sqlite.ts';
import { AgentPresenceTracker } from './presence.ts';
import { StallWatch } from './stall-watch.ts';

async function openWatch() {
  const database = openSqlite(':memory:');
  await database.migrate();
  const eventLog = new EventLog(database, { auditLog: new AuditLog(database) });
  let steady = 0;
  const onError = (error: unknown) => expect.unreachable(String(error));
  const watch = new StallWatch({ database, eventLog, node: 'here', onError, steadyNow: () => steady });
  watch.start();
  const tracker = AgentPresenceTracker.first('ap', 0, watch);
  tracker.configuredMs = 10_000;
  return {
    watch,
    tracker,
    /** Time passes, and the timer comes as it should. */
    run(seconds: number) {
      for (let left = seconds * 2; left > 0; left--) {
        steady += 500;
        watch.tick();
      }
    },
    /** Time passes, and nothing runs. */
    stall: (seconds: number) => {
      steady += seconds * 1000;
    },
    presence: () => {
      watch.look();
      return tracker.presenceAt(steady);
    },
    seen: () => {
      watch.look();
      tracker.seen(steady);
    },
    async told() {
      await watch.stop();
      const { events } = await eventLog.read({ limit: 10 });
      await database.close();
      return events.map(({ kind, data }) => [kind, data]);
    },
  };
}

test('a stall makes nobody late, before its timer comes and after it', async () => {
  const { run, stall, presence, seen, tracker, told } = await openWatch();
  run(10);
  stall(120);
  expect(presence()).toBe('online');
  run(5);
  expect(presence()).toBe('online');
  seen();
  expect(presence()).toBe('online');
  // It was never away: nothing begins anew, and nobody learns an interval from it.
  expect(tracker.record).toMatchObject({ online_since: 0, returned_at: null });
  expect(tracker.intervalMs).toBe(10_000);
  expect(await told()).toEqual([['node.stalled', { node: 'here', seconds: 120 }]]);
});

test('what is silent while Weft hears is late and offline, as long after as ever', async () => {
  const { run, stall, presence, tracker, told } = await openWatch();
  run(20);
  stall(60);
  run(4);
  expect(presence()).toBe('online');
  run(3);
  expect(presence()).toBe('late');
  run(25);
  expect(presence()).toBe('offline');
  expect(tracker.knownAt(112_000)).toMatchObject({ presence: 'offline', sinceMs: 110_000, lastSeenMs: 60_000 });
  await told();
});

test('small delays are nothing; those of a minute are told together, once', async () => {
  const { run, stall, watch, told } = await openWatch();
  for (let n = 0; n < 20; n++) {
    stall(0.4);
    run(0.5);
  }
  expect(watch.deafMs).toBe(0);
  for (let n = 0; n < 6; n++) {
    stall(2.5);
    run(0.5);
  }
  expect(await told()).toHaveLength(1);
});
