// Asks before an account is disabled, or enabled again, and says what follows.
import { call } from '../../api/client.ts';
import { showToast } from '../../components/feedback/toasts.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { usersText } from '../../text/users.ts';
import { guardedChange } from './guarded-change.ts';

const text = usersText.one;

interface DisableUserDialogProps {
  username: string;
  isDisabled: boolean;
  /** Nothing was changed. */
  onBack: () => void;
  onDone: () => void;
}

export function DisableUserDialog({ username, isDisabled, onBack, onDone }: DisableUserDialogProps) {
  const path = { username };
  const words = isDisabled ? text.enabling : text.disabling;
  return (
    <ConfirmDialog
      title={words.title(username)}
      action={words.action}
      kind={isDisabled ? 'primary' : 'danger'}
      onClose={onBack}
      onConfirm={async () => {
        await guardedChange<unknown>(isDisabled ? call('enable_user', { path }) : call('disable_user', { path }));
        showToast({ title: words.done(username) });
        onDone();
      }}
    >
      <p class="user-follows">{words.ends}</p>
      <p class="user-follows">{words.stays}</p>
    </ConfirmDialog>
  );
}
