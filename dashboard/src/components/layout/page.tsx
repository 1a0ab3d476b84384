// The frame of every page: its title, what can be done with it, and its matter. Takes the focus when it is gone to.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { hasGoneElsewhere } from '../../router/location.ts';
import { shellText } from '../../text/shell.ts';
import './page.css';

interface PageFrameProps {
  title: string;
  /** Beside the title: a chip, a way back. */
  beside?: ComponentChildren;
  actions?: ComponentChildren;
  /** The matter fills the window and scrolls by itself, as a long list or a map does. */
  isFilling?: boolean;
  children: ComponentChildren;
}

export function Page({ title, beside, actions, isFilling = false, children }: PageFrameProps) {
  useEffect(() => {
    document.title = `${title} · ${shellText.product}`;
  }, [title]);
  const heading = useRef<HTMLHeadingElement>(null);
  // After going to another page its title has the focus, so that keyboard and screen reader begin there.
  useEffect(() => {
    const isTyping = document.activeElement?.matches('input, select, textarea, dialog *');
    if (hasGoneElsewhere() && !isTyping) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div class={`page ${isFilling ? 'is-filling' : ''}`}>
      <header class="page-header">
        <h1 tabIndex={-1} ref={heading}>
          {title}
        </h1>
        {beside}
        {actions && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
