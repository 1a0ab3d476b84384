// Who is told by e-mail.
import { call } from '../../api/client.ts';
import type { Notification } from '../../api/operations.ts';
import { useOperation } from '../../data/use-operation.ts';
import { formatMoment, formatSpan } from '../../format/times.ts';
import { componentText } from '../../text/components.ts';
import { notificationsText as text } from '../../text/notifications.ts';
import { ChannelList } from './channel-list.tsx';
import { RecipientDialog } from './recipient-dialog.tsx';

export function RecipientList() {
  const { data, failure } = useOperation('list_notifications', {}, { pollMs: 10_000 });
  return (
    <ChannelList<Notification>
      kind="email"
      operation="list_notifications"
      rows={data?.items}
      failure={failure}
      stateOf={({ enabled, failing_since }) => (!enabled ? 'disabled' : failing_since === null ? 'ok' : 'failing')}
      wordsOf={wordsOf}
      test={async ({ id }) => {
        const { sent, error } = await call('test_notification', { path: { id } });
        return sent ? undefined : (error ?? '');
      }}
      remove={({ id }) => call('remove_notification', { path: { id } })}
      dialog={(recipient, onClose) => <RecipientDialog {...{ recipient, onClose }} />}
    />
  );
}

function wordsOf(row: Notification): string {
  const { email, severities, selector, digest_minutes, quiet, last_sent_at, failing_since } = row;
  return [
    email,
    severities.map((severity) => componentText.severities[severity]).join(', '),
    selector === '' ? text.everywhere : selector,
    digest_minutes === 0 ? text.atOnce : text.digestWords(formatSpan(digest_minutes * 60, 2)),
    quiet && `${text.quietFrom} ${quiet.from}–${quiet.until}`,
    failing_since
      ? text.since(formatMoment(Date.parse(failing_since)))
      : last_sent_at
        ? text.lastSent(formatMoment(Date.parse(last_sent_at)))
        : text.neverSent,
  ]
    .filter(Boolean)
    .join(' · ');
}
