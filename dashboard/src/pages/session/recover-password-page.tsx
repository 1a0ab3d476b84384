// Asks for the message with the reset link. The answer is the same whether the account exists or not.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { TextField } from '../../components/forms/fields.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { pageTitles } from '../../text/pages.ts';
import { sessionText } from '../../text/session.ts';
import { SessionFrame } from './session-frame.tsx';

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
        <Notice kind="good" title={text.sent}>
          {text.sentWords}
        </Notice>
      ) : (
        <Form
          form={form}
          label={pageTitles.recoverPassword}
          onSubmit={async ({ username }) => {
            await call('request_password_recovery', { json: { username } });
            setSent(true);
          }}
        >
          <TextField
            form={form}
            name="username"
            label={sessionText.username}
            type="email"
            autoComplete="username"
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
