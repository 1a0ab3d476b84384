// Over the page when somebody is about to leave unsaved work.
import { ConfirmDialog } from '../components/overlays/confirm-dialog.tsx';
import { heldBack, leave, stay } from '../router/leaving.ts';
import { shellText } from '../text/shell.ts';

export function LeaveDialog() {
  if (!heldBack.value) return null;
  const text = shellText.leaving;
  return (
    <ConfirmDialog title={text.title} action={text.discard} onClose={stay} onConfirm={async () => leave()}>
      {text.words}
    </ConfirmDialog>
  );
}
