// Who is signed in and where, a new password, and the end of the account.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { PasswordField } from '../../components/forms/password-field.tsx';
import { useUnsavedForm } from '../../components/forms/unsaved-form.ts';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { queries } from '../../data/use-operation.ts';
import { leaveSession, replaceSession, session } from '../../session/session.ts';
import { SessionList } from '../../session/session-list.tsx';
import { setup } from '../../session/setup-state.ts';
import { toSession } from '../../session/sign-in.ts';
import { signOut } from '../../session/sign-out.ts';
import { settingsText } from '../../text/settings.ts';
import { shellText } from '../../text/shell.ts';

export function AccountCard() {
  const text = settingsText.profile;
  const { username = '', isAdmin = false } = session.value ?? {};
  return (
    <section class="card stack">
      <h2>{text.title}</h2>
      <dl class="settings-facts">
        <dt>{text.name}</dt>
        <dd>{username}</dd>
        <dt>{text.role}</dt>
        <dd>{isAdmin ? shellText.administrator : shellText.user}</dd>
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
  const form = useForm({ current_password: '', new_password: '' });
  useUnsavedForm(form);
  const username = session.value?.username ?? '';
  return (
    <section class="card stack">
      <h2>{text.title}</h2>
      <p class="soft">{text.words}</p>
      <Form
        form={form}
        label={text.title}
        onSubmit={async (json) => {
          const token = await call('change_password', { json }).catch(throwBesideField);
          replaceSession(toSession(token, username));
          queries.refresh('list_sessions');
          form.set('current_password', '');
          form.set('new_password', '');
          showToast({ title: text.done });
        }}
      >
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <PasswordField form={form} name="current_password" label={text.current} />
        <PasswordField
          form={form}
          name="new_password"
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

/** That the current password is wrong is said where it was typed. */
function throwBesideField(error: unknown): never {
  if (!(error instanceof Failure) || error.code !== 'wrong_password') throw error;
  const problem = { loc: ['body', 'current_password'], msg: error.message, type: error.code };
  throw new Failure(error.status, error.code, error.message, { problems: [problem] });
}

export function SessionsCard() {
  const text = settingsText.sessions;
  const { username = '', isAdmin = false } = session.value ?? {};
  return (
    <section class="card stack" aria-labelledby="sessions">
      <h2 id="sessions">{text.title}</h2>
      <p class="soft">{text.words}</p>
      <SessionList username={username} canExtend={isAdmin} isAdministrator={isAdmin} />
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
            leaveSession();
          }}
        >
          {text.confirmWords}
        </ConfirmDialog>
      )}
    </section>
  );
}
