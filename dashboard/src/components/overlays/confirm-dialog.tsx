// Asks once before something that cannot be undone, naming it. What the server says against it is shown here too.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { type Failure, toFailure } from '../../api/failure.ts';
import { componentText } from '../../text/components.ts';
import { Button } from '../button.tsx';
import { FailureNotice } from '../feedback/notice.tsx';
import { Dialog } from './dialog.tsx';

interface ConfirmDialogProps {
  title: string;
  /** What follows from it. */
  children: ComponentChildren;
  /** What the button does, as a verb. */
  action: string;
  kind?: 'danger' | 'primary';
  /** What has to be typed first, where a slip would cost too much. */
  typed?: { label: string; name: string };
  /** Rejects with Failure; the dialog stays open then. */
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, action, kind = 'danger', typed, onConfirm, onClose } = props;
  const isBusy = useSignal(false);
  const failure = useSignal<Failure | undefined>(undefined);
  const given = useSignal('');
  const id = useId();
  const confirm = async () => {
    isBusy.value = true;
    failure.value = undefined;
    try {
      await onConfirm();
    } catch (error) {
      failure.value = toFailure(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button kind="quiet" onClick={onClose}>
            {componentText.cancel}
          </Button>
          <Button
            kind={kind}
            isBusy={isBusy.value}
            disabled={typed !== undefined && given.value.trim() !== typed.name}
            onClick={confirm}
          >
            {action}
          </Button>
        </>
      }
    >
      {failure.value && <FailureNotice failure={failure.value} />}
      <div class="soft">{children}</div>
      {typed && (
        <div class="field">
          <label for={id}>{typed.label}</label>
          <input
            id={id}
            class="input"
            autoComplete="off"
            spellcheck={false}
            value={given.value}
            onInput={(event) => {
              given.value = event.currentTarget.value;
            }}
          />
        </div>
      )}
    </Dialog>
  );
}
