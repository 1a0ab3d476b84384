// One app: what it may do, a new key, its end. The list has all that is needed, so that no key comes to the browser
// unless it is made there.
import './apps-page.css';
import { useState } from 'preact/hooks';
import { call, type ThirdPartyAppSummary } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { EmptyState, Loading, showToast } from '../../../components/feedback.tsx';
import { Form, keepForm, SubmitRow, useForm, useUnsavedForm } from '../../../components/forms/form.tsx';
import { Card, Page } from '../../../components/page.tsx';
import { queries, useOperation } from '../../../data/use-operation.ts';
import { navigate, type PageProps } from '../../../router/location.ts';
import { randomKey } from '../../../session/passwords.ts';
import { appsText } from '../../../text/pages.ts';
import { PermissionEditor } from './permission-editor.tsx';
import { toPermissions, toPermissionValues } from './permission-form.ts';
import { AppKeyOnce } from './register-app.tsx';

const rotate = 'Generate a new key';
const remove = 'Delete app';

export function AppPage({ params }: PageProps) {
  const app_name = params.app_name!;
  const { data, failure } = useOperation('list_third_party_apps', {});
  const app = data?.find((each) => each.app_name === app_name);
  return (
    <Page title={app_name} beside={<a href="/apps">{appsText.back}</a>}>
      <Loading data={data} failure={failure} again="list_third_party_apps" lines={8} />
      {data && !app && (
        <EmptyState title="App not found">It may have been deleted. Check the name in the list.</EmptyState>
      )}
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
    <Card title={appsText.may.title}>
      <Form
        form={form}
        label={appsText.may.title}
        onSubmit={async (values) => {
          const json = { permissions: toPermissions(values) };
          await call('update_third_party_app', { path: { app_name }, json });
          keepForm(form);
          queries.refresh('list_third_party_apps');
          showToast({ title: `Permissions of ${app_name} saved` });
        }}
      >
        <PermissionEditor form={form} />
        <SubmitRow form={form}>Save permissions</SubmitRow>
      </Form>
    </Card>
  );
}

function AppAccess({ app_name }: { app_name: string }) {
  const [asked, setAsked] = useState<'rotate' | 'remove' | undefined>(undefined);
  const [made, setMade] = useState<string | undefined>(undefined);
  const close = () => setAsked(undefined);
  return (
    <Card title="Access">
      <p class="soft">A new key replaces the old one immediately and ends all sessions of this app.</p>
      <div class="cluster">
        <Button onClick={() => setAsked('rotate')}>{rotate}</Button>
        <Button kind="danger" onClick={() => setAsked('remove')} words={remove} />
      </div>
      {asked === 'rotate' && (
        <ConfirmDialog
          title={`Generate a new key for ${app_name}?`}
          action={rotate}
          onClose={close}
          onConfirm={async () => {
            const api_key = randomKey();
            await call('update_third_party_app', { path: { app_name }, json: { api_key } });
            close();
            setMade(api_key);
          }}
          words="Programs that use the old key stop working immediately. Give them the new key."
        />
      )}
      {asked === 'remove' && (
        <ConfirmDialog
          title={`Delete ${app_name}?`}
          action={remove}
          onClose={close}
          onConfirm={() => call('remove_third_party_app', { path: { app_name } })}
          changes={['list_third_party_apps']}
          done={`${app_name} deleted`}
          onDone={() => navigate('/apps', { isReplacing: true })}
          words="The app is signed out immediately and cannot sign in again. Its jobs, emulated networks and queued commands end. Its audit log entries are kept."
        />
      )}
      {made !== undefined && <AppKeyOnce app_name={app_name} api_key={made} onClose={() => setMade(undefined)} />}
    </Card>
  );
}
