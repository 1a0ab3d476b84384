// Telling people and programs as a part: webhooks and e-mail. The event log is the outbox; one node delivers.

import { openMailer } from '../../backends.ts';
import type { AuditService } from '../../core/accounts/audit/audit-service.ts';
import type { EventLog } from '../../core/accounts/event-log/event-log.ts';
import type { LoggedEvent } from '../../core/accounts/event-log/event-record.ts';
import { GuardedHttp } from '../../core/base/outgoing/guarded-http.ts';
import { NodeLease } from '../../core/base/storage/node-lease.ts';
import type { Events } from '../../core/events.ts';
import type { Part, Platform } from '../../core/part.ts';
import type { WeftReadings } from '../alarms/watch/weft-readings.ts';
import { notificationMail } from './mail/notification-mail.ts';
import { notificationRoutes } from './mail/notification-routes.ts';
import { createNotificationDelivery } from './mail/notification-runner.ts';
import { NotificationService } from './mail/notification-service.ts';
import { type NotificationRecord, NotificationStore } from './mail/notification-store.ts';
import { WebhookDelivery } from './webhooks/webhook-delivery.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';
import { WebhookSender } from './webhooks/webhook-sender.ts';
import { WebhookService } from './webhooks/webhook-service.ts';
import { WebhookStore } from './webhooks/webhook-store.ts';

interface NotificationsPartDeps extends Platform {
  audit: AuditService;
  eventLog: EventLog;
  /** Those of the events that a selector selects. */
  choose: (selector: string, events: readonly LoggedEvent[]) => Promise<LoggedEvent[]>;
  /** What alarms look at. */
  readings: Pick<WeftReadings, 'add'>;
}

export function createNotificationsPart(deps: NotificationsPartDeps, events: Events) {
  const { config, database, keyring, audit, eventLog, choose, log, onError } = deps;
  const store = new WebhookStore(database);
  const client = new GuardedHttp({
    allow: config.webhookAllow,
    addressName: 'it',
    notListed: 'is not allowed: add it to WEFT_WEBHOOK_ALLOW and restart Weft',
    timeoutMs: 10_000,
    keepNamesMs: 60_000,
  });
  const sender = new WebhookSender({ client, keyring });
  const lease = new NodeLease({ database, name: 'notifications', onError });
  const delivery = new WebhookDelivery({
    database,
    lease,
    store,
    eventLog,
    choose,
    send: (webhook, event, attempt, signal) => sender.send(webhook, event, attempt, signal),
    onError,
  });
  lease.taken.on(() => void delivery.look());
  const webhooks = new WebhookService({
    store,
    eventLog,
    client,
    sender,
    keyring,
    audit,
    allow: config.webhookAllow,
    onChanged: () => void delivery.look(),
  });
  const mailer = openMailer(config, (file) => log.info({ file }, 'no mail server is set: mail written to the outbox'));
  const sendMail = ({ email: to, name, rule }: NotificationRecord, events: readonly LoggedEvent[]) =>
    mailer.send(notificationMail(events, { to, name, time_zone: rule.time_zone, publicUrl: config.publicUrl }));
  const notificationStore = new NotificationStore(database);
  const mails = createNotificationDelivery({
    database,
    lease,
    store: notificationStore,
    eventLog,
    choose,
    send: sendMail,
    onError,
  });
  const notifications = new NotificationService({
    store: notificationStore,
    eventLog,
    send: sendMail,
    audit,
    hasMailServer: config.smtpUrl !== undefined,
  });
  deps.readings.add('notification_failing_minutes', async () => [
    ...failingOf('webhook', await store.list()),
    ...failingOf('notification', await notificationStore.list()),
  ]);
  events.logged.on(() => delivery.logged());
  return {
    routes: [...webhookRoutes(webhooks), ...notificationRoutes(notifications)],
    metrics: {
      weft_webhook_deliveries_total: {
        help: 'Events that this process has delivered to webhooks',
        value: () => delivery.delivered,
      },
      weft_webhook_events_waiting: {
        help: 'Events that wait in this process for webhooks',
        value: () => delivery.waiting,
      },
    },
    prepare: () => webhooks.reencrypt(),
    start() {
      if (!config.roles.includes('api')) return;
      lease.start();
      delivery.start();
      mails.start();
    },
    async stop() {
      await Promise.all([delivery.stop(), mails.stop()]);
      await lease.stop();
    },
  } satisfies Part & Record<string, unknown>;
}

/** For how many minutes nothing could be delivered; those that work are not in it. */
function failingOf(
  subject_kind: string,
  channels: readonly { id: string; name: string; enabled: boolean; failing_since: number | null }[],
) {
  return channels.flatMap(({ id, name, enabled, failing_since }) =>
    enabled && failing_since !== null
      ? [{ subject_kind, subject: id, name, value: Math.round((Date.now() - failing_since) / 60_000) }]
      : [],
  );
}
