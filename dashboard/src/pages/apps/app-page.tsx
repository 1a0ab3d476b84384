// One app: what it may do, a new key, its end. The list has all that is needed, so that no key comes to the browser
// unless it is made there.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import type { ThirdPartyAppSummary } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { keepForm, useUnsavedForm } from '../../components/forms/unsaved-form.ts';
import { Page } from '../../components/layout/page.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { queries, useOperation } from '../../data/use-operation.ts';
import { navigate } from '../../router/location.ts';
import type { PageProps } from '../../router/page-props.ts';
import { randomKey } from '../../session/random-secret.ts';
import { appsText } from '../../text/apps.ts';
import { AppKeyOnce } from './app-key-once.tsx';
import './apps-page.css';
import { PermissionEditor } from './permission-editor.tsx';
import { toPermissions, toPermissionValues } from './permission-form.ts';

export function AppPage({ params }: PageProps) {
  const app_name = params.app_name!;
  const { data, failure } = useOperation('list_third_party_apps', {});
  const app = data?.find((each) => each.app_name === app_name);
  return (
    <Page title={app_name} beside={<a href="/apps">{appsText.back}</a>}>
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('list_third_party_apps')} />}
      {!data && !failure && <SkeletonLines count={8} />}
      {data && !app && <EmptyState title={appsText.unknown}>{appsText.unknownWords}</EmptyState>}
      {app && (
        <div class="app-grid">
          <AppPermissions key={app_name} app={app} />
          <AppAccess app_name={app_name} />
        </div>
      )}
    </Page>
  );
}

function AppPermissions({ app: { app_name, permissions } }: { app: ThirdPartyAppSummary }) {
  const form = useForm(toPermissionValues(permissions));
  useUnsavedForm(form);
  return (
    <section class="card stack">
      <h2>{appsText.may.title}</h2>
      <Form
        form={form}
        label={appsText.may.title}
        onSubmit={async (values) => {
          const json = { permissions: toPermissions(values) };
          await call('update_third_party_app', { path: { app_name }, json });
          keepForm(form);
          queries.refresh('list_third_party_apps');
          showToast({ title: appsText.saved(app_name) });
        }}
      >
        <PermissionEditor form={form} />
        <div>
          <Button type="submit" kind="primary" isBusy={form.isBusy.value}>
            {appsText.save}
          </Button>
        </div>
      </Form>
    </section>
  );
}

function AppAccess({ app_name }: { app_name: string }) {
  const [asked, setAsked] = useState<'rotate' | 'remove' | undefined>(undefined);
  const [made, setMade] = useState<string | undefined>(undefined);
  const close = () => setAsked(undefined);
  return (
    <section class="card stack">
      <h2>{appsText.access}</h2>
      <p class="soft">{appsText.accessWords}</p>
      <div class="cluster">
        <Button onClick={() => setAsked('rotate')}>{appsText.rotate}</Button>
        <Button kind="danger" onClick={() => setAsked('remove')}>
          {appsText.remove}
        </Button>
      </div>
      {asked === 'rotate' && (
        <ConfirmDialog
          title={appsText.rotateTitle(app_name)}
          action={appsText.rotate}
          onClose={close}
          onConfirm={async () => {
            const api_key = randomKey();
            await call('update_third_party_app', { path: { app_name }, json: { api_key } });
            close();
            setMade(api_key);
          }}
        >
          {appsText.rotateWords}
        </ConfirmDialog>
      )}
      {asked === 'remove' && (
        <ConfirmDialog
          title={appsText.removeTitle(app_name)}
          action={appsText.remove}
          onClose={close}
          onConfirm={async () => {
            await call('remove_third_party_app', { path: { app_name } });
            queries.refresh('list_third_party_apps');
            showToast({ title: appsText.removed(app_name) });
            navigate('/apps', { isReplacing: true });
          }}
        >
          {appsText.removeWords}
        </ConfirmDialog>
      )}
      {made !== undefined && <AppKeyOnce app_name={app_name} api_key={made} onClose={() => setMade(undefined)} />}
    </section>
  );
}
