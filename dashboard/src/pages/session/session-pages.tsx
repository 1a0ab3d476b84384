// The pages before anybody has signed in: the form that makes the first administrator, signing in (after which app.tsx shows the
// page that was asked for), a new account where the operator leaves that open, and a forgotten password. The token of a reset
// link stands behind `#` and leaves the address at once, so that it is neither kept in the history nor passed on.
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, Failure } from '../../api/client.ts';
import { ButtonLink } from '../../components/button.tsx';
import { Notice } from '../../components/feedback.tsx';
import { TextField } from '../../components/forms/fields.tsx';
import { Form, SubmitButton, useForm } from '../../components/forms/form.tsx';
import { navigate, place } from '../../router/location.ts';
import { signedOutBecause } from '../../session/session.ts';
import { refreshSetup, setup, signIn } from '../../session/sign-in.ts';
import { NewPasswordField, SignInForm, UsernameField } from '../../session/sign-in-form.tsx';
import { pageTitles } from '../../text/components.ts';
import { sessionText } from '../../text/session.ts';
import { SessionFrame } from './session-frame.tsx';

export function FirstRunPage() {
  const text = sessionText.firstRun;
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
    <SessionFrame title={text.title} words={text.words}>
      <Form form={form} label={text.title} onSubmit={create}>
        <UsernameField form={form} />
        <NewPasswordField {...form.at('password')} label={sessionText.password} username={form.values.value.username} />
        {code_needed && (
          <TextField {...form.at('code')} label={text.code} hint={text.codeHint} autoComplete="one-time-code" isMono />
        )}
        <SubmitButton form={form}>{text.submit}</SubmitButton>
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
          <a href="/recover-password">{sessionText.forgot}</a>
          {setup.value !== undefined && setup.value.signup !== 'closed' && (
            <span>
              {sessionText.noAccount} <a href="/sign-up">{sessionText.signUp}</a>
            </span>
          )}
        </>
      }
    >
      {because && <Notice title={because === 'chosen' ? sessionText.signedOut : sessionText.signedOutElsewhere} />}
      <SignInForm />
    </SessionFrame>
  );
}

export function SignUpPage() {
  const form = useForm({ username: '', password: '' });
  const [waiting, setWaiting] = useState<string | undefined>(undefined);
  const mustWait = setup.value?.signup === 'approve';
  const text = sessionText.approval;
  return (
    <SessionFrame
      title={pageTitles.signUp}
      foot={
        <span>
          {sessionText.haveAccount} <a href="/sign-in">{sessionText.signIn}</a>
        </span>
      }
    >
      {waiting !== undefined && <Notice kind="good" title={text.waits} words={text.waitsWords(waiting)} />}
      {waiting === undefined && mustWait && <Notice title={text.title}>{text.words}</Notice>}
      {waiting === undefined && (
        <Form
          form={form}
          label={pageTitles.signUp}
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
          <SubmitButton form={form}>{sessionText.signUp}</SubmitButton>
        </Form>
      )}
    </SessionFrame>
  );
}

export function RecoverPasswordPage() {
  const text = sessionText.recover;
  const form = useForm({ username: '' });
  const [isSent, setSent] = useState(false);
  return (
    <SessionFrame
      title={pageTitles.recoverPassword}
      {...(!isSent && { words: text.words })}
      foot={<a href="/sign-in">{sessionText.back}</a>}
    >
      {isSent ? (
        <Notice kind="good" title={text.sent} words={text.sentWords} />
      ) : (
        <Form
          form={form}
          label={pageTitles.recoverPassword}
          onSubmit={async ({ username }) => {
            await call('request_password_recovery', { json: { username } });
            setSent(true);
          }}
        >
          <UsernameField form={form} />
          <SubmitButton form={form}>{text.submit}</SubmitButton>
        </Form>
      )}
    </SessionFrame>
  );
}

export function ResetPasswordPage() {
  const text = sessionText.reset;
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
      <SessionFrame title={pageTitles.resetPassword} foot={<a href="/sign-in">{sessionText.back}</a>}>
        <Notice kind="warning" title={text.noToken} words={text.noTokenWords} />
        <ButtonLink href="/recover-password">{text.again}</ButtonLink>
      </SessionFrame>
    );
  }
  return (
    <SessionFrame
      title={pageTitles.resetPassword}
      {...(!isDone && { words: text.words, foot: <a href="/recover-password">{text.again}</a> })}
    >
      {isDone ? (
        <>
          <Notice kind="good" title={text.done} />
          {signIn}
        </>
      ) : (
        <Form
          form={form}
          label={pageTitles.resetPassword}
          onSubmit={async ({ new_password }) => {
            await call('reset_password', { json: { token, new_password } });
            setUsedToken(token);
          }}
        >
          <NewPasswordField {...form.at('new_password')} label={sessionText.newPassword} hasFocus />
          <SubmitButton form={form}>{text.submit}</SubmitButton>
        </Form>
      )}
    </SessionFrame>
  );
}
