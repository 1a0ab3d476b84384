// Webhooks for administrators: create, change, remove, test, replay, and the result of each attempt. They belong to the
// installation, not to whoever created them.
import { randomUUID } from 'node:crypto';
import type {
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookInput,
  WebhookList,
  WebhookWithSecret,
} from '@weft/contract/operations';
import type { NewAuditEntry } from '../../../core/accounts/audit/audit-entry.ts';
import type { AuditService } from '../../../core/accounts/audit/audit-service.ts';
import type { EventLog } from '../../../core/accounts/event-log/event-log.ts';
import type { LoggedEvent } from '../../../core/accounts/event-log/event-record.ts';
import type { Actor, Caller } from '../../../core/base/caller.ts';
import { notFound, orNotFound, TryLaterError, ValidationError } from '../../../core/base/errors.ts';
import { valueError } from '../../../core/base/input/value-rules.ts';
import type { AllowListEntry } from '../../../core/base/outgoing/allow-list.ts';
import { RequestRefused } from '../../../core/base/outgoing/allow-list.ts';
import type { GuardedHttp } from '../../../core/base/outgoing/guarded-http.ts';
import { generateSecret, type Keyring } from '../../../core/base/secrets.ts';
import type { InSameTransaction } from '../../../core/base/storage/sql-database.ts';
import { orderedUuid } from '../../../core/commands/ledger/ordered-uuid.ts';
import type { WebhookSender } from './webhook-sender.ts';
import type { DeliveryRecord, WebhookRecord, WebhookStore } from './webhook-store.ts';

const maxWebhooks = 100;
/** The prefix of a secret, so that a leaked one can be recognised. */
const prefix = 'weft-webhook-';
/** None has succeeded for this long: it is failing. */
const failingAfterMs = 3_600_000;

export interface WebhookServiceOptions {
  store: WebhookStore;
  eventLog: Pick<EventLog, 'newest'>;
  client: Pick<GuardedHttp, 'check'>;
  sender: WebhookSender;
  keyring: Keyring;
  audit: AuditService;
  allow: readonly AllowListEntry[];
  /** Called after every change. */
  onChanged: () => void;
}

export class WebhookService {
  readonly #options: WebhookServiceOptions;

  constructor(options: WebhookServiceOptions) {
    this.#options = options;
  }

