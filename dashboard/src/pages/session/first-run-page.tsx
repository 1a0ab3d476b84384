// The very first visit: one form makes the administrator and signs them in.
import { call } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/forms/fields.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { PasswordField } from '../../components/forms/password-field.tsx';
import { navigate, place } from '../../router/location.ts';
import { refreshSetup, setup } from '../../session/setup-state.ts';
import { signIn } from '../../session/sign-in.ts';
import { sessionText } from '../../text/session.ts';
import { SessionFrame } from './session-frame.tsx';

export function FirstRunPage() {
  const text = sessionText.firstRun;
  const given = new URLSearchParams(place.value.search).get('code') ?? '';
  const form = useForm({ username: '', password: '', code: given });
  const { code_needed = false, password_length } = setup.value ?? {};
  const create = async ({ username, password, code }: { username: string; password: string; code: string }) => {
    try {
      await call('create_user_public', {
        query: code_needed ? { code: code.trim() } : {},
        json: { username, password, roles: ['admin'] },
      });
    } catch (error) {
      if (error instanceof Failure && error.code === 'setup_code_required') {
        form.problems.value = { code: error.message };
        return;
      }
      // Somebody else was first: the page to sign in takes over.
      if (error instanceof Failure && error.status === 401) await refreshSetup();
      throw error;
    }
    await signIn(username, password);
    await refreshSetup();
    navigate('/', { isReplacing: true });
  };
  return (
    <SessionFrame title={text.title} words={text.words}>
      <Form form={form} label={text.title} onSubmit={create}>
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
          minLength={password_length?.min ?? 8}
          own={form.values.value.username.split(/[@.]/)}
        />
        {code_needed && (
          <TextField
            form={form}
            name="code"
            label={text.code}
            hint={text.codeHint}
            autoComplete="one-time-code"
            isMono
          />
        )}
        <Button type="submit" kind="primary" isBusy={form.isBusy.value}>
          {text.submit}
        </Button>
      </Form>
    </SessionFrame>
  );
}
