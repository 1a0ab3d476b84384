// Notifications by e-mail: over HTTP and a real SMTP server; digests, quiet hours and failures on a clock of the test.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { readMail, startSmtp } from '../../../../../test/smtp.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { AuditLog } from '../../../core/accounts/audit/audit-store.ts';
import { EventLog } from '../../../core/accounts/event-log/event-log.ts';
import type { NewEvent, Severity } from '../../../core/accounts/event-log/event-record.ts';
import { NodeLease } from '../../../core/base/storage/node-lease.ts';
import type { SqlDatabase } from '../../../core/base/storage/sql-database.ts';
import { createNotificationDelivery } from './notification-runner.ts';
import { type NotificationRecord, type NotificationRule, NotificationStore } from './notification-store.ts';

const happened = (subject: string, severity: Severity = 'major', more: Partial<NewEvent> = {}): NewEvent => ({
  kind: 'test.happened',
  subject_kind: 'agent',
  subject,
  severity,
  text: `${subject} did something`,
  ...more,
});

describe('/api/v1/notifications', () => {
  let weft: TestWeft;
  let admin: string;
  let smtp: Awaited<ReturnType<typeof startSmtp>>;
  beforeAll(async () => {
    smtp = await startSmtp();
    weft = await startWeft({ WEFT_SMTP_URL: smtp.url });
    admin = await weft.admin();
  });
  afterAll(async () => {
    await weft.stop();
    await smtp.close();
  });
  const ask = (method: string, path = '', json?: unknown) =>
    weft.request(method, `/api/v1/notifications${path}`, { token: admin, ...(json !== undefined && { json }) });

  test('sends what happens, to who wants it, in one mail', async () => {
    const input = { name: 'on call', email: 'ada@weft.test', events: ['test.*'], severities: ['major'] };
    const { status, body } = await ask('POST', '', input);
    expect([status, body]).toMatchObject([
      200,
      { ...input, digest_minutes: 0, quiet: null, time_zone: 'UTC', enabled: true },
    ]);
    const { eventLog } = weft.parts.eventLog;
    await weft.platform.database.transaction((tx) =>
      eventLog.append(tx, [happened('a'), happened('b', 'info'), happened('c')]),
    );
    await untilSo(() => expect(smtp.mails).toHaveLength(1));
    expect(smtp.mails[0]).toMatchObject({ to: ['ada@weft.test'] });
    const { headers, text } = readMail(smtp.mails[0]!.raw);
    expect(headers.get('subject')).toBe('[Weft] 2 events: 2 major');
    expect(text).toContain('a did something');
    expect(text).not.toContain('b did something');
    await untilSo(async () => expect((await ask('GET', `/${body.id}`)).body.last_sent_at).not.toBeNull());
  });

  test('can be tested, changed and removed', async () => {
    const { body } = await ask('POST', '', { name: 'other', email: 'bob@weft.test' });
    expect(body).toMatchObject({ events: ['alarm.fired', 'alarm.cleared'], severities: ['critical', 'major'] });
    expect((await ask('POST', `/${body.id}/test`)).body).toEqual({ sent: true, error: null });
    expect(readMail(smtp.mails.at(-1)!.raw).text).toContain('A test of the notification other');
    const quiet = { from: '22:00', until: '07:00', except: ['critical'] };
    const changed = { name: 'other', email: 'bob@weft.test', quiet, time_zone: 'Europe/London', digest_minutes: 60 };
    expect((await ask('PUT', `/${body.id}`, changed)).body).toMatchObject(changed);
    expect((await ask('POST', '', { name: 'other', email: 'bob@weft.test' })).status).toBe(409);
    expect((await ask('GET')).body.items.map(({ name }: { name: string }) => name)).toEqual(['on call', 'other']);
    expect((await ask('DELETE', `/${body.id}`)).status).toBe(200);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/test'],
    ] as const) {
      expect((await ask(method, `/${body.id}${path}`)).status).toBe(404);
    }
    expect((await ask('PUT', '/none', changed)).status).toBe(404);
  });

  test.each([
    { email: 'nobody' },
    { time_zone: 'Europe/Atlantis' },
    { quiet: { from: '25:00', until: '07:00' } },
    { severities: ['loud'] },
    { digest_minutes: -1 },
    { selector: 'site:' },
  ])('%o is 422', async (wrong) => {
    expect((await ask('POST', '', { name: 'x', email: 'a@weft.test', ...wrong })).status).toBe(422);
  });
});

