// Every attempt to deliver to a webhook, newest first, and the way to send again from an event on.
import { call, type Webhook } from '../../../api/client.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { Loading, showToast } from '../../../components/feedback.tsx';
import { TextField } from '../../../components/forms/fields.tsx';
import { Form, SubmitRow, useForm } from '../../../components/forms/form.tsx';
import { OlderButton } from '../../../components/tables/filter-bar.tsx';
import { usePages } from '../../../data/use-feed.ts';
import { queries } from '../../../data/use-operation.ts';
import { formatExactly, formatMoment, formatNumber, formatValue } from '../../../format.ts';
import { session } from '../../../session/session.ts';
import { notificationsText } from '../../../text/pages.ts';

const outcomes = { delivered: 'delivered', failed: 'failed', parked: 'given up' };
const replay = 'Send again from event';

const limit = 50;

export function DeliveriesDialog({ webhook: { id, name }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const path = { id };
  const feed = usePages('list_webhook_deliveries', { path, query: { limit } }, { pollMs: 3000 });
  const { rows, failure } = feed;
  const form = useForm({ after: '' });
  return (
    <Dialog title={notificationsText.deliveriesOf(name)} width="wide" onClose={onClose}>
      <Loading data={rows} failure={failure} lines={5} />
      {rows?.length === 0 && <p class="soft">Nothing was sent yet.</p>}
      {rows && rows.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ol class="delivery-list small" tabIndex={0} aria-label={notificationsText.deliveriesOf(name)}>
          {rows.map((delivery) => (
            <li key={delivery.id}>
              <time dateTime={delivery.ts} title={formatExactly(Date.parse(delivery.ts))}>
                {formatMoment(delivery.ts)}
              </time>
              <span class={delivery.outcome}>{outcomes[delivery.outcome]}</span>
              <span>
                {[
                  delivery.event_id === null ? 'test' : `${delivery.kind} ${delivery.event_id}`,
                  delivery.status,
                  delivery.error,
                  formatValue(delivery.duration_ms, 'ms'),
                  delivery.attempt > 1 && `attempt ${formatNumber(delivery.attempt)}`,
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </li>
          ))}
        </ol>
      )}
      <OlderButton feed={feed} size="small" words="Show older ones" />
      {session.value?.isAdmin && (
        <Form
          form={form}
          label={replay}
          onSubmit={async ({ after }) => {
            if (!/^\d+$/.test(after.trim())) return form.refuse({ after: 'Enter the id of an event, such as 120' });
            await call('replay_webhook', { path, query: { after: Number(after) } });
            queries.refresh('list_webhook');
            showToast({ title: `${name} gets everything after that event again` });
          }}
        >
          <TextField
            {...form.at('after')}
            label={replay}
            hint="Every event after this id is sent again."
            inputMode="numeric"
          />
          <SubmitRow form={form} kind="plain" words={replay} />
        </Form>
      )}
    </Dialog>
  );
}
