// The quiet page around signing in: the mark, one card, a way out.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { WeftMark } from '../../components/button.tsx';
import { sessionText } from '../../text/session.ts';
import { shellText } from '../../text/shell.ts';
import './session-frame.css';

interface SessionFrameProps {
  title: string;
  words?: string;
  children: ComponentChildren;
  /** Below the card. */
  foot?: ComponentChildren;
}

export function SessionFrame({ title, words, children, foot }: SessionFrameProps) {
  useEffect(() => {
    document.title = `${title} · ${shellText.product}`;
  }, [title]);
  return (
    <main class="session-frame">
      <div class="brand">
        <WeftMark size={44} />
        <div>
          <strong>{shellText.product}</strong>
          <span class="faint">{sessionText.tagline}</span>
        </div>
      </div>
      <div class="card">
        <h1 tabIndex={-1}>{title}</h1>
        {words && <p class="soft">{words}</p>}
        {children}
      </div>
      {foot && <div class="foot soft">{foot}</div>}
    </main>
  );
}