eachDatabase((kind) => {
  describe('a notification', () => {
    let databases: [SqlDatabase, SqlDatabase];
    let remove: () => Promise<void>;
    let store: NotificationStore;
    let log: EventLog;
    let now: number;
    let mails: string[];
    let isDown: boolean;
    let isAway: boolean;
    let nodes: { delivery: ReturnType<typeof createNotificationDelivery>; lease: NodeLease }[];

    beforeEach(async () => {
      ({ nodes: databases, remove } = await openTwoNodes(kind));
      now = Date.parse('2026-01-10T12:00:00Z');
      log = new EventLog(databases[0], { auditLog: new AuditLog(databases[0]), now: () => now });
      store = new NotificationStore(databases[0]);
      mails = [];
      isDown = isAway = false;
      nodes = [];
    });
    afterEach(async () => {
      for (const { lease } of nodes) await lease.stop();
      await remove();
    });

    async function openNode(database = databases[0]) {
      const lease = new NodeLease({ database, name: 'notifications', onError: () => {} });
      await lease.once();
      const delivery = createNotificationDelivery({
        database: { transaction: (work) => (isAway ? Promise.reject(new Error('away')) : database.transaction(work)) },
        lease,
        store: new NotificationStore(database),
        eventLog: log,
        choose: async (_, events) => [...events],
        send: async ({ name }, events) => {
          if (isDown) throw new Error('down');
          mails.push(`${name}: ${events.map(({ subject }) => subject).join(' ')}`);
        },
        onError: () => {},
        now: () => now,
      });
      nodes.push({ delivery, lease });
      return delivery;
    }
    const create = (rule: Partial<NotificationRule> = {}) => {
      const record: NotificationRecord = {
        id: 'n',
        name: 'n',
        email: 'a@weft.test',
        rule: {
          events: ['test.*'],
          severities: ['major', 'critical'],
          selector: '',
          digest_minutes: 0,
          quiet: null,
          time_zone: 'UTC',
          ...rule,
        },
        enabled: true,
        created_by: 'ada',
        created_at: now,
        version: 1,
        position: 0,
        last_sent_at: null,
        failing_since: null,
      };
      return store.create(record);
    };
    const append = (...events: NewEvent[]) => databases[0].transaction((tx) => log.append(tx, events));
    const passes = async (seconds: number, delivery = nodes[0]!.delivery) => {
      now += seconds * 1000;
      await delivery.look();
      await delivery.settled();
    };

    test('collects for its digest, from the first event on', async () => {
      await create({ digest_minutes: 60 });
      await openNode();
      await append(happened('a'));
      await passes(1800);
      await append(happened('b'), happened('ignored', 'info'));
      await passes(1790);
      expect(mails).toEqual([]);
      await passes(20);
      expect(mails).toEqual(['n: a b']);
    });

    test('waits for the end of quiet hours, unless something is urgent', async () => {
      await create({ quiet: { from: '22:00', until: '07:00' }, time_zone: 'Europe/London' });
      await openNode();
      now = Date.parse('2026-01-10T23:00:00Z');
      await append(happened('a'));
      await passes(3600);
      expect(mails).toEqual([]);
      await append(happened('b', 'critical'));
      await passes(10);
      expect(mails).toEqual(['n: a b']);
      await append(happened('c'));
      now = Date.parse('2026-01-11T06:59:00Z');
      await passes(1);
      expect(mails).toHaveLength(1);
      await passes(60);
      expect(mails).toEqual(['n: a b', 'n: c']);
    });

    test('of a mail server that is down loses nothing, also when another node goes on', async () => {
      await create();
      await openNode();
      isDown = true;
      await append(happened('a'));
      await passes(10);
      expect((await store.get('n'))!).toMatchObject({ failing_since: now, position: 0 });
      await append(happened('b'));
      await passes(60);
      await nodes[0]!.lease.stop();
      isDown = false;
      const other = await openNode(databases[1]);
      await passes(10, other);
      expect(mails).toEqual(['n: a b']);
      expect((await store.get('n'))!).toMatchObject({ failing_since: null, position: 2, last_sent_at: now });
      await passes(100, other);
      expect(mails).toHaveLength(1);
    });

    test('that was sent is not sent again because the database was away when that was to be written down', async () => {
      await create();
      const delivery = await openNode();
      await append(happened('a'));
      isAway = true;
      await passes(10);
      expect([mails, (await store.get('n'))!.position]).toEqual([['n: a'], 0]);
      isAway = false;
      await passes(1);
      expect((await store.get('n'))!).toMatchObject({ position: 1, failing_since: null });
      await passes(100, delivery);
      expect(mails).toHaveLength(1);
    });

    test('an alarm counts with its own severity when it clears', async () => {
      await create({ events: ['alarm.*'] });
      await openNode();
      await append(happened('x', 'info', { kind: 'alarm.cleared', data: { severity: 'critical' } }));
      await passes(10);
      expect(mails).toEqual(['n: x']);
    });

    test('mails are not sent one after the other: a storm is few of them', async () => {
      await create();
      await openNode();
      await append(happened('a'));
      await passes(6);
      for (let index = 0; index < 10; index++) {
        await append(happened(`b${index}`));
        await passes(1);
      }
      await passes(10);
      expect(mails).toHaveLength(2);
    });
  });
});
