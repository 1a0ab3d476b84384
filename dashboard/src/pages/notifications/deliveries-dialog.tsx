// Every attempt to deliver to a webhook, newest first, and the way to send again from an event on.
import { call } from '../../api/client.ts';
import type { Webhook, WebhookDeliveryList } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { TextField } from '../../components/forms/fields.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { useFeed } from '../../data/use-feed.ts';
import { queries, useOperation } from '../../data/use-operation.ts';
import { formatNumber, formatValue } from '../../format/numbers.ts';
import { formatExactly, formatMoment } from '../../format/times.ts';
import { session } from '../../session/session.ts';
import { notificationsText as text } from '../../text/notifications.ts';

const limit = 50;

interface DeliveriesDialogProps {
  webhook: Webhook;
  onClose: () => void;
}

export function DeliveriesDialog({ webhook: { id, name }, onClose }: DeliveriesDialogProps) {
  const path = { id };
  const newest = useOperation('list_webhook_deliveries', { path, query: { limit } }, { pollMs: 3000 });
  const { rows, failure, loadOlder, isLoadingOlder } = useFeed({
    key: id,
    newest,
    toPage: ({ items, next }: WebhookDeliveryList) => ({ rows: items, next: next ?? undefined }),
    readOlder: (cursor) => call('list_webhook_deliveries', { path, query: { limit, cursor } }),
    idOf: (delivery) => delivery.id,
  });
  const form = useForm({ after: '' });
  return (
    <Dialog title={text.deliveriesOf(name)} width="wide" onClose={onClose}>
      {failure && <FailureNotice failure={failure} />}
      {!rows && !failure && <SkeletonLines count={5} />}
      {rows?.length === 0 && <p class="soft">{text.noDeliveries}</p>}
      {rows && rows.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ol class="delivery-list small" tabIndex={0} aria-label={text.deliveriesOf(name)}>
          {rows.map((delivery) => (
            <li key={delivery.id}>
              <time dateTime={delivery.ts} title={formatExactly(Date.parse(delivery.ts))}>
                {formatMoment(Date.parse(delivery.ts))}
              </time>
              <span class={delivery.outcome}>{text.outcomes[delivery.outcome]}</span>
              <span>
                {[
                  delivery.event_id === null ? text.testKind : `${delivery.kind} ${delivery.event_id}`,
                  delivery.status,
                  delivery.error,
                  formatValue(delivery.duration_ms, 'ms'),
                  delivery.attempt > 1 && text.attempt(formatNumber(delivery.attempt)),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </li>
          ))}
        </ol>
      )}
      {loadOlder && (
        <div>
          <Button size="small" isBusy={isLoadingOlder} onClick={loadOlder}>
            {text.older}
          </Button>
        </div>
      )}
      {session.value?.isAdmin && (
        <Form
          form={form}
          label={text.replay}
          onSubmit={async ({ after }) => {
            if (!/^\d+$/.test(after.trim())) {
              form.problems.value = { after: text.number };
              return;
            }
            await call('replay_webhook', { path, query: { after: Number(after) } });
            queries.refresh('list_webhook');
            showToast({ title: text.replayed(name) });
          }}
        >
          <TextField form={form} name="after" label={text.replay} hint={text.replayHint} inputMode="numeric" />
          <div>
            <Button type="submit" isBusy={form.isBusy.value}>
              {text.replay}
            </Button>
          </div>
        </Form>
      )}
    </Dialog>
  );
}
