// Webhooks and how far each has come in the event log; what failed and waits; the last attempts.
import type { WebhookFormat } from '@weft/contract';
import { ConflictError } from '../../errors.ts';
import type { InSameTransaction, SqlQueries } from '../../storage/sql-database.ts';

export interface WebhookRecord {
  id: string;
  name: string;
  url: string;
  events: string[];
  selector: string;
  format: WebhookFormat;
  enabled: boolean;
  secret_encrypted: string;
  created_by: string;
  created_at: number;
  /** Grows with every `update`. */
  version: number;
  /** Everything up to this event was delivered, or waits in a row of its own. */
  position: number;
  replayed_at: number;
  /** The first failure since the last success. */
  failing_since: number | null;
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

export interface DeliveryRecord {
  /** Grows with time. */
  id: string;
  ts: number;
  /** Null for a test. */
  event_id: number | null;
  kind: string;
  attempt: number;
  outcome: 'delivered' | 'failed' | 'parked';
  status: number | null;
  error: string | null;
  duration_ms: number;
}

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

/** What `create` and `update` throw if the name is taken. */
export function webhookExists(): ConflictError {
  return new ConflictError('webhook_exists', 'A webhook with this name exists');
}

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export interface WebhookStore {
  get(id: string): Promise<WebhookRecord | undefined>;
  /** Ordered by name. */
  list(): Promise<WebhookRecord[]>;
  count(): Promise<number>;
  /** Throws ConflictError `webhook_exists` if the name is taken. */
  create(webhook: WebhookRecord, also?: InSameTransaction<WebhookRecord>): Promise<void>;
  /** Resolves the updated record with the next version, or undefined if there is none. Throws ConflictError like `create`. */
  update(
    id: string,
    change: WebhookChange,
    also?: InSameTransaction<WebhookRecord>,
  ): Promise<WebhookRecord | undefined>;
  /** With everything of it. Resolves whether it existed. */
  remove(id: string, also?: InSameTransaction<WebhookRecord>): Promise<boolean>;
  /** Forgets what waits or was given up after this event: it is read again. In the caller's transaction. */
  forgetAfter(tx: SqlQueries, id: string, event_id: number): Promise<void>;
  /** What waits for another attempt, oldest first; not what was given up. */
  waiting(id: string): Promise<WaitingEvent[]>;
  counts(id: string): Promise<{ waiting: number; parked: number }>;
  /**
   * Writes down how far it has come, in the caller's transaction; keeps the last attempts and the last parked only. Resolves false,
   * and changes nothing, if the webhook has another version now or is gone.
   */
  save(tx: SqlQueries, progress: WebhookProgress): Promise<boolean>;
  /** Newest first, older than `before`. */
  deliveries(id: string, before: string | undefined, limit: number): Promise<DeliveryRecord[]>;
  addDelivery(id: string, delivery: DeliveryRecord): Promise<void>;
}
