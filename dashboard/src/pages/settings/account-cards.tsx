// Who is signed in, a new password, and the end of the account.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { PasswordField } from '../../components/forms/password-field.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { formatMoment } from '../../format/times.ts';
import { session, signOut } from '../../session/session.ts';
import { setup } from '../../session/setup-state.ts';
import { signIn } from '../../session/sign-in.ts';
import { settingsText } from '../../text/settings.ts';
import { shellText } from '../../text/shell.ts';

export function AccountCard() {
  const text = settingsText.profile;
  const { username = '', isAdmin = false, expiresAt = 0 } = session.value ?? {};
  return (
    <section class="card stack">
      <h2>{text.title}</h2>
      <dl class="settings-facts">
        <dt>{text.name}</dt>
        <dd>{username}</dd>
        <dt>{text.role}</dt>
        <dd>{isAdmin ? shellText.administrator : shellText.user}</dd>
        <dt>{text.session}</dt>
        <dd>{formatMoment(expiresAt)}</dd>
      </dl>
      <div>
        <Button icon="sign-out" onClick={signOut}>
          {text.signOut}
        </Button>
      </div>
    </section>
  );
}

export function PasswordCard() {
  const text = settingsText.password;
  const form = useForm({ password: '' });
  const username = session.value?.username ?? '';
  return (
    <section class="card stack">
      <h2>{text.title}</h2>
      <p class="soft">{text.words}</p>
      <Form
        form={form}
        label={text.title}
        onSubmit={async ({ password }) => {
          await call('update_user', { path: { username }, json: { password } });
          // The change ended this session too.
          await signIn(username, password);
          form.set('password', '');
          showToast({ title: text.done });
        }}
      >
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <PasswordField
          form={form}
          name="password"
          label={text.label}
          isNew
          minLength={setup.value?.password_length.min ?? 8}
          own={username.split(/[@.]/)}
        />
        <div>
          <Button type="submit" kind="primary" isBusy={form.isBusy.value}>
            {text.submit}
          </Button>
        </div>
      </Form>
    </section>
  );
}

export function DeleteAccountCard() {
  const text = settingsText.remove;
  const [isAsked, setAsked] = useState(false);
  const username = session.value?.username ?? '';
  return (
    <section class="card stack">
      <h2>{text.title}</h2>
      <p class="soft">{text.words}</p>
      <div>
        <Button kind="danger" onClick={() => setAsked(true)}>
          {text.action}
        </Button>
      </div>
      {isAsked && (
        <ConfirmDialog
          title={text.confirm(username)}
          action={text.action}
          typed={{ label: text.typed, name: username }}
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await call('remove_user', { path: { username } }).catch((error) => {
              const isLast = error instanceof Failure && error.code === 'last_administrator';
              throw isLast ? new Failure(409, error.code, text.lastAdmin) : error;
            });
            signOut();
          }}
        >
          {text.confirmWords}
        </ConfirmDialog>
      )}
    </section>
  );
}
