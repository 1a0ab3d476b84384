// Webhooks and how far each has come in the event log; what failed and waits; the last attempts.
import type { Webhook, WebhookDelivery } from '@weft/contract/operations';
import type { SqlDatabase, SqlQueries, SqlRow } from '../../../core/base/storage/sql-database.ts';
import { runRows, valuesOf } from '../../../core/base/storage/sql-rows.ts';
import type { InMs } from '../../../core/base/storage/sql-store.ts';
import { RecordStore } from '../../records/record-store.ts';

type StoredWebhook = InMs<Omit<Webhook, 'state' | 'waiting' | 'parked'>, 'created_at' | 'failing_since'>;

export interface WebhookRecord extends StoredWebhook {
  secret_encrypted: string;
  /** Grows with every `update`. */
  version: number;
  replayed_at: number;
  is_failing_told: boolean;
}

export type WebhookChange = Partial<
  Pick<
    WebhookRecord,
    'name' | 'url' | 'events' | 'selector' | 'format' | 'enabled' | 'secret_encrypted' | 'position' | 'replayed_at'
  >
>;

/** An event that failed, or waits behind one that did. */
export interface WaitingEvent {
  event_id: number;
  attempts: number;
  next_at: number;
  is_parked: boolean;
}

/** Their ids grow with time. */
export type DeliveryRecord = InMs<WebhookDelivery, 'ts'>;

/** How far a webhook has come, as whoever delivers writes it down. */
export interface WebhookProgress {
  id: string;
  version: number;
  position: number;
  failing_since: number | null;
  is_failing_told: boolean;
  /** New and changed ones. */
  waiting: readonly WaitingEvent[];
  /** Those that wait no longer. */
  done: readonly number[];
  deliveries: readonly DeliveryRecord[];
}

export const maxDeliveriesKept = 1_000;
export const maxParkedKept = 10_000;

const COLUMNS =
  'id, name, url, events, selector, format, enabled, secret_encrypted, created_by, created_at, version, position, replayed_at, failing_since, is_failing_told';
const DELIVERY_COLUMNS = 'id, ts, event_id, kind, attempt, outcome, status, error, duration_ms';

export class WebhookStore extends RecordStore<WebhookRecord, WebhookChange> {
  constructor(db: SqlDatabase) {
    super(db, {
      name: 'webhooks',
      columns: COLUMNS,
      json: ['events'],
      flags: ['enabled', 'is_failing_told'],
      what: 'webhook',
    });
  }

  protected override async removeRest(tx: SqlQueries, id: string): Promise<void> {
    await tx.query('DELETE FROM webhook_waiting WHERE webhook_id = ?', [id]);
    await tx.query('DELETE FROM webhook_deliveries WHERE webhook_id = ?', [id]);
  }

  /** Forgets what waits or was given up after this event: it is read again. In the caller's transaction. */
  async forgetAfter(tx: SqlQueries, id: string, event_id: number): Promise<void> {
    await tx.query('DELETE FROM webhook_waiting WHERE webhook_id = ? AND event_id > ?', [id, event_id]);
  }

  /** What waits for another attempt, oldest first; not what was given up. */
  async waiting(id: string): Promise<WaitingEvent[]> {
    const rows = await this.db.query<{ event_id: number; attempts: number; next_at: number }>(
      `SELECT event_id, attempts, next_at FROM webhook_waiting
       WHERE webhook_id = ? AND is_parked = 0 ORDER BY event_id`,
      [id],
    );
    return rows.map((row) => ({ ...row, is_parked: false }));
  }

  async counts(id: string): Promise<{ waiting: number; parked: number }> {
    const [row] = await this.db.query<{ total: number; parked: number | null }>(
      'SELECT COUNT(*) AS total, SUM(is_parked) AS parked FROM webhook_waiting WHERE webhook_id = ?',
      [id],
    );
    const parked = row?.parked ?? 0;
    return { waiting: (row?.total ?? 0) - parked, parked };
  }

  /**
   * Writes down how far it has come, in the caller's transaction; keeps the last attempts and the last parked only. Resolves false,
   * and changes nothing, if the webhook has another version now or is gone.
   */
  async save(tx: SqlQueries, progress: WebhookProgress): Promise<boolean> {
    const { id, version, position, failing_since, is_failing_told, waiting, done, deliveries } = progress;
    const updated = await tx.query(
      `UPDATE webhooks SET position = ?, failing_since = ?, is_failing_told = ?
       WHERE id = ? AND version = ? RETURNING id`,
      [position, failing_since, Number(is_failing_told), id, version],
    );
    if (updated.length === 0) return false;
    await runRows(
      tx,
      `INSERT INTO webhook_waiting (webhook_id, event_id, attempts, next_at, is_parked) VALUES {{rows}}
       ON CONFLICT (webhook_id, event_id) DO UPDATE SET
         attempts = excluded.attempts, next_at = excluded.next_at, is_parked = excluded.is_parked`,
      waiting.map((each) => [id, each.event_id, each.attempts, Math.round(each.next_at), Number(each.is_parked)]),
    );
    for (const event_id of done) {
      await tx.query('DELETE FROM webhook_waiting WHERE webhook_id = ? AND event_id = ?', [id, event_id]);
    }
    await insertDeliveries(tx, id, deliveries);
    if (waiting.some(({ is_parked }) => is_parked)) await forgetOldParked(tx, id);
    return true;
  }

  /** Newest first, older than `before`. */
  async deliveries(id: string, before: string | undefined, limit: number): Promise<DeliveryRecord[]> {
    const [condition, values] = before === undefined ? ['', []] : [' AND id < ?', [before]];
    return this.db.query<DeliveryRecord & SqlRow>(
      `SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries WHERE webhook_id = ?${condition} ORDER BY id DESC LIMIT ?`,
      [id, ...values, limit],
    );
  }

  async addDelivery(id: string, delivery: DeliveryRecord): Promise<void> {
    await this.db.transaction(async (tx) => {
      if (await this.read(tx, id)) await insertDeliveries(tx, id, [delivery]);
    });
  }
}

async function insertDeliveries(tx: SqlQueries, id: string, deliveries: readonly DeliveryRecord[]): Promise<void> {
  if (deliveries.length === 0) return;
  await runRows(
    tx,
    `INSERT INTO webhook_deliveries (webhook_id, ${DELIVERY_COLUMNS}) VALUES {{rows}}`,
    deliveries.map((each) => {
      const rounded = { ...each, duration_ms: Math.round(each.duration_ms) };
      return [id, ...valuesOf(rounded, DELIVERY_COLUMNS)];
    }),
  );
  await tx.query(
    `DELETE FROM webhook_deliveries WHERE webhook_id = ? AND id <= (
       SELECT id FROM webhook_deliveries WHERE webhook_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
    [id, id, maxDeliveriesKept],
  );
}

async function forgetOldParked(tx: SqlQueries, id: string): Promise<void> {
  await tx.query(
    `DELETE FROM webhook_waiting WHERE webhook_id = ? AND is_parked = 1 AND event_id <= (
       SELECT event_id FROM webhook_waiting WHERE webhook_id = ? AND is_parked = 1
       ORDER BY event_id DESC LIMIT 1 OFFSET ?)`,
    [id, id, maxParkedKept],
  );
}
