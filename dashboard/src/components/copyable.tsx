// Text to be taken elsewhere: a button that copies it, text for programs (configuration, answers, command lines), and a secret
// that was just made and is shown once.
import './copyable.css';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button, IconButton } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Notice, showToast } from './feedback.tsx';

const copied = 'Copied';

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), 1500);
    } catch {
      showToast({ kind: 'warning', title: 'Copying failed. Select the text and copy it with the keyboard.' });
    }
  };
  return (
    <>
      <IconButton icon={isDone ? 'check' : 'copy'} label={isDone ? copied : label} onClick={copy} />
      <span class="visually-hidden" aria-live="polite">
        {isDone ? copied : ''}
      </span>
    </>
  );
}

export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <figure class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} />
    </figure>
  );
}

/** JSON of anything, indented. */
export function JsonBlock({ value, label }: { value: unknown; label: string }) {
  return <CodeBlock text={JSON.stringify(value, null, 2)} label={label} />;
}

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
    <Dialog title={title} actions={<Button kind="primary" onClick={onClose} words={done} />}>
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

/** A number or a key with its button. */
export function CopyableCode({ text }: { text: string }) {
  return (
    <>
      <code>{text}</code>
      <CopyButton text={text} />
    </>
  );
}

/** As the browser saves what is downloaded. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
