// What the store of webhooks promises, one test a sentence, on both databases.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import type { SqlDatabase } from '../../../core/base/storage/sql-database.ts';
import {
  type DeliveryRecord,
  maxDeliveriesKept,
  maxParkedKept,
  type WebhookProgress,
  type WebhookRecord,
  WebhookStore,
} from './webhook-store.ts';

interface WebhookStoreFixture {
  database: SqlDatabase;
  store: WebhookStore;
  remove(): Promise<void>;
}

function describeWebhookStore(open: () => Promise<WebhookStoreFixture>): void {
  let fixture: WebhookStoreFixture;
  let store: WebhookStore;
  beforeEach(async () => {
    fixture = await open();
    ({ store } = fixture);
  });
  afterEach(() => fixture.remove());

  const webhookOf = (id: string, more: Partial<WebhookRecord> = {}): WebhookRecord => ({
    id,
    name: `name of ${id}`,
    url: 'https://hooks.example.org/x',
    events: ['alarm.*', 'agent.offline'],
    selector: 'site:uk/**',
    format: 'slack',
    enabled: true,
    secret_encrypted: 'v1.x',
    created_by: 'ada@x',
    created_at: 1_800_000_000_000,
    version: 1,
    position: 7,
    replayed_at: 5,
    failing_since: null,
    is_failing_told: false,
    ...more,
  });
  const progressOf = (more: Partial<WebhookProgress> = {}): WebhookProgress => ({
    id: 'a',
    version: 1,
    position: 20,
    failing_since: null,
    is_failing_told: false,
    waiting: [],
    done: [],
    deliveries: [],
    ...more,
  });
  const save = (progress: WebhookProgress) => fixture.database.transaction((tx) => store.save(tx, progress));
  const waitingOf = (event_id: number, is_parked = false) => ({ event_id, attempts: 1, next_at: 99, is_parked });
  const deliveryOf = (id: string): DeliveryRecord => ({
    id,
    ts: 5,
    event_id: 1,
    kind: 'alarm.fired',
    attempt: 2,
    outcome: 'failed',
    status: null,
    error: 'ECONNREFUSED',
    duration_ms: 3,
  });

  test('create, get, list by name, count and remove', async () => {
    await store.create(webhookOf('b', { name: 'b' }));
    await store.create(webhookOf('a', { name: 'a', enabled: false, failing_since: 9, is_failing_told: true }));
    expect(await store.get('a')).toEqual(
      webhookOf('a', { name: 'a', enabled: false, failing_since: 9, is_failing_told: true }),
    );
    expect((await store.list()).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(await store.count()).toBe(2);
    expect([await store.remove('a'), await store.remove('a'), await store.get('a')]).toEqual([true, false, undefined]);
  });

  test('a name that is taken is a conflict, and nothing is changed', async () => {
    await store.create(webhookOf('a', { name: 'x' }));
    await expect(store.create(webhookOf('b', { name: 'x' }))).rejects.toMatchObject({ code: 'webhook_exists' });
    await store.create(webhookOf('b', { name: 'y' }));
    await expect(store.update('b', { name: 'x' })).rejects.toMatchObject({ code: 'webhook_exists' });
    expect(await store.get('b')).toEqual(webhookOf('b', { name: 'y' }));
  });

  test('update raises the version, and `also` stands or falls with it', async () => {
    await store.create(webhookOf('a'));
    const after = await store.update('a', { enabled: false });
    expect(after).toEqual(webhookOf('a', { enabled: false, version: 2 }));
    expect(await store.get('a')).toEqual(after);
    const failing = async () => {
      throw new Error('changed my mind');
    };
    await expect(store.update('a', { url: 'x' }, failing)).rejects.toThrow('changed my mind');
    expect(await store.get('a')).toEqual(after);
    expect(await store.update('none', { enabled: false })).toBeUndefined();
  });

  test('save writes how far it has come, and nothing for another version', async () => {
    await store.create(webhookOf('a'));
    const waiting = [waitingOf(12), waitingOf(10), waitingOf(11, true)];
    expect(await save(progressOf({ waiting, failing_since: 3, is_failing_told: true }))).toBe(true);
    expect(await store.get('a')).toMatchObject({ position: 20, failing_since: 3, is_failing_told: true, version: 1 });
    expect(await store.waiting('a')).toEqual([waitingOf(10), waitingOf(12)]);
    expect(await store.counts('a')).toEqual({ waiting: 2, parked: 1 });
    expect(await save(progressOf({ waiting: [{ ...waitingOf(10), attempts: 5 }], done: [12, 99] }))).toBe(true);
    expect(await store.waiting('a')).toEqual([{ ...waitingOf(10), attempts: 5 }]);
    expect(await save(progressOf({ version: 2, position: 99, done: [10] }))).toBe(false);
    expect(await save(progressOf({ id: 'none' }))).toBe(false);
    expect(await store.get('a')).toMatchObject({ position: 20 });
    expect(await store.counts('a')).toEqual({ waiting: 1, parked: 1 });
  });

  test('forgetAfter forgets what waits and what was given up after an event', async () => {
    await store.create(webhookOf('a'));
    await save(progressOf({ waiting: [waitingOf(10), waitingOf(11, true), waitingOf(12)] }));
    await fixture.database.transaction((tx) => store.forgetAfter(tx, 'a', 10));
    expect(await store.counts('a')).toEqual({ waiting: 1, parked: 0 });
  });

  test('the last attempts and the last parked are kept, and go with the webhook', async () => {
    await store.create(webhookOf('a'));
    const ids = Array.from({ length: maxDeliveriesKept + 20 }, (_, n) => String(n).padStart(8, '0'));
    await save(progressOf({ deliveries: ids.slice(0, 500).map(deliveryOf) }));
    await save(progressOf({ deliveries: ids.slice(500).map(deliveryOf) }));
    await store.addDelivery('a', deliveryOf('99999999'));
    await store.addDelivery('none', deliveryOf('x'));
    expect(await store.deliveries('a', undefined, 2)).toEqual([deliveryOf('99999999'), deliveryOf(ids.at(-1)!)]);
    expect((await store.deliveries('a', '99999999', 1))[0]!.id).toBe(ids.at(-1));
    expect(await store.deliveries('a', undefined, 5000)).toHaveLength(maxDeliveriesKept);
    const many = Array.from({ length: maxParkedKept + 5 }, (_, n) => waitingOf(n + 1, true));
    await save(progressOf({ waiting: many }));
    expect(await store.counts('a')).toEqual({ waiting: 0, parked: maxParkedKept });
    await store.remove('a');
    await store.create(webhookOf('a'));
    expect(await store.counts('a')).toEqual({ waiting: 0, parked: 0 });
    expect(await store.deliveries('a', undefined, 5)).toEqual([]);
  });
}

eachDatabase((kind) => {
  describeWebhookStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return { database: nodes[0], store: new WebhookStore(nodes[0]), remove };
  });
});
