// The pages before anybody has signed in: the form that makes the first administrator, signing in (after which app.tsx shows the
// page that was asked for), a new account where the operator leaves that open, and a forgotten password. The token of a reset
// link stands behind `#` and leaves the address at once, so that it is neither kept in the history nor passed on.
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, Failure } from '../../../api/client.ts';
import { ButtonLink } from '../../../components/button.tsx';
import { Notice } from '../../../components/feedback.tsx';
import { TextField } from '../../../components/forms/fields.tsx';
import { Form, SubmitButton, useForm } from '../../../components/forms/form.tsx';
import { navigate, type PageProps, place } from '../../../router/location.ts';
import { signedOutBecause } from '../../../session/session.ts';
import { refreshSetup, setup, signIn } from '../../../session/sign-in.ts';
import { NewPasswordField, SignInForm, UsernameField } from '../../../session/sign-in-form.tsx';
import { sessionText } from '../../../text/components.ts';
import { SessionFrame } from './session-frame.tsx';

const text = {
  signUp: 'Create account',
  back: 'Back to sign in',
  title: 'Create the administrator',
  again: 'Request a new link',
};

export function FirstRunPage() {
  const given = new URLSearchParams(place.value.search).get('code') ?? '';
  const form = useForm({ username: '', password: '', code: given });
  const { code_needed = false } = setup.value ?? {};
  const create = async ({ username, password, code }: { username: string; password: string; code: string }) => {
    try {
      await call('create_user_public', {
        query: code_needed ? { code: code.trim() } : {},
        json: { username, password, roles: ['admin'] },
      });
    } catch (error) {
      if (error instanceof Failure && error.code === 'setup_code_required') return form.refuse({ code: error.message });
      // Somebody else was first: the page to sign in takes over.
      if (error instanceof Failure && error.status === 401) await refreshSetup();
      throw error;
    }
    await signIn(username, password);
    await refreshSetup();
    navigate('/', { isReplacing: true });
  };
  return (
    <SessionFrame
      title={text.title}
      words="This installation has no accounts yet. The administrator manages it and can add other users."
    >
      <Form form={form} label={text.title} onSubmit={create}>
        <UsernameField form={form} />
        <NewPasswordField {...form.at('password')} label={sessionText.password} username={form.values.value.username} />
        {code_needed && (
          <TextField
            {...form.at('code')}
            label="Set-up code"
            hint="Weft printed it when it started."
            autoComplete="one-time-code"
            isMono
          />
        )}
        <SubmitButton form={form}>Create administrator</SubmitButton>
      </Form>
    </SessionFrame>
  );
}

export function SignInPage() {
  const because = signedOutBecause.value;
  return (
    <SessionFrame
      title={sessionText.signIn}
      foot={
        <>
          <a href="/recover-password">Forgot your password?</a>
          {setup.value !== undefined && setup.value.signup !== 'closed' && (
            <span>
              No account yet? <a href="/sign-up">{text.signUp}</a>
            </span>
          )}
        </>
      }
    >
      {because && <Notice title={because === 'chosen' ? 'You are signed out.' : 'You signed out in another tab.'} />}
      <SignInForm />
    </SessionFrame>
  );
}

export function SignUpPage({ title }: PageProps) {
  const form = useForm({ username: '', password: '' });
  const [waiting, setWaiting] = useState<string | undefined>(undefined);
  const mustWait = setup.value?.signup === 'approve';
  return (
    <SessionFrame
      title={title}
      foot={
        <span>
          Already have an account? <a href="/sign-in">{sessionText.signIn}</a>
        </span>
      }
    >
      {waiting !== undefined && (
        <Notice
          kind="good"
          title="Your account waits for approval"
          words={`Ask an administrator to approve ${waiting} under Users. Then sign in with the password that you chose.`}
        />
      )}
      {waiting === undefined && mustWait && (
        <Notice title="New accounts need approval">
          You can sign in as soon as an administrator has approved your account.
        </Notice>
      )}
      {waiting === undefined && (
        <Form
          form={form}
          label={title}
          onSubmit={async ({ username, password }) => {
            await call('sign_up', { json: { username, password } });
            if (mustWait) setWaiting(username.trim());
            else await signIn(username, password);
          }}
        >
          <UsernameField form={form} />
          <NewPasswordField
            {...form.at('password')}
            label={sessionText.password}
            username={form.values.value.username}
          />
          <SubmitButton form={form}>{text.signUp}</SubmitButton>
        </Form>
      )}
    </SessionFrame>
  );
}

export function RecoverPasswordPage({ title }: PageProps) {
  const form = useForm({ username: '' });
  const [isSent, setSent] = useState(false);
  return (
    <SessionFrame
      title={title}
      {...(!isSent && {
        words: 'Enter your e-mail address. If it has an account, you receive a link within a minute.',
      })}
      foot={<a href="/sign-in">{text.back}</a>}
    >
      {isSent ? (
        <Notice
          kind="good"
          title="Check your e-mail"
          words="The link is valid for 60 minutes. No message? Check the address, or ask your administrator: without a mail server, Weft stores messages in its outbox folder."
        />
      ) : (
        <Form
          form={form}
          label={title}
          onSubmit={async ({ username }) => {
            await call('request_password_recovery', { json: { username } });
            setSent(true);
          }}
        >
          <UsernameField form={form} />
          <SubmitButton form={form}>Send link</SubmitButton>
        </Form>
      )}
    </SessionFrame>
  );
}

export function ResetPasswordPage({ title }: PageProps) {
  const { hash } = place.value;
  // Another link may be pasted into the same tab, which loads nothing again.
  const latest = useRef('');
  latest.current = new URLSearchParams(hash.slice(1)).get('token') || latest.current;
  const token = latest.current;
  const [usedToken, setUsedToken] = useState('');
  const isDone = token === usedToken;
  const form = useForm({ new_password: '' });
  useEffect(() => {
    // A link that was pasted before this ran is not yet read: it stays for the next time.
    if (hash !== '' && location.hash === hash) navigate('/reset-password', { isReplacing: true });
  }, [hash]);
  const signIn = <ButtonLink kind="primary" href="/sign-in" words={sessionText.signIn} />;
  if (token === '') {
    return (
      <SessionFrame title={title} foot={<a href="/sign-in">{text.back}</a>}>
        <Notice
          kind="warning"
          title="This link is incomplete"
          words="Open the full link from the e-mail, or request a new one."
        />
        <ButtonLink href="/recover-password">{text.again}</ButtonLink>
      </SessionFrame>
    );
  }
  return (
    <SessionFrame
      title={title}
      {...(!isDone && {
        words: 'After this, sign in with the new password. All sessions of this account end.',
        foot: <a href="/recover-password">{text.again}</a>,
      })}
    >
      {isDone ? (
        <>
          <Notice kind="good" title="Password changed" />
          {signIn}
        </>
      ) : (
        <Form
          form={form}
          label={title}
          onSubmit={async ({ new_password }) => {
            await call('reset_password', { json: { token, new_password } });
            setUsedToken(token);
          }}
        >
          <NewPasswordField {...form.at('new_password')} label="New password" hasFocus />
          <SubmitButton form={form}>Change password</SubmitButton>
        </Form>
      )}
    </SessionFrame>
  );
}
