// The form of a name and a password, on the sign-in page and in the dialog over a page whose session has ended: after signing in
// again, everything below is as it was.
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/forms/fields.tsx';
import { Form, type FormState, SubmitButton, useForm } from '../components/forms/form.tsx';
import { PasswordField } from '../components/forms/password-field.tsx';
import { sessionText } from '../text/components.ts';
import { isExpired, leaveSession, session } from './session.ts';
import { setup, signIn } from './sign-in.ts';

interface SignInFormProps {
  /** Fixed: only the password is asked for. */
  username?: string;
}

export function SignInForm({ username }: SignInFormProps) {
  const form = useForm({ username: username ?? '', password: '' });
  return (
    <Form form={form} label={sessionText.signIn} onSubmit={(values) => signIn(values.username, values.password)}>
      {username === undefined ? (
        <UsernameField form={form} />
      ) : (
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      )}
      <PasswordField {...form.at('password')} label={sessionText.password} hasFocus={username !== undefined} />
      <SubmitButton form={form}>{sessionText.signIn}</SubmitButton>
    </Form>
  );
}

export function ExpiredDialog() {
  if (!isExpired.value) return null;
  const username = session.value?.username ?? '';
  return (
    <Dialog
      title="Sign in to continue"
      actions={<Button kind="quiet" onClick={leaveSession} words="Sign in as another user" />}
    >
      <p class="soft">Your session has ended. This page and your input are kept.</p>
      <p class="mono">{username}</p>
      <SignInForm username={username} />
    </Dialog>
  );
}

export function UsernameField<Values extends { username: string }>({ form }: { form: FormState<Values & Texts> }) {
  return <TextField {...form.at('username')} label="E-mail address" type="email" autoComplete="username" hasFocus />;
}

type Texts = Record<string, string>;

interface NewPasswordProps<Values extends Texts> {
  form: FormState<Values>;
  name: keyof Values & string;
  label: string;
  /** Whose it is: what is in the name is easy to guess. */
  username?: string;
  hasFocus?: boolean;
}

/** As long as this Weft asks for. */
export function NewPasswordField<Values extends Texts>({ username = '', ...rest }: NewPasswordProps<Values>) {
  const minLength = setup.value?.password_length.min ?? 8;
  return <PasswordField {...rest} isNew minLength={minLength} own={username.split(/[@.]/)} />;
}
