// What the event log promises, one test a sentence, on both databases.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';
import { AuditLog } from '../audit/audit-store.ts';
import { EventLog } from './event-log.ts';
import { type EventReadOptions, matchesKinds, maxDataBytes, maxPageBytes, type NewEvent } from './event-record.ts';
import { groupedEvent } from './grouped-event.ts';

interface Node {
  database: SqlDatabase;
  auditLog: AuditLog;
  log: EventLog;
}

interface EventLogFixture {
  node: Node;
  /** The same log, seen from another node. */
  otherNode: Node;
  remove(): Promise<void>;
}

const NOW = 1_790_000_000_000;

function eventOf(subject: string, more: Partial<NewEvent> = {}): NewEvent {
  return { kind: 'agent.offline', subject_kind: 'agent', subject, text: `${subject} is offline`, ...more };
}

function describeEventLog(open: (now: () => number, onLogged: () => void) => Promise<EventLogFixture>): void {
  let fixture: EventLogFixture;
  let database: SqlDatabase;
  let log: EventLog;
  let now: number;
  let told: number;
  const append = (events: NewEvent[], { database, log }: Node = fixture.node) =>
    database.transaction((tx) => log.append(tx, events));
  const subjects = async (options: Partial<EventReadOptions> = {}) =>
    (await log.read({ limit: 500, ...options })).events.map(({ subject }) => subject);

  beforeEach(async () => {
    now = NOW;
    told = 0;
    fixture = await open(
      () => now,
      () => told++,
    );
    ({ database, log } = fixture.node);
  });
  afterEach(() => fixture.remove());

  describe('append', () => {
    test('adds events in their order, with ids that grow', async () => {
      await append([eventOf('a', { site: 'uk/hall', severity: 'major', data: { n: '\u0000\ud800' } }), eventOf('b')]);
      now += 5;
      await append([eventOf('c')], fixture.otherNode);
      const { events, next } = await log.read({ limit: 10 });
      expect(events).toEqual([
        {
          id: 1,
          ts: NOW,
          kind: 'agent.offline',
          subject_kind: 'agent',
          subject: 'a',
          ap_id: 'a',
          site: 'uk/hall',
          severity: 'major',
          text: 'a is offline',
          data: { n: '\u0000\ud800' },
        },
        expect.objectContaining({ id: 2, subject: 'b', site: null, severity: 'info', data: {} }),
        expect.objectContaining({ id: 3, ts: NOW + 5 }),
      ]);
      expect(next).toBeNull();
      expect(await log.newest()).toBe(3);
    });

    test('stands or falls with the transaction, and is told once it is durable', async () => {
      const call = database.transaction(async (tx) => {
        await log.append(tx, [eventOf('a')]);
        expect(told).toBe(0);
        throw new Error('changed my mind');
      });
      await expect(call).rejects.toThrow('changed my mind');
      expect(told).toBe(0);
      await append([eventOf('b')]);
      expect(told).toBe(1);
      expect(await subjects()).toEqual(['b']);
    });

    test('gives times that never go back, and keeps when it happened', async () => {
      await append([eventOf('a')]);
      now -= 10_000;
      await append([eventOf('b', { ts: NOW - 20_000 })]);
      const { events } = await log.read({ limit: 10 });
      expect(events.map(({ ts }) => ts)).toEqual([NOW, NOW]);
      expect(events[1]!.data).toEqual({ at: new Date(NOW - 20_000).toISOString() });
    });

    test('replaces data that is too long by its size, and cuts a long text', async () => {
      await append([eventOf('a', { data: { long: 'ä'.repeat(maxDataBytes / 2) }, text: 'x'.repeat(5000) })]);
      const { events } = await log.read({ limit: 1 });
      expect(events[0]!.data).toEqual({ omitted_bytes: expect.any(Number) });
      expect(events[0]!.text).toHaveLength(2000);
    });

    test('of transactions side by side, shows events in the order of their ids: a reader by id misses none', async () => {
      const seen: number[] = [];
      let isOver = false;
      const reading = (async () => {
        for (let after = 0; ; ) {
          const isLast = isOver;
          const { events } = await fixture.otherNode.log.read({ after, limit: 100 });
          seen.push(...events.map(({ id }) => id));
          after = seen.at(-1) ?? 0;
          if (isLast && events.length === 0) return;
        }
      })();
      const writers = Array.from({ length: 40 }, async (_, index) => {
        const node = index % 2 ? fixture.node : fixture.otherNode;
        for (let round = 0; round < 5; round++) {
          await node.database.transaction(async (tx) => {
            await node.log.append(tx, [eventOf(`${index}-${round}`)]);
            // What keeps a transaction open after its id was given.
            for (let more = 0; more < index % 4; more++) await tx.query('SELECT COUNT(*) AS n FROM event_log');
          });
        }
      });
      const writing = Promise.all(writers).finally(() => {
        isOver = true;
      });
      await Promise.all([writing, reading]);
      expect(seen).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    });

    test('waits for nobody forever: before or after an audit entry in the same transaction', async () => {
      const actor = { kind: 'command_line', id: null, name: 'bob' } as const;
      const entry = { actor, action: 'thing_made', target: { kind: 'thing', name: 'a' }, detail: {} };
      let attempts = 0;
      const both = [fixture.node, fixture.otherNode];
      await Promise.all(
        Array.from({ length: 30 }, (_, index) => {
          const { database, log, auditLog } = both[index % 2]!;
          return database.transaction(async (tx) => {
            attempts++;
            if (index % 3 === 0) await auditLog.append(tx, [entry]);
            await log.append(tx, [eventOf('a')]);
            if (index % 3 !== 0) await auditLog.append(tx, [entry]);
          });
        }),
      );
      // Of transactions that wait for one another PostgreSQL fails one, which is tried again.
      expect(attempts).toBe(30);
      expect(await log.newest()).toBe(30);
    });
  });

  describe('read', () => {
    test.each(['newest_first', 'oldest_first'] as const)(
      'a long page is read in parts, each in a turn of its own (%s)',
      async (order) => {
        await append(Array.from({ length: 400 }, (_, n) => eventOf(`ap-${n % 7}`)));
        const turns: number[] = [];
        let turn = 0;
        const { query } = database;
        const count = () => {
          turn++;
          counting = setImmediate(count);
        };
        let counting = setImmediate(count);
        database.query = (async (sql: string, params = []) => {
          const rows = await query.call(database, sql, params);
          if (rows.length > 1) turns.push(turn);
          expect(rows.length).toBeLessThanOrEqual(20);
          return rows;
        }) as typeof query;
        const all = await log.read({ order, limit: 320 });
        const turnsOfAll = [...turns];
        const ofOne = await log.read({ order, limit: 500, ap_id: 'ap-3' });
        database.query = query;
        clearImmediate(counting);
        expect(all.events.length).toBe(320);
        expect(ofOne).toMatchObject({ events: { length: 57 }, next: null });
        const ids = all.events.map(({ id }) => id);
        expect(ids).toEqual(ids.toSorted((a, b) => (order === 'oldest_first' ? a - b : b - a)));
        expect(new Set(turnsOfAll).size).toBe(16);
      },
    );

    test('filters by kind, family of kinds, subject, site and what is below it', async () => {
      await append([
        eventOf('a', { kind: 'alarm.fired', subject_kind: 'alarm', site: 'uk' }),
        eventOf('b', { kind: 'alarm.cleared', subject_kind: 'alarm', site: 'uk/bristol' }),
        eventOf('c', { kind: 'alarms', site: 'uk-2' }),
        eventOf('d', { site: 'us' }),
        eventOf('e', { kind: 'command.ended', subject_kind: 'command', data: { ap_id: 'd' } }),
      ]);
      expect(await subjects({ kinds: ['alarm.*'] })).toEqual(['a', 'b']);
      expect(await subjects({ kinds: ['alarm.fired', 'agent.offline'] })).toEqual(['a', 'd']);
      expect(await subjects({ kinds: ['*', 'x'] })).toHaveLength(5);
      expect(await subjects({ kinds: [] })).toEqual([]);
      expect(await subjects({ subject: 'c' })).toEqual(['c']);
      expect(await subjects({ ap_id: 'd' })).toEqual(['d', 'e']);
      await append([groupedEvent({ kind: 'agent.online', what: 'came online', ap_ids: ['ap_1', 'd', 'x%'] })]);
      expect(await subjects({ ap_id: 'd' })).toEqual(['d', 'e', 'many']);
      expect(await subjects({ ap_id: 'ap_1' })).toEqual(['many']);
      expect(await subjects({ ap_id: 'ap-1' })).toEqual([]);
      expect(await subjects({ ap_id: 'ap_' })).toEqual([]);
      expect(await subjects({ ap_id: '%' })).toEqual([]);
      expect(await subjects({ ap_id: 'd', kinds: ['command.*'], order: 'newest_first' })).toEqual(['e']);
      expect(await subjects({ subject_kind: 'alarm', order: 'newest_first' })).toEqual(['b', 'a']);
      expect(await subjects({ site: 'uk' })).toEqual(['a', 'b']);
      for (const kinds of [['alarm.*'], ['alarm.fired'], ['*'], ['agent.*', 'alarms']]) {
        const found = (await log.read({ limit: 10, kinds })).events;
        const all = (await log.read({ limit: 10 })).events;
        expect(found).toEqual(all.filter(({ kind }) => matchesKinds(kinds, kind)));
      }
    });

    test('filters by time', async () => {
      for (let index = 0; index < 20; index++) {
        now = NOW + Math.floor(index / 2) * 1000;
        await append([eventOf(String(index))]);
      }
      for (const order of ['oldest_first', 'newest_first'] as const) {
        const found = await subjects({ fromMs: NOW + 2000, untilMs: NOW + 4000, order });
        expect(found.sort()).toEqual(['4', '5', '6', '7']);
      }
      expect(await subjects({ fromMs: NOW + 2001, untilMs: NOW + 3001 })).toEqual(['6', '7']);
      expect(await subjects({ fromMs: NOW + 60_000 })).toEqual([]);
      expect(await subjects({ untilMs: NOW })).toEqual([]);
    });

    test('goes on where the page before ended, in both orders, and ends', async () => {
      await append(Array.from({ length: 10 }, (_, index) => eventOf(String(index))));
      for (const order of ['oldest_first', 'newest_first'] as const) {
        const found: string[] = [];
        let next: number | null | undefined;
        let pages = 0;
        while (next !== null) {
          const edge = order === 'oldest_first' ? { after: next } : { before: next };
          const page = await log.read({ limit: 3, order, ...edge });
          found.push(...page.events.map(({ subject }) => subject));
          next = page.next;
          pages++;
        }
        expect(found).toEqual(order === 'oldest_first' ? [...'0123456789'] : [...'9876543210']);
        expect(pages).toBe(4);
      }
    });

    test('looks at a bounded number of events in one call, and says how far', async () => {
      const many = Array.from({ length: 60_000 }, (_, index) => eventOf(String(index)));
      await append([eventOf('first', { kind: 'x.y' }), ...many, eventOf('last', { kind: 'x.y' })]);
      const up = await log.read({ kinds: ['x.y'], limit: 5 });
      expect(up).toMatchObject({ events: [{ subject: 'first' }], next: 50_000 });
      const rest = await log.read({ kinds: ['x.y'], limit: 5, after: up.next! });
      expect(rest).toMatchObject({ events: [{ subject: 'last' }], next: null });
      const down = await log.read({ kinds: ['x.y'], limit: 5, order: 'newest_first' });
      expect(down).toMatchObject({ events: [{ subject: 'last' }], next: 10_003 });
      expect(await log.read({ ap_id: 'first', limit: 5 })).toMatchObject({ events: [{ id: 1 }], next: null });
    });

    test('ends a page when its data is too much', async () => {
      const data = { long: 'x'.repeat(maxDataBytes - 100) };
      await append(Array.from({ length: 20 }, (_, index) => eventOf(String(index), { data })));
      const { events, next } = await log.read({ limit: 20 });
      expect(events.length).toBe(Math.floor(maxPageBytes / maxDataBytes));
      expect(next).toBe(events.at(-1)!.id);
    });
  });

  test('byIds answers those that are kept, in their order', async () => {
    await append(Array.from({ length: 250 }, (_, index) => eventOf(String(index))));
    const ids = Array.from({ length: 250 }, (_, index) => 250 - index);
    expect((await log.byIds([...ids, 7, 999])).map(({ id }) => id)).toEqual(ids.reverse());
    expect(await log.byIds([])).toEqual([]);
  });

  describe('of many devices', () => {
    const group = (subject: string, ...devices: string[]): NewEvent =>
      eventOf(subject, {
        kind: 'device.left',
        subject_kind: 'devices',
        data: { ap_id: subject, count: devices.length },
        devices,
      });
    const of = async (subject: string) =>
      (await log.read({ subject_kind: 'device', subject, limit: 10 })).events.map((event) => event.subject);

    test('each finds what happened to it, alone and among others; nobody reads the others', async () => {
      await append([eventOf('d1', { subject_kind: 'device' }), group('a', 'd1', 'd2', 'd1'), group('b', 'd2')]);
      expect([await of('d1'), await of('d2'), await of('d3')]).toEqual([['d1', 'a'], ['a', 'b'], []]);
      const { events } = await log.read({ ap_id: 'a', limit: 10 });
      expect(events).toMatchObject([{ subject: 'a', ap_id: 'a', data: { ap_id: 'a', count: 3 } }]);
      expect(JSON.stringify(events)).not.toContain('d1');
    });

    test('removeDevice takes its name out of them', async () => {
      await append([group('a', 'd1', 'd2')]);
      await database.transaction((tx) => log.removeDevice(tx, 'd1'));
      expect([await of('d1'), await of('d2')]).toEqual([[], ['a']]);
    });

    test('prune removes them as early as those of one, with the names', async () => {
      await append([group('a', 'd1'), eventOf('x')]);
      now += 1000;
      await append([group('b', 'd1')]);
      while (await log.prune({ events: NOW, devices: NOW + 500 }, 10));
      expect([await subjects(), await of('d1')]).toEqual([['x', 'b'], ['b']]);
      expect(await database.query('SELECT device FROM grouped_devices')).toEqual([{ device: 'd1' }]);
    });
  });

  describe('prune', () => {
    test('removes what is too old in bounded steps, oldest first; devices earlier', async () => {
      await append([eventOf('a'), eventOf('d1', { kind: 'device.moved', subject_kind: 'device' })]);
      now += 1000;
      await append([eventOf('b'), eventOf('d2', { kind: 'device.moved', subject_kind: 'device' }), eventOf('c')]);
      now += 1000;
      await append([eventOf('e'), eventOf('d3', { kind: 'device.moved', subject_kind: 'device' })]);
      const before = { events: NOW + 1500, devices: NOW + 2500 };
      expect(await log.prune(before, 2)).toBe(true);
      expect(await subjects()).toEqual(['b', 'c', 'e']);
      while (await log.prune(before, 2));
      expect(await subjects()).toEqual(['e']);
      expect(await log.oldest()).toBe(6);
      await log.prune({ events: NOW + 9000, devices: NOW }, 10);
      expect(await log.oldest()).toBeUndefined();
      expect(await log.newest()).toBe(7);
      await append([eventOf('f')]);
      expect((await log.read({ limit: 1 })).events[0]!.id).toBe(8);
    });
  });
}

eachDatabase((kind) => {
  describeEventLog(async (now, onLogged) => {
    const { nodes, remove } = await openTwoNodes(kind);
    const [node, otherNode] = nodes.map((database) => {
      const auditLog = new AuditLog(database);
      return { database, auditLog, log: new EventLog(database, { auditLog, now, onLogged }) };
    });
    return { node: node!, otherNode: otherNode!, remove };
  });
});
