// Webhooks: where events go, whether they arrive, and every attempt.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import type { Webhook } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { useOperation } from '../../data/use-operation.ts';
import { formatNumber } from '../../format/numbers.ts';
import { formatMoment } from '../../format/times.ts';
import { notificationsText as text } from '../../text/notifications.ts';
import { ChannelList } from './channel-list.tsx';
import { DeliveriesDialog } from './deliveries-dialog.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';

export function WebhookList() {
  const { data, failure } = useOperation('list_webhooks', {}, { pollMs: 5000 });
  const [shown, setShown] = useState<Webhook | undefined>(undefined);
  return (
    <>
      <ChannelList<Webhook>
        kind="webhooks"
        operation="list_webhooks"
        rows={data?.items}
        failure={failure}
        stateOf={({ state }) => state}
        wordsOf={wordsOf}
        test={async ({ id }) => {
          const { outcome, error, status } = await call('test_webhook', { path: { id } });
          return outcome === 'delivered' ? undefined : (error ?? String(status ?? ''));
        }}
        remove={({ id }) => call('remove_webhook', { path: { id } })}
        dialog={(webhook, onClose) => <WebhookDialog {...{ webhook, onClose }} />}
        acts={(webhook) => (
          <Button size="small" aria-label={text.deliveriesOf(webhook.name)} onClick={() => setShown(webhook)}>
            {text.deliveries}
          </Button>
        )}
      />
      {shown && <DeliveriesDialog webhook={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

function wordsOf({ url, format, events, selector, waiting, parked, failing_since }: Webhook): string {
  return [
    url,
    text.formats[format],
    events.join(', '),
    selector === '' ? text.everywhere : selector,
    failing_since && text.since(formatMoment(Date.parse(failing_since))),
    waiting > 0 && text.waiting(formatNumber(waiting)),
    parked > 0 && text.parked(formatNumber(parked)),
  ]
    .filter(Boolean)
    .join(' · ');
}
