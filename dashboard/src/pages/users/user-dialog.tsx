// What can be done with an account: making one, another role, a new password, disabling it for a while, its end. A password that
// was made is shown once.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { SecretOnce } from '../../components/copyable.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { Notice, showToast } from '../../components/feedback.tsx';
import { SelectField, TextField } from '../../components/forms/fields.tsx';
import { Form, SubmitButton, SubmitRow, useForm } from '../../components/forms/form.tsx';
import { PasswordStrength } from '../../components/forms/password-field.tsx';
import { formatMoment } from '../../format.ts';
import { randomPassword } from '../../session/passwords.ts';
import { session } from '../../session/session.ts';
import { SessionList } from '../../session/session-list.tsx';
import { setup } from '../../session/sign-in.ts';
import { usersText } from '../../text/users.ts';
import { GrantsForm } from './grants-form.tsx';
import { guardedChange, refreshUsers, type User } from './user.ts';

const text = usersText.one;

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
    const { title, ...words } = usersText.secret;
    return <SecretOnce {...words} title={title(username)} secret={made} onClose={onClose} />;
  }
  if (!user) return <Dialog title={username} onClose={onClose} children={<p class="soft">{text.unknown}</p>} />;
  const path = { username };
  const back = () => setAsked(undefined);
  if (asked === 'remove') {
    return (
      <ConfirmDialog
        title={text.removeTitle(username)}
        action={text.remove}
        onClose={back}
        onConfirm={() => guardedChange(call('remove_user', { path }))}
        done={text.removed(username)}
        onDone={onClose}
        words={text.removeWords}
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
      {isYou && <Notice title={text.isYou} />}
      {disabled && (
        <Notice
          kind="warning"
          title={text.isDisabled}
          words={text.disabledBy(disabled.by, formatMoment(disabled.atMs))}
        />
      )}
      <RoleForm user={user} onDone={onClose} />
      {user.role === 'user' && !disabled && <GrantsForm username={username} />}
      {!disabled && (
        <div class="user-sessions">
          <h3>{text.sessions}</h3>
          <SessionList username={username} canExtend isAdministrator={user.role === 'admin'} />
        </div>
      )}
      <div class="user-act">
        <span class="soft">{text.resetWords}</span>
        <Button onClick={() => setAsked('reset')}>{text.reset}</Button>
      </div>
      <div class="user-act">
        <span class="soft">{isYou ? text.notYourself : disabled ? text.enabling.hint : text.disabling.hint}</span>
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
        showToast({ title: text.roleChanged(username, text.an[roles]!) });
        onDone();
      }}
    >
      <SelectField
        {...form.at('roles')}
        label={usersText.role}
        hint={usersText.roleHint[chosen]}
        options={usersText.roles}
      />
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
    const { title, ...words } = usersText.secret;
    return <SecretOnce {...words} title={title(made.username)} secret={made.password} onClose={onClose} />;
  }
  return (
    <Dialog title={usersText.invite} onClose={onClose}>
      <p class="soft">{usersText.inviteWords}</p>
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
        <TextField {...form.at('username')} label={usersText.name} type="email" autoComplete="off" hasFocus />
        <SelectField
          {...form.at('roles')}
          label={usersText.role}
          hint={usersText.roleHint[role]}
          options={Object.entries(usersText.roles).reverse()}
        />
        <TextField
          {...form.at('password')}
          label={usersText.password}
          hint={
            chosen === '' ? (
              usersText.passwordHint
            ) : (
              <PasswordStrength value={chosen} minLength={minLength} own={name.split(/[@.]/)} />
            )
          }
          autoComplete="off"
          isMono
          isOptional
        />
        <SubmitButton form={form}>{usersText.create}</SubmitButton>
      </Form>
    </Dialog>
  );
}
