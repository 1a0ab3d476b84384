// Icons, buttons, and links that look like them.
import './button.css';
import type { ComponentChildren, JSX } from 'preact';

const shapes = {
  overview: 'M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z',
  map: 'M9 4 4 6v14l5-2 6 2 5-2V4l-5 2zM9 4v14M15 6v14',
  agents:
    'M12 13v8M8 21h8M12 13a2 2 0 1 0 0-4 2 2 0 0 0 0 4M7.5 15.5a6.4 6.4 0 0 1 0-9M16.5 6.5a6.4 6.4 0 0 1 0 9M4.7 18.3a10.3 10.3 0 0 1 0-14.6M19.3 3.7a10.3 10.3 0 0 1 0 14.6',
  device: 'M7 3h10v18H7zM11 18h2',
  commands: 'M4 12h12M11 6l6 6-6 6M20 5v14',
  emulator: 'M9 3h6M10 3v6l-5.5 9.2A1.9 1.9 0 0 0 6.1 21h11.8a1.9 1.9 0 0 0 1.6-2.8L14 9V3M7.5 15h9',
  jobs: 'M4 6l1.5 1.5L8 5M4 12.5 5.5 14 8 11.5M4 19l1.5 1.5L8 18M11 6.5h9M11 13h9M11 19.5h9',
  apps: 'M9 3v4M15 3v4M6.5 7h11v5a5.5 5.5 0 0 1-11 0zM12 17.5V21',
  users:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2.5 20a6.5 6.5 0 0 1 13 0M16 4.3a3.5 3.5 0 0 1 0 6.4M18 14.2a6.5 6.5 0 0 1 3.5 5.8',
  compare: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  energy: 'M13 2.5 5 13.5h6.5L10.5 21.5 19 10h-6.5z',
  audit: 'M6 3h9l4 4v14H6zM14.5 3v4.5H19M9 12h7M9 16h7',
  settings:
    'M4 7h9M17 7h3M4 17h3M11 17h9M15 9.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4M9 19.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4',
  conflict: 'M4 8h11l-3-3M20 16H9l3 3',
  layers: 'M12 3 3 8l9 5 9-5zM3 12.5l9 5 9-5M3 17l9 5 9-5',
  mail: 'M3 6h18v12H3zM3 7l9 6.5L21 7',
  bell: 'M18 16H6l1.5-2.5V10a4.5 4.5 0 0 1 9 0v3.5zM10 19a2 2 0 0 0 4 0M12 3v2.5',
  events: 'M5 4v16M5 7h3M5 12h3M5 17h3M11 7h9M11 12h9M11 17h6',
  site: 'M4 21V8l8-5 8 5v13M4 21h16M9.5 21v-6h5v6M9 11h.01M15 11h.01',
  tag: 'M4 4h7l9 9-7 7-9-9zM8 8h.01',
  edit: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M16 16l4.5 4.5',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5',
  screen: 'M3 5h18v11H3zM9 20h6M12 16v4',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.5 21a7.5 7.5 0 0 1 15 0',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  check: 'M4.5 12.5 10 18 20 6.5',
  close: 'M6 6l12 12M18 6 6 18',
  'chevron-down': 'M6 9l6 6 6-6',
  'chevron-right': 'M9 6l6 6-6 6',
  'chevron-left': 'M15 6l-6 6 6 6',
  'sort-up': 'M12 19V6M6.5 11 12 5.5 17.5 11',
  'sort-down': 'M12 5v13M6.5 13l5.5 5.5 5.5-5.5',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 4.5v15l12-7.5z',
  download: 'M12 4v11M7 10.5l5 5 5-5M4 20h16',
  warning: 'M12 4 2.8 20h18.4zM12 10v4.5M12 17.3v.01',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 11v5.5M12 7.7v.01',
  'sign-out': 'M14 4H5v16h9M10 12h11M17 8l4 4-4 4',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 7v5.3l3.5 2',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6',
  filter: 'M4 5h16l-6.5 8v6l-3-1.5V13z',
  fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5M12 12h.01',
  shrink: 'M9 4v5H4M20 9h-5V4M15 20v-5h5M4 15h5v5',
  refresh: 'M20 5v5h-5M19.5 10A8 8 0 1 0 20 14',
  link: 'M10 14a4.5 4.5 0 0 0 6.5 0l3-3A4.6 4.6 0 0 0 13 4.5l-1 1M14 10a4.5 4.5 0 0 0-6.5 0l-3 3A4.6 4.6 0 0 0 11 19.5l1-1',
} as const;

export type IconName = keyof typeof shapes;

/** Says nothing to a screen reader: the words stand beside it, or in the label of its button. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width={name === 'more' ? 3 : 1.8}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={shapes[name]} />
    </svg>
  );
}

export function WeftMark({ size = 28 }: { size?: number }) {
  return (
    <svg
      class="weft-mark"
      width={size}
      height={size}
      viewBox="0 0 32 32"
      fill="none"
      stroke-width="5"
      stroke-linecap="round"
      aria-hidden="true"
    >
      <path stroke="var(--tech-5g)" d="M4 8h24" />
      <path stroke="var(--tech-wifi)" d="M4 16h24" />
      <path stroke="var(--tech-lifi)" d="M4 24h24" />
      <path stroke="var(--ink-faint)" d="M11 3.5v.01M11 12.5v7M11 28.5v.01M21 4v7M21 21v7.5" />
    </svg>
  );
}

type Kind = 'primary' | 'plain' | 'quiet' | 'danger';

interface Look {
  kind?: Kind;
  size?: 'normal' | 'small' | 'large';
  icon?: IconName | undefined;
  /** What it says; or what stands between the tags. */
  words?: ComponentChildren;
  children?: ComponentChildren;
}

export type ButtonProps = Look &
  Omit<JSX.HTMLAttributes<HTMLButtonElement>, 'size' | 'icon'> & {
    /** Work is under way: the button keeps its place and cannot be pressed twice. */
    isBusy?: boolean;
    type?: 'button' | 'submit';
    disabled?: boolean;
  };

export function Button(props: ButtonProps) {
  const { kind = 'plain', size = 'normal', icon, isBusy = false, words, children = words, ...rest } = props;
  return (
    <button
      type="button"
      {...rest}
      class={`button ${kind} ${size} ${rest.class ?? ''}`}
      aria-busy={isBusy}
      disabled={isBusy || rest.disabled}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

type ButtonLinkProps = Look & {
  href: string;
  'aria-label'?: string;
};

export function ButtonLink(props: ButtonLinkProps) {
  const { kind = 'plain', size = 'normal', icon, words, children = words, ...rest } = props;
  return (
    <a class={`button ${kind} ${size}`} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}

type IconButtonProps = Omit<ButtonProps, 'children' | 'words' | 'icon' | 'label'> & { icon: IconName; label: string };

/** Only an icon to the eye; `label` is its name for everybody else, and its tooltip. */
export function IconButton({ icon, label, kind = 'quiet', ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={`button icon-only ${kind} ${rest.class ?? ''}`}
      aria-label={label}
      title={label}
    >
      <Icon name={icon} />
    </button>
  );
}
