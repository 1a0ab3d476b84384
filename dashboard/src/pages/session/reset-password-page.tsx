// Where the link of a recovery message leads. The token stands behind `#` and leaves the address at once, so that it is
// neither kept in the history nor passed on.
import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { PasswordField } from '../../components/forms/password-field.tsx';
import { navigate, place } from '../../router/location.ts';
import { setup } from '../../session/setup-state.ts';
import { pageTitles } from '../../text/pages.ts';
import { sessionText } from '../../text/session.ts';
import { SessionFrame } from './session-frame.tsx';

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
  useEffect(() => navigate('/reset-password', { isReplacing: true }), [hash]);
  const signIn = (
    <ButtonLink kind="primary" href="/sign-in">
      {sessionText.signIn}
    </ButtonLink>
  );
  if (token === '') {
    return (
      <SessionFrame title={pageTitles.resetPassword} foot={<a href="/sign-in">{sessionText.back}</a>}>
        <Notice kind="warning" title={text.noToken}>
          {text.noTokenWords}
        </Notice>
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
          <PasswordField
            form={form}
            name="new_password"
            label={sessionText.newPassword}
            isNew
            minLength={setup.value?.password_length.min ?? 8}
            hasFocus
          />
          <Button type="submit" kind="primary" isBusy={form.isBusy.value}>
            {text.submit}
          </Button>
        </Form>
      )}
    </SessionFrame>
  );
}
