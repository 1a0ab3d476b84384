// The form of a name and a password, on the sign-in page and in the dialog that an ended session opens.
import { Button } from '../components/button.tsx';
import { TextField } from '../components/forms/fields.tsx';
import { Form, useForm } from '../components/forms/form.tsx';
import { PasswordField } from '../components/forms/password-field.tsx';
import { sessionText } from '../text/session.ts';
import { signIn } from './sign-in.ts';

interface SignInFormProps {
  /** Fixed: only the password is asked for. */
  username?: string;
}

export function SignInForm({ username }: SignInFormProps) {
  const form = useForm({ username: username ?? '', password: '' });
  return (
    <Form form={form} label={sessionText.signIn} onSubmit={(values) => signIn(values.username, values.password)}>
      {username === undefined ? (
        <TextField
          form={form}
          name="username"
          label={sessionText.username}
          type="email"
          autoComplete="username"
          hasFocus
        />
      ) : (
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      )}
      <PasswordField form={form} name="password" label={sessionText.password} hasFocus={username !== undefined} />
      <Button type="submit" kind="primary" isBusy={form.isBusy.value}>
        {sessionText.signIn}
      </Button>
    </Form>
  );
}
