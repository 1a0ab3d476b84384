// A button that opens a list of actions or choices. Arrows move, Enter chooses, Escape and a click elsewhere close.
import './menu.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './button.tsx';

export interface MenuItem {
  label: string;
  icon?: IconName;
  hint?: string;
  /** For choices: whether this is the one in force. */
  isChosen?: boolean;
  onChoose: () => void;
}

interface MenuProps {
  label: string;
  /** What the button shows. */
  children: ComponentChildren;
  items: readonly MenuItem[];
  /** Which edge of the button the list keeps to. */
  align?: 'start' | 'end';
  /** Whether it opens upwards, for a button at the foot of the screen. */
  isUp?: boolean;
  kind?: 'plain' | 'quiet';
  header?: ComponentChildren;
}

export function Menu({ label, children, items, align = 'end', isUp = false, kind = 'quiet', header }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const entries = () => [...(frame.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];

  useEffect(() => {
    if (!isOpen) return;
    const chosen = entries().find((entry) => entry.getAttribute('aria-checked') === 'true') ?? entries()[0];
    chosen?.focus();
    const closeElsewhere = (event: Event) => {
      if (!frame.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', closeElsewhere);
    return () => document.removeEventListener('pointerdown', closeElsewhere);
  }, [isOpen]);

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen) return;
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 };
    if (event.key === 'Escape' || event.key === 'Tab') {
      if (event.key === 'Escape') event.preventDefault();
      event.stopPropagation();
      close();
    } else if (moves[event.key] !== undefined) {
      event.preventDefault();
      all[(moves[event.key]! + all.length) % all.length]?.focus();
    }
  };
  const isChoice = items.some(({ isChosen }) => isChosen !== undefined);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys bubble up from the items, which take the focus
    <div class="menu" ref={frame} onKeyDown={onKeyDown}>
      <button
        ref={button}
        type="button"
        class={`button ${kind}`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && (
        <div class={`menu-list ${align} ${isUp ? 'up' : ''}`}>
          {header && <div class="menu-header">{header}</div>}
          <div role="menu" id={id} aria-label={label}>
            {items.map((item) => (
              // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role that goes with a choice supports it
              <button
                key={item.label}
                type="button"
                role={isChoice ? 'menuitemradio' : 'menuitem'}
                aria-checked={isChoice ? item.isChosen === true : undefined}
                tabIndex={-1}
                onClick={() => {
                  close();
                  item.onChoose();
                }}
              >
                {item.icon && <Icon name={item.icon} size={16} />}
                <span>{item.label}</span>
                {item.hint && <span class="faint small">{item.hint}</span>}
                {item.isChosen && <Icon name="check" size={16} />}
              </button>
            ))}
          </div>
        </div>
      )}
    </div>
  );
}
