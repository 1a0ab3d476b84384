// Who is signed in and where, a new password, and the end of the account.
import { useState } from 'preact/hooks';
import { call, Failure, problemAt } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { showToast } from '../../../components/feedback.tsx';
import { Form, SubmitRow, useForm, useUnsavedForm } from '../../../components/forms/form.tsx';
import { PasswordField } from '../../../components/forms/password-field.tsx';
import { Card, Facts } from '../../../components/page.tsx';
import { queries } from '../../../data/use-operation.ts';
import { leaveSession, replaceSession, session } from '../../../session/session.ts';
import { SessionList } from '../../../session/session-list.tsx';
import { signOut, toSession } from '../../../session/sign-in.ts';
import { NewPasswordField } from '../../../session/sign-in-form.tsx';
import { shellText } from '../../../text/components.ts';

const title = 'Change password';
const action = 'Delete my account';

export function AccountCard() {
  const { username = '', isAdmin = false } = session.value ?? {};
  return (
    <Card title="Your account">
      <Facts
        look="settings-facts"
        rows={[
          ['E-mail address', username],
          ['Role', isAdmin ? shellText.administrator : shellText.user],
        ]}
      />
      <div>
        <Button icon="sign-out" onClick={signOut} words="Sign out" />
      </div>
    </Card>
  );
}

export function PasswordCard() {
  const form = useForm({ current_password: '', new_password: '' });
  useUnsavedForm(form);
  const username = session.value?.username ?? '';
  return (
    <Card title={title}>
      <p class="soft">All your other sessions are signed out. This one stays signed in.</p>
      <Form
        form={form}
        label={title}
        onSubmit={async (json) => {
          const token = await call('change_password', { json }).catch(throwBesideField);
          replaceSession(toSession(token, username));
          queries.refresh('list_sessions');
          form.set('current_password', '');
          form.set('new_password', '');
          showToast({ title: 'Password changed' });
        }}
      >
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <PasswordField {...form.at('current_password')} label="Current password" />
        <NewPasswordField {...form.at('new_password')} label="New password" username={username} />
        <SubmitRow form={form}>Change password</SubmitRow>
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
  const { username = '', isAdmin = false } = session.value ?? {};
  return (
    <section class="card stack" aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      <p class="soft">Where you are signed in. End a session that you do not recognise, then change your password.</p>
      <SessionList username={username} canExtend={isAdmin} isAdministrator={isAdmin} />
    </section>
  );
}

export function DeleteAccountCard() {
  const [isAsked, setAsked] = useState(false);
  const username = session.value?.username ?? '';
  return (
    <Card title="Delete account">
      <p class="soft">
        Your account is deleted immediately. Your jobs, emulated networks and queued commands end. Real access points,
        apps and data are kept.
      </p>
      <div>
        <Button kind="danger" onClick={() => setAsked(true)} words={action} />
      </div>
      {isAsked && (
        <ConfirmDialog
          title={`Delete ${username}?`}
          action={action}
          typed={{ label: 'Type your e-mail address to confirm', name: username }}
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await call('remove_user', { path: { username } }).catch((error) => {
              const isLast = error instanceof Failure && error.code === 'last_administrator';
              throw isLast
                ? new Failure(
                    409,
                    error.code,
                    'You are the only administrator. First make another user an administrator, under Users.',
                  )
                : error;
            });
            leaveSession();
          }}
          words="You are signed out everywhere and cannot sign in again. This cannot be undone."
        />
      )}
    </Card>
  );
}
