// Registers an app: its name, its key, what it may do. The key is shown once.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/forms/fields.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { keepForm, useUnsavedForm } from '../../components/forms/unsaved-form.ts';
import { Page } from '../../components/layout/page.tsx';
import { queries } from '../../data/use-operation.ts';
import { navigate } from '../../router/location.ts';
import { randomKey } from '../../session/random-secret.ts';
import { appsText } from '../../text/apps.ts';
import { AppKeyOnce } from './app-key-once.tsx';
import { PermissionEditor } from './permission-editor.tsx';
import {
  leastPermissions,
  type PermissionFormState,
  requirePatterns,
  toPermissions,
  toPermissionValues,
} from './permission-form.ts';

/** Shorter keys that somebody made up are worth a warning. */
const soundKeyLength = 32;

export function RegisterApp() {
  const form = useForm({ app_name: '', api_key: '', ...toPermissionValues(leastPermissions) });
  useUnsavedForm(form);
  const [made, setMade] = useState<{ app_name: string; api_key: string } | undefined>(undefined);
  const chosenKey = form.values.value.api_key;
  const isShort = chosenKey !== '' && chosenKey.length < soundKeyLength;
  return (
    <Page title={appsText.register} beside={<a href="/apps">{appsText.back}</a>}>
      <section class="card app-form">
        <Form
          form={form}
          label={appsText.register}
          onSubmit={async (values) => {
            requirePatterns(values);
            const app_name = values.app_name.trim();
            const api_key = values.api_key === '' ? randomKey() : values.api_key;
            await call('create_third_party_app', { json: { app_name, api_key, permissions: toPermissions(values) } });
            keepForm(form);
            queries.refresh('list_third_party_apps');
            setMade({ app_name, api_key });
          }}
        >
          <div class="app-head">
            <TextField form={form} name="app_name" label={appsText.name} hint={appsText.nameHint} hasFocus />
            <TextField
              form={form}
              name="api_key"
              label={appsText.key}
              hint={isShort ? <span class="is-warning">{appsText.shortKey}</span> : appsText.keyHint}
              autoComplete="off"
              isMono
              isOptional
            />
          </div>
          <h2>{appsText.may.title}</h2>
          <PermissionEditor form={form as unknown as PermissionFormState} />
          <div>
            <Button type="submit" kind="primary" isBusy={form.isBusy.value}>
              {appsText.create}
            </Button>
          </div>
        </Form>
      </section>
      {made && <AppKeyOnce {...made} onClose={() => navigate(`/apps/${encodeURIComponent(made.app_name)}`)} />}
    </Page>
  );
}
