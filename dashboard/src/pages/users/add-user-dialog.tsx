// Makes an account for somebody; the password that was made for it is shown once.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/forms/fields.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { PasswordStrength } from '../../components/forms/password-field.tsx';
import { SecretOnce } from '../../components/forms/secret-once.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { randomPassword } from '../../session/random-secret.ts';
import { setup } from '../../session/setup-state.ts';
import { usersText } from '../../text/users.ts';
import { refreshUsers } from './guarded-change.ts';

export function AddUserDialog({ onClose }: { onClose: () => void }) {
  const form = useForm({ username: '', password: '', roles: 'user' });
  const [made, setMade] = useState<{ username: string; password: string } | undefined>(undefined);
  const { roles: role, password: chosen, username: name } = form.values.value;
  const minLength = setup.value?.password_length.min ?? 8;
  if (made) {
    const text = usersText.secret;
    return (
      <SecretOnce
        title={text.title(made.username)}
        label={text.label}
        secret={made.password}
        warning={text.warning}
        done={text.done}
        onClose={onClose}
      />
    );
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
        <TextField form={form} name="username" label={usersText.name} type="email" autoComplete="off" hasFocus />
        <SelectField
          form={form}
          name="roles"
          label={usersText.role}
          hint={usersText.roleHint[role]}
          options={Object.entries(usersText.roles)
            .map(([value, label]) => ({ value, label }))
            .reverse()}
        />
        <TextField
          form={form}
          name="password"
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
        <Button type="submit" kind="primary" isBusy={form.isBusy.value}>
          {usersText.create}
        </Button>
      </Form>
    </Dialog>
  );
}
