// All third-party apps with what each may do; and registering a new one, under `?register`.
import { useEffect } from 'preact/hooks';
import type { ThirdPartyAppSummary } from '../../../api/client.ts';
import { ButtonLink } from '../../../components/button.tsx';
import { EmptyState, Loading } from '../../../components/feedback.tsx';
import { Page } from '../../../components/page.tsx';
import { type Column, column, Table, wideColumn } from '../../../components/tables/table.tsx';
import { serverNow } from '../../../data/freshness.ts';
import { queries, useOperation } from '../../../data/use-operation.ts';
import { formatNumber } from '../../../format.ts';
import { type PageProps, useQueryState } from '../../../router/location.ts';
import { appsText } from '../../../text/pages.ts';
import './apps-page.css';
import { PermissionWords, permissionSentence, sentenceText } from './permission-sentence.tsx';
import { RegisterApp } from './register-app.tsx';

const priorityOf = ({ permissions: { priority } }: ThirdPartyAppSummary) =>
  typeof priority === 'number' ? priority : 50;
const untilOf = ({ permissions: { expires_at } }: ThirdPartyAppSummary) =>
  typeof expires_at === 'string' ? Date.parse(expires_at) : undefined;
const wordsOf = ({ app_name, permissions }: ThirdPartyAppSummary) =>
  `${app_name} ${sentenceText(permissionSentence(permissions))}`;

const columns: Column<ThirdPartyAppSummary>[] = [
  column('name', 'App', 'minmax(140px, 1fr)', { word: ({ app_name }) => app_name }),
  wideColumn('may', 'Permissions', 'minmax(220px, 4fr)', {
    cell: ({ permissions }) => (
      <span class="soft" title={sentenceText(permissionSentence(permissions))}>
        <PermissionWords permissions={permissions} />
      </span>
    ),
  }),
  wideColumn('priority', 'Priority', '72px', { figure: priorityOf, write: formatNumber }),
  column('until', 'Expires', '110px', {
    align: 'end',
    sort: untilOf,
    cell: (app) => <Until at={untilOf(app)} />,
  }),
];

function Until({ at }: { at: number | undefined }) {
  if (at === undefined) return <span class="faint">never</span>;
  if (at <= serverNow()) return <span class="app-over">expired</span>;
  return <>{new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })}</>;
}

export function AppsPage({ title }: PageProps) {
  const [register] = useQueryState('register');
  const { data: apps, failure } = useOperation('list_third_party_apps', {}, { pollMs: 15_000 });
  // A change made on the way here may not have been heard of yet.
  useEffect(() => queries.refresh('list_third_party_apps'), []);
  if (register !== '') return <RegisterApp />;
  const way = <ButtonLink kind="primary" icon="plus" href="/apps?register=yes" words={appsText.register} />;
  return (
    <Page title={title} actions={apps?.length === 0 ? undefined : way} isFilling>
      <Loading data={apps} failure={failure} again="list_third_party_apps" lines={6} />
      {apps?.length === 0 && (
        <EmptyState
          title="No apps yet"
          actions={way}
          words="An app is a third-party program that reads data of this network or sends commands to it. It signs in with its name and a key. You decide what it may do."
        />
      )}
      {apps && apps.length > 0 && (
        <Table
          label={title}
          rows={apps}
          columns={columns}
          hrefOf={({ app_name }) => `/apps/${encodeURIComponent(app_name)}`}
          textOf={wordsOf}
          initialSort="name"
        />
      )}
    </Page>
  );
}
