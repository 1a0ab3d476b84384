// A secret that was just made: in clear, once, with a way to copy it.
import type { ComponentChildren } from 'preact';
import { Button } from '../button.tsx';
import { CopyButton } from '../copy-button.tsx';
import { Notice } from '../feedback/notice.tsx';
import { Dialog } from '../overlays/dialog.tsx';
import './secret-once.css';

interface SecretOnceProps {
  title: string;
  label: string;
  secret: string;
  warning: string;
  done: string;
  children?: ComponentChildren;
  onClose: () => void;
}

export function SecretOnce({ title, label, secret, warning, done, children, onClose }: SecretOnceProps) {
  // Only its own button closes it: a stray click must not take away what cannot be shown again.
  return (
    <Dialog
      title={title}
      actions={
        <Button kind="primary" onClick={onClose}>
          {done}
        </Button>
      }
    >
      <div>
        <p class="soft">{label}</p>
        <div class="secret-once">
          <output aria-label={label}>{secret}</output>
          <CopyButton text={secret} />
        </div>
      </div>
      <Notice kind="warning" title={warning} />
      {children}
    </Dialog>
  );
}
