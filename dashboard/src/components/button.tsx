// Buttons, and links that look like them.
import type { ComponentChildren, JSX } from 'preact';
import './button.css';
import { Icon, type IconName } from './icon.tsx';

type Kind = 'primary' | 'plain' | 'quiet' | 'danger';

interface Look {
  kind?: Kind;
  size?: 'normal' | 'small' | 'large';
  icon?: IconName | undefined;
}

type ButtonProps = Look &
  Omit<JSX.HTMLAttributes<HTMLButtonElement>, 'size' | 'icon'> & {
    /** Work is under way: the button keeps its place and cannot be pressed twice. */
    isBusy?: boolean;
    type?: 'button' | 'submit';
    disabled?: boolean;
    children?: ComponentChildren;
  };

export function Button({ kind = 'plain', size = 'normal', icon, isBusy = false, children, ...rest }: ButtonProps) {
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
  download?: string;
  children?: ComponentChildren;
};

export function ButtonLink({ kind = 'plain', size = 'normal', icon, children, ...rest }: ButtonLinkProps) {
  return (
    <a class={`button ${kind} ${size}`} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}

type IconButtonProps = Omit<ButtonProps, 'children' | 'icon' | 'label'> & { icon: IconName; label: string };

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
