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
import type { AuditService } from '../../../core/accounts/audit/audit-service.ts';
import type { EventLog } from '../../../core/accounts/event-log/event-log.ts';
import type { LoggedEvent } from '../../../core/accounts/event-log/event-record.ts';
import type { Caller } from '../../../core/base/caller.ts';
import { ValidationError } from '../../../core/base/errors.ts';
import { valueError } from '../../../core/base/input/value-rules.ts';
import type { AllowListEntry } from '../../../core/base/outgoing/allow-list.ts';
import { RequestRefused } from '../../../core/base/outgoing/allow-list.ts';
import type { GuardedHttp } from '../../../core/base/outgoing/guarded-http.ts';
import { generateSecret, type Keyring } from '../../../core/base/secrets.ts';
import { orderedUuid } from '../../../core/commands/ledger/ordered-uuid.ts';
import { RecordService } from '../../records/record-service.ts';
import type { WebhookSender } from './webhook-sender.ts';
import type { DeliveryRecord, WebhookChange, WebhookRecord, WebhookStore } from './webhook-store.ts';

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

export class WebhookService extends RecordService<WebhookRecord, WebhookChange, WebhookInput, Webhook> {
  readonly #options: WebhookServiceOptions;

  constructor(options: WebhookServiceOptions) {
    // The path of an address may be as good as a password.
    const detail = ({ url }: WebhookRecord) => ({ host: new URL(url).host });
    const fields = ['name', 'url', 'events', 'selector', 'format', 'enabled'] as const;
    const limit = { max: 100, code: 'too_many_webhooks' } as const;
    super({ what: 'Webhook', limit, fields, detail, ...options });
    this.#options = options;
  }

  async list(): Promise<WebhookList> {
    const records = await this.#options.store.list();
    const items: Webhook[] = [];
    for (const record of records) items.push(await this.show(record));
    const allowed = this.#options.allow.map(({ host, port }) => (port === 0 ? host : `${host}:${port}`));
    return { items, next: null, allowed };
  }

  /** The only answer, beside that of `renewSecret`, that ever holds the secret. It begins with what happens from now on. */
  async create(input: WebhookInput, by: Caller): Promise<WebhookWithSecret> {
    const { eventLog, keyring } = this.#options;
    this.#checkUrl(input.url);
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
    return { ...(await this.add(record, by)), secret };
  }

  override async update(id: string, input: WebhookInput, by: Caller): Promise<Webhook> {
    this.#checkUrl(input.url);
    return super.update(id, input, by);
  }

  /** The old secret is of no use from now on. */
  async renewSecret(id: string, by: Caller): Promise<WebhookWithSecret> {
    const secret = prefix + generateSecret();
    const change = { secret_encrypted: this.#options.keyring.encrypt(secret, id) };
    const webhook = await this.change(id, change, this.audited(by, 'updated', { fields: ['secret'] }));
    return { ...webhook, secret };
  }

  /** Everything after that event is sent again, also what was given up; 0: everything that is kept. */
  async replay(id: string, after: number, by: Caller): Promise<Webhook> {
    const { store, eventLog } = this.#options;
    const position = Math.min(after, await eventLog.newest());
    const audited = this.audited(by, 'replayed', { after: position });
    return this.change(id, { position, replayed_at: Date.now() }, async (tx, changed) => {
      await store.forgetAfter(tx, id, position);
      await audited(tx, changed);
    });
  }

  /** Sends one event that did not happen, at once and once. */
  async test(id: string, by: Caller): Promise<WebhookDelivery> {
    const { store, sender } = this.#options;
    const webhook = await this.require(id);
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
    await this.require(id);
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

  #checkUrl(url: string): void {
    try {
      this.#options.client.check(url);
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error;
      throw new ValidationError([valueError(['body', 'url'], error.message)]);
    }
  }

  protected readonly toChange = toFields;

  protected async show(record: WebhookRecord): Promise<Webhook> {
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

function toDelivery({ ts, ...delivery }: DeliveryRecord): WebhookDelivery {
  return { ...delivery, ts: new Date(ts).toISOString() };
}
