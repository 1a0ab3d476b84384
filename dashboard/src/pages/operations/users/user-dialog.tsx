// What can be done with an account: making one, another role, a new password, disabling it for a while, its end. A password that
// was made is shown once.
import { useState } from 'preact/hooks';
import { call } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { SecretOnce } from '../../../components/copyable.tsx';
import { ConfirmDialog, Dialog } from '../../../components/dialog.tsx';
import { Notice, showToast } from '../../../components/feedback.tsx';
import { SelectField, TextField } from '../../../components/forms/fields.tsx';
import { Form, SubmitButton, SubmitRow, useForm } from '../../../components/forms/form.tsx';
import { PasswordStrength } from '../../../components/forms/password-field.tsx';
import { formatMoment } from '../../../format.ts';
import { randomPassword } from '../../../session/passwords.ts';
import { session } from '../../../session/session.ts';
import { SessionList } from '../../../session/session-list.tsx';
import { setup } from '../../../session/sign-in.ts';
import { usersText } from '../../../text/pages.ts';
import { GrantsForm } from './grants-form.tsx';
import { guardedChange, refreshUsers, type User } from './user.ts';

const text = {
  roleHint: {
    admin: 'Manages access points, apps, users and conflict rules; reads the audit log',
    user: 'Views the network; starts emulated networks and sends commands to them',
  } as Record<string, string>,
  role: 'Role',
  secret: {
    title: (name: string) => `Password of ${name}`,
    label: 'Password',
    warning: 'The password is shown only once. Copy it now.',
    done: 'I have copied it',
  },
  changeRole: 'Change role',
  an: { admin: 'an administrator', user: 'a user' } as Record<string, string>,
  reset: 'Reset password',
  resetWords: 'Generates a new password and ends all sessions of this account.',
  remove: 'Delete user',
  disabling: {
    hint: 'Nobody can sign in with a disabled account.',
    action: 'Disable user',
    title: (name: string) => `Disable ${name}?`,
    ends: 'All sessions of this account end immediately. Nobody can sign in with it or reset its password by e-mail until an administrator enables it again.',
    stays: 'Its jobs, emulated networks and queued commands end now.',
    done: (name: string) => `${name} disabled`,
  },
  enabling: {
    hint: 'The user can then sign in again.',
    action: 'Enable user',
    title: (name: string) => `Enable ${name}?`,
    ends: 'The user can sign in again, with the current password and role of the account.',
    stays: 'Old sessions stay ended.',
    done: (name: string) => `${name} enabled`,
  },
};

interface DisableUserDialogProps {
  username: string;
  isDisabled: boolean;
  /** Nothing was changed. */
  onBack: () => void;
  onDone: () => void;
}

export function DisableUserDialog({ username, isDisabled, onBack, onDone }: DisableUserDialogProps) {
  const path = { username };
  const words = isDisabled ? text.enabling : text.disabling;
  return (
    <ConfirmDialog
      title={words.title(username)}
      action={words.action}
      kind={isDisabled ? 'primary' : 'danger'}
      onClose={onBack}
      onConfirm={() => guardedChange<unknown>(call(isDisabled ? 'enable_user' : 'disable_user', { path }))}
      done={words.done(username)}
      onDone={onDone}
    >
      <p class="user-follows">{words.ends}</p>
      <p class="user-follows">{words.stays}</p>
    </ConfirmDialog>
  );
}

interface UserDialogProps {
  username: string;
  /** Undefined if there is none of this name. */
  user: User | undefined;
  onClose: () => void;
}