  async list(): Promise<WebhookList> {
    const records = await this.#options.store.list();
    const items: Webhook[] = [];
    for (const record of records) items.push(await this.#toWebhook(record));
    const allowed = this.#options.allow.map(({ host, port }) => (port === 0 ? host : `${host}:${port}`));
    return { items, next: null, allowed };
  }

  async get(id: string): Promise<Webhook> {
    return this.#toWebhook(await this.#require(id));
  }

  /** The only answer, beside that of `renewSecret`, that ever holds the secret. It begins with what happens from now on. */
  async create(input: WebhookInput, by: Caller): Promise<WebhookWithSecret> {
    const { store, eventLog, keyring } = this.#options;
    this.#checkUrl(input.url);
    if ((await store.count()) >= maxWebhooks) {
      throw new TryLaterError(429, 'too_many_webhooks', `There may be ${maxWebhooks} webhooks`, 3600);
    }
    const id = randomUUID();
    const secret = prefix + generateSecret();
    const nowMs = Date.now();
    const record: WebhookRecord = {
      id,
      ...toFields(input),
      secret_encrypted: keyring.encrypt(secret, id),
      created_by: by.name,
      created_at: nowMs,
      version: 1,
      position: await eventLog.newest(),
      replayed_at: nowMs,
      failing_since: null,
      is_failing_told: false,
    };
    await store.create(record, this.#audited(by, 'webhook_created'));
    this.#options.onChanged();
    return { ...(await this.#toWebhook(record)), secret };
  }

  async update(id: string, input: WebhookInput, by: Caller): Promise<Webhook> {
    this.#checkUrl(input.url);
    await this.#require(id);
    return this.#change(id, toFields(input), this.#audited(by, 'webhook_updated'));
  }

  async remove(id: string, by: Caller): Promise<void> {
    if (!(await this.#options.store.remove(id, this.#audited(by, 'webhook_removed')))) throw notFound('Webhook');
    this.#options.onChanged();
  }

  /** The old secret is of no use from now on. */
  async renewSecret(id: string, by: Caller): Promise<WebhookWithSecret> {
    const secret = prefix + generateSecret();
    const change = { secret_encrypted: this.#options.keyring.encrypt(secret, id) };
    const webhook = await this.#change(id, change, this.#audited(by, 'webhook_updated', ['secret']));
    return { ...webhook, secret };
  }

  /** Everything after that event is sent again, also what was given up; 0: everything that is kept. */
  async replay(id: string, after: number, by: Caller): Promise<Webhook> {
    const { store, eventLog } = this.#options;
    const position = Math.min(after, await eventLog.newest());
    const audited = this.#audited(by, 'webhook_replayed', undefined, { after: position });
    return this.#change(id, { position, replayed_at: Date.now() }, async (tx, changed) => {
      await store.forgetAfter(tx, id, position);
      await audited(tx, changed);
    });
  }

  /** Sends one event that did not happen, at once and once. */
  async test(id: string, by: Caller): Promise<WebhookDelivery> {
    const { store, sender } = this.#options;
    const webhook = await this.#require(id);
    const nowMs = Date.now();
    const event: LoggedEvent = {
      id: 0,
      ts: nowMs,
      kind: 'webhook.test',
      subject_kind: 'webhook',
      subject: id,
      ap_id: null,
      site: null,
      severity: 'info',
      text: `A test of the webhook ${webhook.name} by ${by.name}`,
      data: { name: webhook.name },
    };
    const answer = await sender.send(webhook, event, 1, new AbortController().signal);
    const delivery: DeliveryRecord = {
      id: orderedUuid(Date.now()),
      ts: Date.now(),
      event_id: null,
      kind: event.kind,
      attempt: 1,
      outcome: answer.error === null ? 'delivered' : 'failed',
      ...answer,
    };
    await store.addDelivery(id, delivery);
    return toDelivery(delivery);
  }

  async deliveries(id: string, cursor: string | undefined, limit: number): Promise<WebhookDeliveryList> {
    await this.#require(id);
    const found = await this.#options.store.deliveries(id, cursor, limit + 1);
    const items = found.slice(0, limit).map(toDelivery);
    return { items, next: found.length > limit ? items.at(-1)!.id : null };
  }

  /** Encrypts every secret with the newest key; those with an unknown key stay unchanged. */
  async reencrypt(): Promise<void> {
    const { store, keyring } = this.#options;
    for (const { id, secret_encrypted: before } of await store.list()) {
      if (!keyring.isOutdated(before) || !keyring.canDecrypt(before)) continue;
      await store.update(id, { secret_encrypted: keyring.encrypt(keyring.decrypt(before, id), id) });
    }
  }

  async #change(
    id: string,
    change: Parameters<WebhookStore['update']>[1],
    also: InSameTransaction<WebhookRecord>,
  ): Promise<Webhook> {
    const after = orNotFound(await this.#options.store.update(id, change, also), 'Webhook');
    this.#options.onChanged();
    return this.#toWebhook(after);
  }

  #audited(by: Actor, action: string, fields?: string[], more: Record<string, unknown> = {}) {
    return this.#options.audit.entry<WebhookRecord>(({ before, after }): NewAuditEntry => {
      const { id, name } = (after ?? before)!;
      const changed = fields ?? (before && after ? changedFields(before, after) : undefined);
      // The path of an address may be as good as a password.
      const { host } = new URL((after ?? before)!.url);
      const detail = { id, host, ...(changed && { fields: changed }), ...more };
      return { actor: by, action, target: { kind: 'webhook', name }, detail };
    });
  }

  #checkUrl(url: string): void {
    try {
      this.#options.client.check(url);
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error;
      throw new ValidationError([valueError(['body', 'url'], error.message)]);
    }
  }

  async #require(id: string): Promise<WebhookRecord> {
    return orNotFound(await this.#options.store.get(id), 'Webhook');
  }

  async #toWebhook(record: WebhookRecord): Promise<Webhook> {
    const { id, name, url, events, selector, format, enabled, created_by, position, failing_since } = record;
    const { waiting, parked } = await this.#options.store.counts(id);
    return {
      id,
      name,
      url,
      events,
      selector,
      format,
      enabled,
      created_by,
      created_at: new Date(record.created_at).toISOString(),
      state: stateOf(record, Date.now()),
      failing_since: failing_since === null ? null : new Date(failing_since).toISOString(),
      position,
      waiting,
      parked,
    };
  }
}

function stateOf({ enabled, failing_since }: WebhookRecord, nowMs: number): Webhook['state'] {
  if (!enabled) return 'disabled';
  if (failing_since === null) return 'ok';
  return nowMs - failing_since >= failingAfterMs ? 'failing' : 'retrying';
}

function toFields({ name, url, events, selector, format, enabled }: WebhookInput) {
  return {
    name,
    url,
    events: events ?? ['alarm.*'],
    selector: selector ?? '',
    format: format ?? ('json' as const),
    enabled: enabled ?? true,
  };
}

function changedFields(before: WebhookRecord, after: WebhookRecord): string[] {
  const fields = ['name', 'url', 'events', 'selector', 'format', 'enabled'] as const;
  return fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
}

function toDelivery({ ts, ...delivery }: DeliveryRecord): WebhookDelivery {
  return { ...delivery, ts: new Date(ts).toISOString() };
}
