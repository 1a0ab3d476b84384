// Who is signed in and where, a new password, and the end of the account.
import { useState } from 'preact/hooks';
import { call, Failure, problemAt } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { showToast } from '../../components/feedback.tsx';
import { Form, SubmitRow, useForm, useUnsavedForm } from '../../components/forms/form.tsx';
import { PasswordField } from '../../components/forms/password-field.tsx';
import { Card, Facts } from '../../components/page.tsx';
import { queries } from '../../data/use-operation.ts';
import { leaveSession, replaceSession, session } from '../../session/session.ts';
import { SessionList } from '../../session/session-list.tsx';
import { signOut, toSession } from '../../session/sign-in.ts';
import { NewPasswordField } from '../../session/sign-in-form.tsx';
import { settingsText } from '../../text/settings.ts';
import { shellText } from '../../text/shell.ts';

export function AccountCard() {
  const text = settingsText.profile;
  const { username = '', isAdmin = false } = session.value ?? {};
  return (
    <Card title={text.title}>
      <Facts
        look="settings-facts"
        rows={[
          [text.name, username],
          [text.role, isAdmin ? shellText.administrator : shellText.user],
        ]}
      />
      <div>
        <Button icon="sign-out" onClick={signOut} words={text.signOut} />
      </div>
    </Card>
  );
}

export function PasswordCard() {
  const text = settingsText.password;
  const form = useForm({ current_password: '', new_password: '' });
  useUnsavedForm(form);
  const username = session.value?.username ?? '';
  return (
    <Card title={text.title}>
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
        <PasswordField {...form.at('current_password')} label={text.current} />
        <NewPasswordField {...form.at('new_password')} label={text.label} username={username} />
        <SubmitRow form={form}>{text.submit}</SubmitRow>
      </Form>
    </Card>
  );
}

/** That the current password is wrong is said where it was typed. */
function throwBesideField(error: unknown): never {
  const isWrong = error instanceof Failure && error.code === 'wrong_password';
  throw isWrong ? problemAt('current_password', error.message) : error;
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
    <Card title={text.title}>
      <p class="soft">{text.words}</p>
      <div>
        <Button kind="danger" onClick={() => setAsked(true)} words={text.action} />
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
          words={text.confirmWords}
        />
      )}
    </Card>
  );
}
