// Notifications by e-mail for administrators. They belong to the installation, not to whoever created them.

import { randomUUID } from 'node:crypto';
import type { Notification, NotificationInput, NotificationList, NotificationTest } from '@weft/contract/operations';
import type { AuditService } from '../../../core/accounts/audit/audit-service.ts';
import type { EventLog } from '../../../core/accounts/event-log/event-log.ts';
import type { LoggedEvent } from '../../../core/accounts/event-log/event-record.ts';
import type { Caller } from '../../../core/base/caller.ts';
import { toTime, toTimeOrNull } from '../../../core/base/input/date-time.ts';
import { RecordService } from '../../records/record-service.ts';
import type { NotificationChange, NotificationRecord, NotificationStore } from './notification-store.ts';

export interface NotificationServiceOptions {
  store: NotificationStore;
  eventLog: Pick<EventLog, 'newest'>;
  send: (notification: NotificationRecord, events: readonly LoggedEvent[]) => Promise<void>;
  hasMailServer: boolean;
  audit: AuditService;
}

export class NotificationService extends RecordService<
  NotificationRecord,
  NotificationChange,
  NotificationInput,
  Notification
> {
  protected readonly show = toNotification;
  protected readonly toChange = toChange;
  readonly #options: NotificationServiceOptions;

  constructor(options: NotificationServiceOptions) {
    const limit = { max: 200, code: 'too_many_notifications' } as const;
    super({ what: 'Notification', limit, fields: ['name', 'email', 'rule', 'enabled'], ...options });
    this.#options = options;
  }

  async list(): Promise<NotificationList> {
    return {
      items: (await this.#options.store.list()).map(toNotification),
      next: null,
      has_mail_server: this.#options.hasMailServer,
    };
  }

  /** Begins with what happens from now on. */
  async create(input: NotificationInput, by: Caller): Promise<Notification> {
    const record: NotificationRecord = {
      id: randomUUID(),
      ...toChange(input),
      created_by: by.name,
      created_at: Date.now(),
      version: 1,
      position: await this.#options.eventLog.newest(),
      last_sent_at: null,
      failing_since: null,
    };
    return this.add(record, by);
  }

  /** Sends a mail now, and says whether the server took it. */
  async test(id: string, by: Caller): Promise<NotificationTest> {
    const notification = await this.require(id);
    const event: LoggedEvent = {
      id: 0,
      ts: Date.now(),
      kind: 'notification.test',
      subject_kind: 'notification',
      subject: id,
      ap_id: null,
      site: null,
      severity: 'info',
      text: `A test of the notification ${notification.name} by ${by.name}`,
      data: {},
    };
    try {
      await this.#options.send(notification, [event]);
      return { sent: true, error: null };
    } catch (error) {
      const { code } = error as { code?: unknown };
      return {
        sent: false,
        error: `The mail was not accepted (${typeof code === 'string' ? code : 'unknown reason'})`,
      };
    }
  }
}

function toChange({ name, email, enabled, ...rule }: NotificationInput): NotificationChange {
  return {
    name,
    email,
    enabled: enabled ?? true,
    rule: {
      events: rule.events ?? ['alarm.fired', 'alarm.cleared'],
      severities: rule.severities ?? ['critical', 'major'],
      selector: rule.selector ?? '',
      digest_minutes: rule.digest_minutes ?? 0,
      quiet: rule.quiet ?? null,
      time_zone: rule.time_zone ?? 'UTC',
    },
  };
}

function toNotification(record: NotificationRecord): Notification {
  const { id, name, email, rule, enabled, created_by, created_at, last_sent_at, failing_since } = record;
  return {
    id,
    name,
    email,
    ...rule,
    enabled,
    created_by,
    created_at: toTime(created_at),
    last_sent_at: toTimeOrNull(last_sent_at),
    failing_since: toTimeOrNull(failing_since),
  };
}
