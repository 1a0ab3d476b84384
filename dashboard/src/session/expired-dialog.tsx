// Over the page when the session has ended: sign in again, and everything below is as it was.
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/overlays/dialog.tsx';
import { sessionText } from '../text/session.ts';
import { isExpired, leaveSession, session } from './session.ts';
import { SignInForm } from './sign-in-form.tsx';

export function ExpiredDialog() {
  if (!isExpired.value) return null;
  const text = sessionText.expired;
  const username = session.value?.username ?? '';
  return (
    <Dialog
      title={text.title}
      actions={
        <Button kind="quiet" onClick={leaveSession}>
          {text.other}
        </Button>
      }
    >
      <p class="soft">{text.words}</p>
      <p class="mono">{username}</p>
      <SignInForm username={username} />
    </Dialog>
  );
}
