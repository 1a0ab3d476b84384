// A dialog over the page. The browser's own: it keeps the focus inside, closes with Escape, and gives the focus back.
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { componentText } from '../../text/components.ts';
import { IconButton } from '../button.tsx';
import './dialog.css';

interface DialogProps {
  title: string;
  children: ComponentChildren;
  /** Absent: the dialog cannot be dismissed. */
  onClose?: (() => void) | undefined;
  /** At the foot, the main one last. */
  actions?: ComponentChildren;
  width?: 'narrow' | 'wide';
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
          {onClose && <IconButton icon="close" label={componentText.close} onClick={onClose} />}
        </header>
        {children}
        {actions && <footer class="cluster">{actions}</footer>}
      </div>
    </dialog>
  );
}
