// A new account with the standard role, where the operator leaves that open.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { TextField } from '../../components/forms/fields.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { PasswordField } from '../../components/forms/password-field.tsx';
import { setup } from '../../session/setup-state.ts';
import { signIn } from '../../session/sign-in.ts';
import { pageTitles } from '../../text/pages.ts';
import { sessionText } from '../../text/session.ts';
import { SessionFrame } from './session-frame.tsx';

export function SignUpPage() {
  const form = useForm({ username: '', password: '' });
  const [waiting, setWaiting] = useState<string | undefined>(undefined);
  const mustWait = setup.value?.signup === 'approve';
  const text = sessionText.approval;
  return (
    <SessionFrame
      title={pageTitles.signUp}
      foot={
        <span>
          {sessionText.haveAccount} <a href="/sign-in">{sessionText.signIn}</a>
        </span>
      }
    >
      {waiting !== undefined && (
        <Notice kind="good" title={text.waits}>
          {text.waitsWords(waiting)}
        </Notice>
      )}
      {waiting === undefined && mustWait && <Notice title={text.title}>{text.words}</Notice>}
      {waiting === undefined && (
        <Form
          form={form}
          label={pageTitles.signUp}
          onSubmit={async ({ username, password }) => {
            await call('sign_up', { json: { username, password } });
            if (mustWait) setWaiting(username.trim());
            else await signIn(username, password);
          }}
        >
          <TextField
            form={form}
            name="username"
            label={sessionText.username}
            type="email"
            autoComplete="username"
            hasFocus
          />
          <PasswordField
            form={form}
            name="password"
            label={sessionText.password}
            isNew
            minLength={setup.value?.password_length.min ?? 8}
            own={form.values.value.username.split(/[@.]/)}
          />
          <Button type="submit" kind="primary" isBusy={form.isBusy.value}>
            {sessionText.signUp}
          </Button>
        </Form>
      )}
    </SessionFrame>
  );
}
