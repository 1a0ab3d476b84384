// Webhooks over days: retries, what is given up, failing ones, restarts and changes of the node that delivers.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { AuditLog } from '../../../core/accounts/audit/audit-store.ts';
import { EventLog } from '../../../core/accounts/event-log/event-log.ts';
import type { NewEvent } from '../../../core/accounts/event-log/event-record.ts';
import { NodeLease } from '../../../core/base/storage/node-lease.ts';
import type { SqlDatabase } from '../../../core/base/storage/sql-database.ts';
import { WebhookDelivery } from './webhook-delivery.ts';
import { type WebhookRecord, WebhookStore } from './webhook-store.ts';

const hourMs = 3_600_000;

eachDatabase((kind) => {
  describe('webhooks', () => {
    let databases: [SqlDatabase, SqlDatabase];
    let remove: () => Promise<void>;
    let log: EventLog;
    let store: WebhookStore;
    let now: number;
    let sent: string[];
    let senders: Set<NodeLease>;
    let isDown: (subject: string) => boolean;
    let open: { delivery: WebhookDelivery; lease: NodeLease }[];

    beforeEach(async () => {
      ({ nodes: databases, remove } = await openTwoNodes(kind));
      now = 1_800_000_000_000;
      log = new EventLog(databases[0], { auditLog: new AuditLog(databases[0]), now: () => now });
      store = new WebhookStore(databases[0]);
      sent = [];
      senders = new Set();
      isDown = () => false;
      open = [];
    });
    afterEach(async () => {
      for (const { delivery, lease } of open) {
        await delivery.stop();
        await lease.stop();
      }
      await remove();
    });

    async function openNode(database = databases[0]) {
      const eventLog = new EventLog(database, { auditLog: new AuditLog(database), now: () => now });
      const onError = (error: unknown) => expect.unreachable(String(error));
      const lease = new NodeLease({ database, name: 'notifications', onError });
      await lease.once();
      const delivery = new WebhookDelivery({
        database,
        lease,
        store: new WebhookStore(database),
        eventLog,
        choose: async (_, events) => [...events],
        send: async ({ name }, { subject, data }) => {
          senders.add(lease);
          const isFailed = isDown(subject);
          sent.push(`${name} ${subject}${data.n ?? ''}${isFailed ? ' failed' : ''}`);
          return { status: isFailed ? 500 : 200, error: isFailed ? 'it answered 500' : null, duration_ms: 1 };
        },
        onError,
        now: () => now,
        random: () => 1,
      });
      open.push({ delivery, lease });
      delivery.start();
      return delivery;
    }
    const close = async ({ delivery, lease }: (typeof open)[number]) => {
      await delivery.stop();
      await lease.stop();
    };
    const webhookOf = (id: string, more: Partial<WebhookRecord> = {}): WebhookRecord => ({
      id,
      name: id,
      url: 'http://127.0.0.1/',
      events: ['test.*'],
      selector: '',
      format: 'json',
      enabled: true,
      secret_encrypted: '',
      created_by: 'ada',
      created_at: now,
      version: 1,
      position: 0,
      replayed_at: 0,
      failing_since: null,
      is_failing_told: false,
      ...more,
    });
    const event = (subject: string, n?: number): NewEvent => ({
      kind: 'test.happened',
      subject_kind: 'agent',
      subject,
      text: subject,
      data: n === undefined ? {} : { n },
    });
    const append = (...events: NewEvent[]) => databases[0].transaction((tx) => log.append(tx, events));
    const told = async () =>
      (await log.read({ limit: 100, kinds: ['webhook.*'] })).events.map(({ kind: each, text }) => `${each}: ${text}`);

    test('retries wait longer and longer, and are written down: another node goes on', async () => {
      await store.create(webhookOf('w'));
      isDown = () => true;
      await openNode();
      await append(event('a', 1), event('a', 2));
      await untilSo(async () => expect(await store.counts('w')).toEqual({ waiting: 2, parked: 0 }));
      expect(await store.waiting('w')).toMatchObject([
        { event_id: 1, attempts: 1, next_at: now + 1_000 },
        { event_id: 2, attempts: 0 },
      ]);
      expect((await store.get('w'))!).toMatchObject({ position: 2, failing_since: now });
      await close(open.pop()!);
      isDown = () => false;
      now += 1_000;
      await openNode(databases[1]);
      await untilSo(() => expect(sent).toEqual(['w a1 failed', 'w a1', 'w a2']));
      await untilSo(async () => expect(await store.counts('w')).toEqual({ waiting: 0, parked: 0 }));
      expect((await store.get('w'))!.failing_since).toBeNull();
    });

    test('what did not work for a day is parked, which is told; later events of its subject go on', async () => {
      await store.create(webhookOf('w', { events: ['*'] }));
      isDown = (subject) => subject === 'a';
      await openNode();
      await append(event('a', 1), event('b', 1));
      await untilSo(async () => expect(await store.counts('w')).toMatchObject({ waiting: 1 }));
      now += 24 * hourMs;
      await append(event('a', 2));
      await untilSo(async () => expect(await store.counts('w')).toEqual({ waiting: 1, parked: 1 }));
      expect(sent.filter((each) => each.includes(' a2')).length).toBeGreaterThan(0);
      // b was delivered meanwhile, so the webhook as a whole did not fail.
      expect(await told()).toContain('webhook.parked: An event was given up after 24 hours by the webhook w');
      expect(sent.some((each) => each.startsWith('w w'))).toBe(false);
      isDown = () => false;
      await append(event('b', 2));
      await untilSo(() => expect(sent.at(-1)).toBe('w a2'));
    });

    test('one that fails for an hour says so once, and when it works again', async () => {
      await store.create(webhookOf('w'));
      isDown = () => true;
      await openNode();
      await append(event('a'));
      await untilSo(() => expect(sent).toHaveLength(1));
      now += hourMs;
      await untilSo(async () =>
        expect(await told()).toEqual(['webhook.failing: The webhook w has failed for an hour']),
      );
      now += 600_000;
      await untilSo(() => expect(sent.length).toBeGreaterThan(2));
      isDown = () => false;
      now += 600_000;
      await untilSo(async () =>
        expect((await told()).slice(1)).toEqual(['webhook.recovered: The webhook w works again']),
      );
      expect((await store.get('w'))!).toMatchObject({ failing_since: null, is_failing_told: false });
    });

    test('a receiver that is away for long costs bounded memory and rows; nothing is lost', async () => {
      await store.create(webhookOf('w'));
      isDown = () => true;
      const delivery = await openNode();
      for (let index = 0; index < 15; index++) {
        await append(...Array.from({ length: 100 }, (_, n) => event(`s${index}-${n % 50}`, n)));
      }
      await untilSo(async () => expect((await store.counts('w')).waiting).toBeGreaterThan(900));
      expect(delivery.waiting).toBeLessThanOrEqual(1_100);
      isDown = () => false;
      sent = [];
      now += 10_000;
      await untilSo(() => expect(sent).toHaveLength(1_500));
      expect(new Set(sent).size).toBe(1_500);
      await untilSo(async () => expect(await store.counts('w')).toEqual({ waiting: 0, parked: 0 }));
    });

    // A SQLite file has one process at a time: a second one there takes over at once.
    test.runIf(kind.dialect === 'postgres')('of two nodes one delivers', async () => {
      await store.create(webhookOf('w'));
      await openNode();
      await openNode(databases[1]);
      await append(...Array.from({ length: 20 }, (_, n) => event('a', n)));
      // A busy disk may keep the node from writing down what it sent: then it sends it again.
      await untilSo(() => expect(new Set(sent).size).toBe(20));
      expect(senders.size).toBe(1);
      expect([...new Set(sent)]).toEqual(Array.from({ length: 20 }, (_, n) => `w a${n || ''}`.replace(/a$/, 'a0')));
    });
  });
});
