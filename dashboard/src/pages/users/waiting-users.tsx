// Accounts that somebody created and that an administrator has to approve.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { toFailure } from '../../api/failure.ts';
import type { WaitingUser } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { showFailure, showToast } from '../../components/feedback/toasts.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { formatMoment } from '../../format/times.ts';
import { usersText } from '../../text/users.ts';
import { guardedChange } from './guarded-change.ts';

const text = usersText.waiting;

export function WaitingUsers({ users }: { users: readonly WaitingUser[] }) {
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const approve = async (username: string) => {
    try {
      await guardedChange(call('approve_user', { path: { username } }));
      showToast({ title: text.approved(username) });
    } catch (error) {
      showFailure(toFailure(error));
    }
  };
  return (
    <section class="card waiting-users" aria-labelledby="waiting-users">
      <h2 id="waiting-users">{text.title(String(users.length))}</h2>
      <p class="soft">{text.words}</p>
      <ul>
        {users.map(({ username, waiting_since }) => (
          <li key={username}>
            <div>
              {username} <span class="faint small">{text.since(formatMoment(Date.parse(waiting_since)))}</span>
            </div>
            <div class="acts">
              <Button size="small" aria-label={text.refuseOf(username)} onClick={() => setRefused(username)}>
                {text.refuse}
              </Button>
              <Button
                size="small"
                kind="primary"
                aria-label={text.approveOf(username)}
                onClick={() => approve(username)}
              >
                {text.approve}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {refused !== undefined && (
        <ConfirmDialog
          title={text.refuseTitle(refused)}
          action={text.refuse}
          onClose={() => setRefused(undefined)}
          onConfirm={async () => {
            await guardedChange(call('refuse_user', { path: { username: refused } }));
            showToast({ title: text.refused(refused) });
            setRefused(undefined);
          }}
        >
          {text.refuseWords}
        </ConfirmDialog>
      )}
    </section>
  );
}
