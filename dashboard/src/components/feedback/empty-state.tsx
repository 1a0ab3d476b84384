// Where a list has nothing yet: what it will hold, and what to do next.
import type { ComponentChildren } from 'preact';
import './empty-state.css';

export function EmptyState({
  title,
  children,
  actions,
}: {
  title: string;
  children?: ComponentChildren;
  actions?: ComponentChildren;
}) {
  return (
    <div class="empty-state">
      <h2>{title}</h2>
      {children && <div class="soft">{children}</div>}
      {actions && <div class="cluster">{actions}</div>}
    </div>
  );
}
