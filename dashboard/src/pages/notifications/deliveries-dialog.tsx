// Every attempt to deliver to a webhook, newest first, and the way to send again from an event on.
import { call, type Webhook } from '../../api/client.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Loading, showToast } from '../../components/feedback.tsx';
import { TextField } from '../../components/forms/fields.tsx';
import { Form, SubmitRow, useForm } from '../../components/forms/form.tsx';
import { OlderButton } from '../../components/tables/filter-bar.tsx';
import { usePages } from '../../data/use-feed.ts';
import { queries } from '../../data/use-operation.ts';
import { formatExactly, formatMoment, formatNumber, formatValue } from '../../format.ts';
import { session } from '../../session/session.ts';
import { notificationsText as text } from '../../text/notifications.ts';

const limit = 50;

export function DeliveriesDialog({ webhook: { id, name }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const path = { id };
  const feed = usePages('list_webhook_deliveries', { path, query: { limit } }, { pollMs: 3000 });
  const { rows, failure } = feed;
  const form = useForm({ after: '' });
  return (
    <Dialog title={text.deliveriesOf(name)} width="wide" onClose={onClose}>
      <Loading data={rows} failure={failure} lines={5} />
      {rows?.length === 0 && <p class="soft">{text.noDeliveries}</p>}
      {rows && rows.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ol class="delivery-list small" tabIndex={0} aria-label={text.deliveriesOf(name)}>
          {rows.map((delivery) => (
            <li key={delivery.id}>
              <time dateTime={delivery.ts} title={formatExactly(Date.parse(delivery.ts))}>
                {formatMoment(delivery.ts)}
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
      <OlderButton feed={feed} size="small" words={text.older} />
      {session.value?.isAdmin && (
        <Form
          form={form}
          label={text.replay}
          onSubmit={async ({ after }) => {
            if (!/^\d+$/.test(after.trim())) return form.refuse({ after: text.number });
            await call('replay_webhook', { path, query: { after: Number(after) } });
            queries.refresh('list_webhook');
            showToast({ title: text.replayed(name) });
          }}
        >
          <TextField {...form.at('after')} label={text.replay} hint={text.replayHint} inputMode="numeric" />
          <SubmitRow form={form} kind="plain" words={text.replay} />
        </Form>
      )}
    </Dialog>
  );
}
