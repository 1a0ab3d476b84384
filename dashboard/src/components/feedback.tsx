// What a page says beside its data or in its place: a failure with its next step, a warning, that there is nothing yet, the shape
// of what is coming, how far long work is, and short messages about what was done just now.
import './feedback.css';
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { type Failure, toFailure } from '../api/client.ts';
import { queries } from '../data/use-operation.ts';
import { formatNumber, formatSpan } from '../format.ts';
import { componentText, failureText } from '../text/components.ts';
import { Button, Icon, IconButton } from './button.tsx';

interface NoticeProps {
  kind?: 'note' | 'good' | 'warning' | 'failure';
  title: ComponentChildren;
  /** Below the title; or what stands between the tags. */
  words?: ComponentChildren;
  children?: ComponentChildren;
  action?: ComponentChildren;
}

export function Notice({ kind = 'note', title, words, children = words, action }: NoticeProps) {
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
  if (failure.isOfQuery && failure.code === 'unreachable') return null;
  return (
    <Notice
      kind="failure"
      title={failure.message}
      action={onRetry && <Button size="small" onClick={onRetry} words={failureText.again} />}
    >
      {failure.nextStep}
    </Notice>
  );
}

interface EmptyStateProps {
  title: string;
  words?: ComponentChildren;
  children?: ComponentChildren;
  actions?: ComponentChildren;
}

/** Where a list has nothing yet: what it will hold, and what to do next. */
export function EmptyState({ title, words, children = words, actions }: EmptyStateProps) {
  return (
    <div class="empty-state">
      <h2>{title}</h2>
      {children && <div class="soft">{children}</div>}
      {actions && <div class="cluster">{actions}</div>}
    </div>
  );
}

interface SkeletonProps {
  /** As CSS lengths. */
  width?: string;
  height?: string;
}

export function Skeleton({ width = '100%', height = '16px' }: SkeletonProps) {
  return <span class="skeleton" style={{ width, height }} aria-hidden="true" />;
}

export function SkeletonLines({ count = 3 }: { count?: number }) {
  return (
    <div class="skeleton-lines" role="status" aria-label={componentText.loading}>
      {Array.from({ length: count }, (_, index) => (
        <Skeleton key={index} width={`${96 - ((index * 37) % 45)}%`} />
      ))}
    </div>
  );
}

/** A page that has not come yet: its title, a row of cards, a large one. */
export function PageSkeleton() {
  return (
    <div class="page-skeleton" role="status" aria-label={componentText.loading}>
      <Skeleton width="160px" height="28px" />
      <div class="row">
        {Array.from({ length: 4 }, (_, index) => (
          <Skeleton key={index} height="88px" />
        ))}
      </div>
      <Skeleton height="320px" />
    </div>
  );
}

interface ProgressProps {
  label: string;
  done: number;
  total: number;
  /** How long it takes at least; absent: as the pace so far says. */
  leftSeconds?: number | undefined;
}

export function Progress({ label, done, total, leftSeconds: told }: ProgressProps) {
  const id = useId();
  const start = useRef({ at: Date.now(), done });
  const perMs = (done - start.current.done) / Math.max(1, Date.now() - start.current.at);
  const leftSeconds = told ?? (perMs > 0 ? (total - done) / perMs / 1000 : undefined);
  return (
    <div class="progress">
      <div class="spread small">
        <span id={id}>{label}</span>
        <span class="faint">
          {componentText.progress(formatNumber(done), formatNumber(total))}
          {done < total && leftSeconds !== undefined && ` · about ${formatSpan(leftSeconds)} left`}
        </span>
      </div>
      <progress value={done} max={Math.max(1, total)} aria-labelledby={id} />
    </div>
  );
}

interface LoadingProps {
  /** Undefined until it has come. */
  data: unknown;
  failure: Failure | undefined;
  /** The operations to ask again, by how their names begin; absent: nothing is offered. */
  again?: string;
  lines?: number;
}

/** Above what is asked for: why it failed, or lines in its place until it comes. */
export function Loading({ data, failure, again, lines }: LoadingProps) {
  if (failure) {
    return <FailureNotice failure={failure} onRetry={again === undefined ? undefined : () => queries.refresh(again)} />;
  }
  return data === undefined ? <SkeletonLines {...(lines !== undefined && { count: lines })} /> : null;
}

export interface Toast {
  kind?: 'good' | 'note' | 'warning' | 'failure';
  title: string;
  detail?: string | undefined;
  /** Something to do about it; the message is gone once that is chosen. */
  action?: { label: string; onChoose: () => void };
}

const shownMs = 6000;
/** Long enough to read it, think, and reach the button. */
const shownWithActionMs = 20_000;
const maxShown = 4;
const toasts = signal<(Toast & { id: number })[]>([]);
let count = 0;

export function showToast(toast: Toast): void {
  const id = ++count;
  toasts.value = [...toasts.peek(), { ...toast, id }].slice(-maxShown);
  if (toast.kind !== 'failure') setTimeout(() => dismiss(id), toast.action ? shownWithActionMs : shownMs);
}

export function showFailure(failure: Failure): void {
  showToast({ kind: 'failure', title: failure.message, detail: failure.nextStep });
}

/** A failure is told. Resolves to whether there was none. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    showFailure(toFailure(error));
    return false;
  }
}

interface Action {
  isBusy: boolean;
  /** What `work` resolves to, if anything, is said when it is done. */
  act: (work: () => Promise<string | undefined>) => Promise<void>;
}

/** For a button that does something at once: busy meanwhile, and a failure is told. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const act: Action['act'] = async (work) => {
    setBusy(true);
    await attempt(async () => {
      const title = await work();
      if (title) showToast({ title });
    });
    setBusy(false);
  };
  return { isBusy, act };
}

/** The same where the failure stays until it is tried again: whoever calls shows it. */
export function useTry() {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | undefined>(undefined);
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setFailure(undefined);
    await work().catch((error) => setFailure(toFailure(error)));
    setBusy(false);
  };
  return { isBusy, failure, setFailure, run };
}

function dismiss(id: number): void {
  toasts.value = toasts.peek().filter((toast) => toast.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" aria-live="polite" role="status">
      {toasts.value.map(({ id, kind = 'good', title, detail, action }) => (
        <div key={id} class={`toast ${kind}`} role={kind === 'failure' ? 'alert' : undefined}>
          <Icon name={kind === 'good' ? 'check' : kind === 'note' ? 'info' : 'warning'} />
          <div>
            <strong>{title}</strong>
            {detail && <p class="soft">{detail}</p>}
            {action && (
              <Button
                size="small"
                onClick={() => {
                  dismiss(id);
                  action.onChoose();
                }}
              >
                {action.label}
              </Button>
            )}
          </div>
          <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
