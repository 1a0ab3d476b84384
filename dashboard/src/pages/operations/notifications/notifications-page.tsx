// Who and what is told of events: people by e-mail, programs by webhook.
import './notifications-page.css';
import { useState } from 'preact/hooks';
import { call, type Notification, type Webhook } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { PageViews } from '../../../components/page.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { formatMoment, formatNumber, formatSpan } from '../../../format.ts';
import type { PageProps } from '../../../router/location.ts';
import { componentText } from '../../../text/components.ts';
import { notificationsText } from '../../../text/pages.ts';
import { RecipientDialog, WebhookDialog } from './channel-dialogs.tsx';
import { ChannelList } from './channel-list.tsx';
import { DeliveriesDialog } from './deliveries-dialog.tsx';

const text = {
  views: { email: 'E-mail', webhooks: 'Webhooks' },
  noMail: {
    title: 'No mail server is set',
    words:
      'Mails are written to files in outbox/ of the data folder. Set WEFT_SMTP_URL, such as smtps://user:password@mail.example.org, and restart Weft.',
  },
  noDestination: {
    title: 'Webhooks may not send anywhere yet',
    words:
      'Name the destinations in WEFT_WEBHOOK_ALLOW, such as hooks.example.org or 10.1.0.0/16:9093, and restart Weft.',
  },
  since: (moment: string) => `since ${moment}`,
  everywhere: 'all access points',
};

export function RecipientList() {
  const { data, failure } = useOperation('list_notifications', {}, { pollMs: 10_000 });
  return (
    <ChannelList<Notification>
      kind="email"
      limits={data?.has_mail_server === false ? text.noMail : undefined}
      operation="list_notifications"
      rows={data?.items}
      failure={failure}
      stateOf={recipientState}
      wordsOf={recipientWords}
      test={async ({ id }) => {
        const { sent, error } = await call('test_notification', { path: { id } });
        return sent ? undefined : (error ?? '');
      }}
      remove={({ id }) => call('remove_notification', { path: { id } })}
      dialog={(recipient, onClose) => <RecipientDialog {...{ recipient, onClose }} />}
    />
  );
}

/** Whether it works is not known before something was sent. */
export function recipientState(row: Pick<Notification, 'enabled' | 'failing_since' | 'last_sent_at'>) {
  if (!row.enabled) return 'disabled';
  if (row.failing_since !== null) return 'failing';
  return row.last_sent_at === null ? 'unused' : 'ok';
}

function recipientWords(row: Notification): string {
  const { email, severities, selector, digest_minutes, quiet, last_sent_at, failing_since } = row;
  return [
    email,
    severities.map((severity) => componentText.severities[severity]).join(', '),
    selector === '' ? text.everywhere : selector,
    digest_minutes === 0 ? 'at once' : `every ${formatSpan(digest_minutes * 60, 2)}`,
    quiet && `${notificationsText.quietFrom} ${quiet.from}–${quiet.until}`,
    failing_since ? text.since(formatMoment(failing_since)) : last_sent_at && `last sent ${formatMoment(last_sent_at)}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

export function WebhookList() {
  const { data, failure } = useOperation('list_webhooks', {}, { pollMs: 5000 });
  const [shown, setShown] = useState<Webhook | undefined>(undefined);
  return (
    <>
      <ChannelList<Webhook>
        kind="webhooks"
        limits={data?.allowed.length === 0 ? text.noDestination : undefined}
        operation="list_webhooks"
        rows={data?.items}
        failure={failure}
        stateOf={({ state }) => state}
        wordsOf={webhookWords}
        test={async ({ id }) => {
          const { outcome, error, status } = await call('test_webhook', { path: { id } });
          return outcome === 'delivered' ? undefined : (error ?? String(status ?? ''));
        }}
        remove={({ id }) => call('remove_webhook', { path: { id } })}
        dialog={(webhook, onClose) => <WebhookDialog {...{ webhook, onClose }} allowed={data?.allowed ?? []} />}
        acts={(webhook) => (
          <Button
            size="small"
            aria-label={notificationsText.deliveriesOf(webhook.name)}
            onClick={() => setShown(webhook)}
          >
            Deliveries
          </Button>
        )}
      />
      {shown && <DeliveriesDialog webhook={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

function webhookWords({ url, format, events, selector, waiting, parked, failing_since }: Webhook): string {
  return [
    url,
    notificationsText.formats[format],
    events.join(', '),
    selector === '' ? text.everywhere : selector,
    failing_since && text.since(formatMoment(failing_since)),
    waiting > 0 && `${formatNumber(waiting)} waiting`,
    parked > 0 && `${formatNumber(parked)} given up`,
  ]
    .filter(Boolean)
    .join(' · ');
}

const views = { email: RecipientList, webhooks: WebhookList };

export function NotificationsPage({ title }: PageProps) {
  return <PageViews title={title} path="/notifications" label="E-mail and webhooks" names={text.views} views={views} />;
}
