// Dialogs over the page. The browser's own: it keeps the focus inside, closes with Escape, and gives the focus back.
import './dialog.css';
import { useSignal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { type Failure, toFailure } from '../api/client.ts';
import { queries } from '../data/use-operation.ts';
import { componentText } from '../text/components.ts';
import { Button, IconButton } from './button.tsx';
import { FailureNotice, showToast } from './feedback.tsx';

export function useFocus<Target extends HTMLElement>(isWanted = true): RefObject<Target> {
  const target = useRef<Target>(null);
  useLayoutEffect(() => {
    if (isWanted) target.current?.focus();
  }, [isWanted]);
  return target;
}

interface DialogProps {
  title: string;
  children: ComponentChildren;
  /** Absent: the dialog cannot be dismissed. */
  onClose?: (() => void) | undefined;
  /** At the foot, the main one last. */
  actions?: ComponentChildren;
  /** `drawer`: beside the page, for what is looked up. */
  width?: 'narrow' | 'wide' | 'drawer';
}

export function Dialog({ title, children, onClose, actions, width = 'narrow' }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    // The first field rather than the button that closes.
    dialog.querySelector<HTMLElement>('input:not([hidden]), select, textarea')?.focus();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog ${width}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      // A dialog that cannot be dismissed must not even blink: the next Escape would go to the page below, and clear a search.
      onKeyDown={(event) => !onClose && event.key === 'Escape' && event.preventDefault()}
      // A repeated request to close (the Back button of a phone) is granted whatever the page says: the dialog is shown again.
      // One that is no longer on the page was closed by it.
      onClose={() => element.current && (onClose ? onClose() : element.current.showModal())}
      onClick={(event) => event.target === element.current && onClose?.()}
    >
      <div class="inside">
        <header class="spread">
          <h2 id={id}>{title}</h2>
          {onClose && <IconButton icon="close" label="Close" onClick={onClose} />}
        </header>
        {children}
        {actions && <footer class="cluster">{actions}</footer>}
      </div>
    </dialog>
  );
}

interface ConfirmDialogProps {
  title: string;
  /** What follows from it; or what stands between the tags. */
  words?: ComponentChildren;
  children?: ComponentChildren;
  /** What the button does, as a verb. */
  action: string;
  kind?: 'danger' | 'primary';
  /** What has to be typed first, where a slip would cost too much. */
  typed?: { label: string; name: string };
  /** Rejects with Failure; the dialog stays open then. */
  onConfirm: () => Promise<unknown>;
  /** What is asked for again then, by how the names of operations begin. */
  changes?: readonly string[];
  /** What is said then; the dialog closes. */
  done?: string;
  /** What follows instead of closing, such as going elsewhere: after `changes`, which the page that is left still shows. */
  onDone?: () => void;
  onClose: () => void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, words, action, kind = 'danger', typed, onConfirm, changes = [], done, onDone, onClose } = props;
  const isBusy = useSignal(false);
  const failure = useSignal<Failure | undefined>(undefined);
  const given = useSignal('');
  const id = useId();
  const confirm = async () => {
    isBusy.value = true;
    failure.value = undefined;
    try {
      await onConfirm();
      for (const changed of changes) queries.refresh(changed);
      if (done === undefined) return;
      showToast({ title: done });
      (onDone ?? onClose)();
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
          <Button kind="quiet" onClick={onClose} words={componentText.cancel} />
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
      <div class="soft">{props.children ?? words}</div>
      {typed && (
        <div class="field">
          <label for={id}>{typed.label}</label>
          <input
            id={id}
            class="input"
            autoCapitalize="none"
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
