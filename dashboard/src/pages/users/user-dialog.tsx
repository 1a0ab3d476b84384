// What can be done with an account: another role, a new password, disabling it for a while, its end.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { SelectField } from '../../components/forms/fields.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { SecretOnce } from '../../components/forms/secret-once.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { formatMoment } from '../../format/times.ts';
import { randomPassword } from '../../session/random-secret.ts';
import { session } from '../../session/session.ts';
import { SessionList } from '../../session/session-list.tsx';
import { usersText } from '../../text/users.ts';
import { DisableUserDialog } from './disable-user-dialog.tsx';
import { GrantsForm } from './grants-form.tsx';
import { guardedChange } from './guarded-change.ts';
import type { User } from './user.ts';

const text = usersText.one;

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
    const { title, label, warning, done } = usersText.secret;
    return <SecretOnce title={title(username)} {...{ label, warning, done, onClose }} secret={made} />;
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
        onConfirm={async () => {
          await guardedChange(call('remove_user', { path }));
          showToast({ title: text.removed(username) });
          onClose();
        }}
      >
        {text.removeWords}
      </ConfirmDialog>
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
        <Notice kind="warning" title={text.isDisabled}>
          {text.disabledBy(disabled.by, formatMoment(disabled.atMs))}
        </Notice>
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
        <Button kind="danger" onClick={() => setAsked('remove')}>
          {text.remove}
        </Button>
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
        form={form}
        name="roles"
        label={usersText.role}
        hint={usersText.roleHint[chosen]}
        options={Object.entries(usersText.roles).map(([value, label]) => ({ value, label }))}
      />
      <div>
        <Button type="submit" kind="primary" disabled={chosen === role} isBusy={form.isBusy.value}>
          {text.changeRole}
        </Button>
      </div>
    </Form>
  );
}
