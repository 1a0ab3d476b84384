// Copies a text and says so. Where the browser forbids it (a page without TLS beyond this machine), says what to do.
import { useState } from 'preact/hooks';
import { componentText } from '../text/components.ts';
import { IconButton } from './button.tsx';
import { showToast } from './feedback/toasts.tsx';

export function CopyButton({ text, label = componentText.copy }: { text: string; label?: string }) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), 1500);
    } catch {
      showToast({ kind: 'warning', title: componentText.copyFailed });
    }
  };
  return (
    <>
      <IconButton icon={isDone ? 'check' : 'copy'} label={isDone ? componentText.copied : label} onClick={copy} />
      <span class="visually-hidden" aria-live="polite">
        {isDone ? componentText.copied : ''}
      </span>
    </>
  );
}
