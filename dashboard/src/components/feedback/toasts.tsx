// Short messages about what was done just now. Read out by screen readers; they leave by themselves unless something
// went wrong.
import { signal } from '@preact/signals';
import type { Failure } from '../../api/failure.ts';
import { componentText } from '../../text/components.ts';
import { Button, IconButton } from '../button.tsx';
import { Icon } from '../icon.tsx';
import './toasts.css';

export interface Toast {
  kind?: 'good' | 'note' | 'warning' | 'failure';
  title: string;
  detail?: string | undefined;
  /** Something to do about it; the message is gone once that is chosen. */
  action?: { label: string; onChoose: () => void };
}

const shownMs = 6000;
/** Long enough to read it, think, and reach the button. */
const shownWithActionMs = 20_000;
const maxShown = 4;
const toasts = signal<(Toast & { id: number })[]>([]);
let count = 0;

export function showToast(toast: Toast): void {
  const id = ++count;
  toasts.value = [...toasts.peek(), { ...toast, id }].slice(-maxShown);
  if (toast.kind !== 'failure') setTimeout(() => dismiss(id), toast.action ? shownWithActionMs : shownMs);
}

export function showFailure(failure: Failure): void {
  showToast({ kind: 'failure', title: failure.message, detail: failure.nextStep });
}

function dismiss(id: number): void {
  toasts.value = toasts.peek().filter((toast) => toast.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" aria-live="polite" role="status">
      {toasts.value.map(({ id, kind = 'good', title, detail, action }) => (
        <div key={id} class={`toast ${kind}`} role={kind === 'failure' ? 'alert' : undefined}>
          <Icon name={kind === 'good' ? 'check' : kind === 'note' ? 'info' : 'warning'} />
          <div>
            <strong>{title}</strong>
            {detail && <p class="soft">{detail}</p>}
            {action && (
              <Button
                size="small"
                onClick={() => {
                  dismiss(id);
                  action.onChoose();
                }}
              >
                {action.label}
              </Button>
            )}
          </div>
          <IconButton icon="close" label={componentText.dismiss} onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