export function UserDialog({ username, user, onClose }: UserDialogProps) {
  const [asked, setAsked] = useState<'remove' | 'reset' | 'disable' | undefined>(undefined);
  const [made, setMade] = useState<string | undefined>(undefined);
  if (made !== undefined) {
    const { title, ...words } = text.secret;
    return <SecretOnce {...words} title={title(username)} secret={made} onClose={onClose} />;
  }
  if (!user)
    return (
      <Dialog
        title={username}
        onClose={onClose}
        children={<p class="soft">User not found. The account may have been deleted.</p>}
      />
    );
  const path = { username };
  const back = () => setAsked(undefined);
  if (asked === 'remove') {
    return (
      <ConfirmDialog
        title={`Delete ${username}?`}
        action={text.remove}
        onClose={back}
        onConfirm={() => guardedChange(call('remove_user', { path }))}
        done={`${username} deleted`}
        onDone={onClose}
        words="The account is deleted and all its sessions end immediately. Its jobs, emulated networks and queued commands end. Its audit log entries are kept."
      />
    );
  }
  if (asked === 'reset') {
    return (
      <ConfirmDialog
        title={`${text.reset}?`}
        action={text.reset}
        onClose={back}
        onConfirm={async () => {
          const password = randomPassword();
          await call('update_user', { path, json: { password } });
          setMade(password);
        }}
      >
        <p>{username}</p>
        {text.resetWords}
      </ConfirmDialog>
    );
  }
  const { disabled } = user;
  if (asked === 'disable') {
    return <DisableUserDialog username={username} isDisabled={disabled !== undefined} onBack={back} onDone={onClose} />;
  }
  const isYou = username === session.value?.username;
  return (
    <Dialog title={username} onClose={onClose} width="wide">
      {isYou && <Notice title="This is your account. After you change your role or password, sign in again." />}
      {disabled && (
        <Notice
          kind="warning"
          title="This account is disabled: nobody can sign in with it."
          words={`By ${disabled.by}, ${formatMoment(disabled.atMs)}`}
        />
      )}
      <RoleForm user={user} onDone={onClose} />
      {user.role === 'user' && !disabled && <GrantsForm username={username} />}
      {!disabled && (
        <div class="user-sessions">
          <h3>Sessions</h3>
          <SessionList username={username} canExtend isAdministrator={user.role === 'admin'} />
        </div>
      )}
      <div class="user-act">
        <span class="soft">{text.resetWords}</span>
        <Button onClick={() => setAsked('reset')}>{text.reset}</Button>
      </div>
      <div class="user-act">
        <span class="soft">
          {isYou
            ? 'Only another administrator can disable your account.'
            : disabled
              ? text.enabling.hint
              : text.disabling.hint}
        </span>
        {!isYou && (
          <Button onClick={() => setAsked('disable')}>{disabled ? text.enabling.action : text.disabling.action}</Button>
        )}
      </div>
      <div class="user-act">
        <span />
        <Button kind="danger" onClick={() => setAsked('remove')} words={text.remove} />
      </div>
    </Dialog>
  );
}

function RoleForm({ user: { username, role }, onDone }: { user: User; onDone: () => void }) {
  const form = useForm<{ roles: string }>({ roles: role });
  const chosen = form.values.value.roles;
  return (
    <Form
      form={form}
      label={text.changeRole}
      onSubmit={async ({ roles }) => {
        const json = { roles: [roles as 'admin' | 'user'] };
        await guardedChange(call('update_user', { path: { username }, json }));
        showToast({ title: `${username} is now ${text.an[roles]!}` });
        onDone();
      }}
    >
      <SelectField {...form.at('roles')} label={text.role} hint={text.roleHint[chosen]} options={usersText.roles} />
      <SubmitRow form={form} disabled={chosen === role} words={text.changeRole} />
    </Form>
  );
}

export function AddUserDialog({ onClose }: { onClose: () => void }) {
  const form = useForm({ username: '', password: '', roles: 'user' });
  const [made, setMade] = useState<{ username: string; password: string } | undefined>(undefined);
  const { roles: role, password: chosen, username: name } = form.values.value;
  const minLength = setup.value?.password_length.min ?? 8;
  if (made) {
    const { title, ...words } = text.secret;
    return <SecretOnce {...words} title={title(made.username)} secret={made.password} onClose={onClose} />;
  }
  return (
    <Dialog title={usersText.invite} onClose={onClose}>
      <p class="soft">
        The account can be used immediately. Send the password over a secure channel; the user can change it under
        Settings.
      </p>
      <Form
        form={form}
        label={usersText.invite}
        onSubmit={async (values) => {
          const password = values.password === '' ? randomPassword() : values.password;
          const username = values.username.trim();
          const roles = [values.roles as 'admin' | 'user'];
          const created = await call('create_user', { json: { username, password, roles } });
          refreshUsers();
          setMade({ username: created.username ?? username, password });
        }}
      >
        <TextField {...form.at('username')} label="E-mail address" type="email" autoComplete="off" hasFocus />
        <SelectField
          {...form.at('roles')}
          label={text.role}
          hint={text.roleHint[role]}
          options={Object.entries(usersText.roles).reverse()}
        />
        <TextField
          {...form.at('password')}
          label="Password"
          hint={
            chosen === '' ? (
              'Leave empty to generate one in this browser'
            ) : (
              <PasswordStrength value={chosen} minLength={minLength} own={name.split(/[@.]/)} />
            )
          }
          autoComplete="off"
          isMono
          isOptional
        />
        <SubmitButton form={form}>Add user</SubmitButton>
      </Form>
    </Dialog>
  );
}
