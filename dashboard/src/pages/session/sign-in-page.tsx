// Signing in; app.tsx then shows the page that was asked for.
import { Notice } from '../../components/feedback/notice.tsx';
import { signedOutBecause } from '../../session/session.ts';
import { setup } from '../../session/setup-state.ts';
import { SignInForm } from '../../session/sign-in-form.tsx';
import { sessionText } from '../../text/session.ts';
import { SessionFrame } from './session-frame.tsx';

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
