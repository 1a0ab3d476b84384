// The quiet page around signing in: the mark, one card, a way out.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { WeftMark } from '../../../components/button.tsx';
import { shellText } from '../../../text/components.ts';
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
          <span class="faint">One controller for 5G, WiFi and LiFi</span>
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
