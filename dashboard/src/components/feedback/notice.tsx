// What is worth saying beside the page's own matter: a failure with its next step, a warning, a hint.
import type { ComponentChildren } from 'preact';
import type { Failure } from '../../api/failure.ts';
import { failureText } from '../../text/failures.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import './notice.css';

interface NoticeProps {
  kind?: 'note' | 'good' | 'warning' | 'failure';
  title: ComponentChildren;
  children?: ComponentChildren;
  action?: ComponentChildren;
}

export function Notice({ kind = 'note', title, children, action }: NoticeProps) {
  const icon = kind === 'good' ? 'check' : kind === 'note' ? 'info' : 'warning';
  return (
    <div class={`notice ${kind}`} role={kind === 'failure' ? 'alert' : 'status'}>
      <Icon name={icon} />
      <div class="words">
        <strong>{title}</strong>
        {children && <div class="soft">{children}</div>}
      </div>
      {action}
    </div>
  );
}

/** What happened and what to try, with a button where trying again is up to the reader. */
export function FailureNotice({ failure, onRetry }: { failure: Failure; onRetry?: (() => void) | undefined }) {
  return (
    <Notice
      kind="failure"
      title={failure.message}
      action={
        onRetry && (
          <Button size="small" onClick={onRetry}>
            {failureText.again}
          </Button>
        )
      }
    >
      {failure.nextStep}
    </Notice>
  );
}
