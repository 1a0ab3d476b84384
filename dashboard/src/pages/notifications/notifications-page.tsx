// Who and what is told of events: people by e-mail, programs by webhook.
import { Page } from '../../components/layout/page.tsx';
import { ViewLinks } from '../../components/layout/view-links.tsx';
import { useQueryState } from '../../router/use-query-state.ts';
import { notificationsText as text } from '../../text/notifications.ts';
import { pageTitles } from '../../text/pages.ts';
import './notifications-page.css';
import { RecipientList } from './recipient-list.tsx';
import { WebhookList } from './webhook-list.tsx';

export function NotificationsPage() {
  const [view] = useQueryState('view', 'email');
  const isWebhooks = view === 'webhooks';
  return (
    <Page title={pageTitles.notifications}>
      <ViewLinks
        label={text.viewsLabel}
        views={[
          { href: '/notifications', label: text.views.email, isCurrent: !isWebhooks },
          { href: '/notifications?view=webhooks', label: text.views.webhooks, isCurrent: isWebhooks },
        ]}
      />
      {isWebhooks ? <WebhookList /> : <RecipientList />}
    </Page>
  );
}
