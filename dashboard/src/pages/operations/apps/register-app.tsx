// Registers an app: its name, its key, what it may do. The key is shown once, with the line that signs in with it.
import { toShellWord } from '@weft/contract/enrolment-line';
import { useState } from 'preact/hooks';
import { call } from '../../../api/client.ts';
import { CodeBlock, SecretOnce } from '../../../components/copyable.tsx';
import { TextField } from '../../../components/forms/fields.tsx';
import { Form, keepForm, SubmitRow, useForm, useUnsavedForm } from '../../../components/forms/form.tsx';
import { Page } from '../../../components/page.tsx';
import { queries } from '../../../data/use-operation.ts';
import { navigate } from '../../../router/location.ts';
import { randomKey } from '../../../session/passwords.ts';
import { appsText } from '../../../text/pages.ts';
import { PermissionEditor } from './permission-editor.tsx';
import {
  leastPermissions,
  type PermissionFormState,
  requirePatterns,
  toPermissions,
  toPermissionValues,
} from './permission-form.ts';

const secret = {
  title: (name: string) => `Key of ${name}`,
  label: 'Key',
  warning: 'The key is shown only once. Copy it now.',
  done: 'I have copied it',
  signIn: 'Sign in with this key',
};

interface AppKeyOnceProps {
  app_name: string;
  api_key: string;
  onClose: () => void;
}

export function AppKeyOnce({ app_name, api_key, onClose }: AppKeyOnceProps) {
  const { title, signIn: signInWords, ...words } = secret;
  const signIn = `curl -s '${location.origin}/api/v1/token/?login_type=third_party_app' \\
  --data-urlencode ${toShellWord(`username=${app_name}`)} \\
  --data-urlencode "password=$API_KEY"`;
  return (
    <SecretOnce {...words} title={title(app_name)} secret={api_key} onClose={onClose}>
      <div class="stack">
        <h3>{signInWords}</h3>
        <CodeBlock text={signIn} label={signInWords} />
      </div>
    </SecretOnce>
  );
}

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
            <TextField
              {...form.at('app_name')}
              label="Name"
              hint="At most 128 characters; cannot be changed later"
              hasFocus
            />
            <TextField
              {...form.at('api_key')}
              label="Key"
              hint={
                isShort ? (
                  <span class="is-warning">
                    A key this short could be guessed. Use at least 32 random characters, or leave the field empty.
                  </span>
                ) : (
                  'Leave empty to generate a 256-bit key in this browser'
                )
              }
              autoComplete="off"
              isMono
              isOptional
            />
          </div>
          <h2>{appsText.may.title}</h2>
          <PermissionEditor form={form as unknown as PermissionFormState} />
          <SubmitRow form={form}>Register</SubmitRow>
        </Form>
      </section>
      {made && <AppKeyOnce {...made} onClose={() => navigate(`/apps/${encodeURIComponent(made.app_name)}`)} />}
    </Page>
  );
}
