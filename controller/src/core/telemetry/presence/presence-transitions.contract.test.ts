// Agents that come and go, as events: each change once, storms as one, a restart as none.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { AuditLog } from '../../accounts/audit/audit-store.ts';
import { EventLog } from '../../accounts/event-log/event-log.ts';
import { NodeLease } from '../../base/storage/node-lease.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';
import { AgentStateStore } from './agent-state-store.ts';
import { type PresenceChange, PresenceTransitions } from './presence-transitions.ts';

const offlineAfterMs = 50_000;

eachDatabase((kind) => {
  describe('transitions', () => {
    let databases: [SqlDatabase, SqlDatabase];
    let remove: () => Promise<void>;
    let log: EventLog;
    let now: number;
    let states: Map<string, 'online' | 'late' | 'offline'>;
    let heard: PresenceChange[];
    let listeners: ((ap_id: string) => void)[];
    let leases: NodeLease[];

    beforeEach(async () => {
      ({ nodes: databases, remove } = await openTwoNodes(kind));
      log = new EventLog(databases[0], { auditLog: new AuditLog(databases[0]) });
      now = 1_000_000;
      states = new Map();
      heard = [];
      listeners = [];
      leases = [];
    });
    afterEach(async () => {
      for (const lease of leases) await lease.stop();
      await remove();
    });

    async function openNode(database = databases[0]) {
      const onError = (error: unknown) => expect.unreachable(String(error));
      const lease = new NodeLease({ database, name: 'presence', onError });
      leases.push(lease);
      await lease.once();
      return new PresenceTransitions({
        database,
        lease,
        store: new AgentStateStore(database),
        eventLog: new EventLog(database, { auditLog: new AuditLog(database) }),
        presence: {
          followOthers: async () => {},
          get names() {
            return states.keys();
          },
          known: (ap_id) => {
            const presence = states.get(ap_id);
            return presence && { ap_id, presence, offlineAfterMs };
          },
          onChange: (listener) => listeners.push(listener),
        },
        onChanged: (changes) => heard.push(...changes),
        onError,
        now: () => now,
      });
    }
    const told = async () =>
      (await log.read({ limit: 500 })).events.map(({ kind: each, subject, text }) =>
        subject === 'many' ? text : `${each} ${subject}`,
      );
    const set = (state: 'online' | 'late' | 'offline', ...names: string[]) => {
      for (const name of names) {
        states.set(name, state);
        for (const listener of listeners) listener(name);
      }
    };
    const round = async (...nodes: PresenceTransitions[]) => {
      now += 3_000;
      for (const node of nodes) await node.once();
    };
    const many = (count: number) => Array.from({ length: count }, (_, index) => `ap-${index}`);

    test('each change is told once, and heard of', async () => {
      const node = await openNode();
      set('online', 'a', 'b');
      await round(node);
      now += offlineAfterMs;
      set('late', 'a');
      await round(node);
      set('offline', 'a');
      await round(node);
      await round(node);
      // One report after an outage is not yet the way back.
      set('late', 'a');
      await round(node);
      set('online', 'a');
      await round(node);
      expect(await told()).toEqual([
        'agent.online a',
        'agent.online b',
        'agent.late a',
        'agent.offline a',
        'agent.online a',
      ]);
      expect(heard.filter(({ ap_id }) => ap_id === 'a').map(({ from, to }) => `${from} ${to}`)).toEqual([
        'never online',
        'online late',
        'late offline',
        'offline online',
      ]);
    });

    test('what happens to many at once is one event, also when it takes a few rounds', async () => {
      const node = await openNode();
      set('online', ...many(100));
      await round(node);
      await round(node);
      now += offlineAfterMs;
      set('offline', ...many(40));
      await round(node);
      set('offline', ...many(90));
      await round(node);
      set('online', 'ap-0');
      await round(node);
      await round(node);
      expect(await told()).toEqual(['100 access points came online', '89 access points went offline']);
      const { events } = await log.read({ limit: 1, order: 'newest_first' });
      expect(events[0]!.data).toMatchObject({ count: 89, agents: many(90).slice(1) });
    });

    test('after a restart, those that come back in time are no news; those that do not are', async () => {
      const node = await openNode();
      set('online', 'a', 'b');
      await round(node);
      await leases[0]!.stop();
      now += 600_000;
      const next = await openNode();
      set('offline', 'a', 'b');
      await round(next);
      set('late', 'a');
      await round(next);
      set('online', 'a');
      now += offlineAfterMs;
      await round(next);
      expect((await told()).slice(2)).toEqual(['agent.offline b']);
    });

    test('agents that were away before anything was told are no news', async () => {
      const node = await openNode();
      set('offline', ...many(50));
      await round(node);
      await round(node);
      expect(await told()).toEqual([]);
      set('online', 'ap-1');
      await round(node);
      expect(await told()).toEqual(['agent.online ap-1']);
    });

    test('emulated agents whose run is over are ended, not offline', async () => {
      await databases[0].query(
        `INSERT INTO agents (id, ap_id, password_hash, configuration, onboard, ver, emulated_for, created_at)
         VALUES ('1', 'a', 'sha256:revoked', '{}', 1, 'v', 'u', 1)`,
      );
      const node = await openNode();
      set('online', 'a', 'b');
      await round(node);
      now += offlineAfterMs;
      set('offline', 'a', 'b');
      await round(node);
      await round(node);
      expect((await told()).slice(2)).toEqual(['agent.offline b']);
      expect(heard.at(-2)).toMatchObject({ ap_id: 'a', to: 'ended' });
    });

    test('of two nodes, one tells; the other goes on where it stopped', async () => {
      const [one, two] = [await openNode(), await openNode(databases[1])];
      set('online', 'a');
      await round(one, two);
      expect(await told()).toEqual(['agent.online a']);
      await leases[0]!.stop();
      await leases[1]!.once();
      now += offlineAfterMs;
      await round(one, two);
      now += offlineAfterMs;
      set('offline', 'a');
      await round(one, two);
      expect(await told()).toEqual(['agent.online a', 'agent.offline a']);
    });

    test('a removed agent is forgotten: whoever has its name later begins anew', async () => {
      const node = await openNode();
      set('online', 'a', 'b');
      await round(node);
      states.delete('a');
      for (const listener of listeners) listener('a');
      await round(node);
      set('online', 'a');
      await round(node);
      expect(await told()).toEqual(['agent.online a', 'agent.online b', 'agent.online a']);
    });

    test('thousands that go away at once are one event, and cost no second of the event loop', async () => {
      const node = await openNode();
      const count = rounds(10_000, 3_000);
      const words = count.toLocaleString('en-US');
      set('online', ...many(count));
      await round(node);
      await round(node);
      now += offlineAfterMs;
      set('offline', ...many(count));
      const longestTurnMs = watchTurns();
      await round(node);
      await round(node);
      expect(await told()).toEqual([`${words} access points came online`, `${words} access points went offline`]);
      // A second on an idle machine; written in one turn it is many.
      expect(longestTurnMs()).toBeLessThan(5_000);
      const { events } = await log.read({ limit: 1, order: 'newest_first' });
      expect(events[0]!.data).toMatchObject({ count });
      expect((events[0]!.data.agents as string[]).length).toBe(count);
    });
  });
});

/** The longest turn of the event loop from now on, in processor time of this thread: a busy machine adds nothing to it. */
function watchTurns(): () => number {
  let longestUs = 0;
  let last = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(last);
    longestUs = Math.max(longestUs, user + system);
    last = process.threadCpuUsage();
    next = setImmediate(look);
  };
  let next = setImmediate(look);
  return () => {
    clearImmediate(next);
    return longestUs / 1000;
  };
}
