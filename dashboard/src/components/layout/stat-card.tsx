// One figure at a glance: what it is, how much, which way it goes. As a link it leads to where the figure comes from.
import type { ComponentChildren } from 'preact';
import { Sparkline } from '../chart/sparkline.tsx';
import { Skeleton } from '../feedback/skeleton.tsx';
import './stat-card.css';

interface StatCardProps {
  label: string;
  /** Undefined while it is not known. */
  value: string | undefined;
  unit?: string;
  /** Beside the label: a glyph or a dot. */
  mark?: ComponentChildren;
  trend?: readonly (number | undefined)[];
  detail?: ComponentChildren;
  href?: string;
  tone?: 'normal' | 'late' | 'bad';
}

export function StatCard({ label, value, unit, mark, trend, detail, href, tone = 'normal' }: StatCardProps) {
  const inside = (
    <>
      <span class="label">
        {mark}
        {label}
      </span>
      <span class="figure">
        {value === undefined ? <Skeleton width="64px" height="32px" /> : value}
        {value !== undefined && unit && <small>{unit}</small>}
      </span>
      {trend && <Sparkline values={trend} />}
      {(detail || !trend) && <span class="detail">{detail}</span>}
    </>
  );
  const look = `card stat-card ${tone}`;
  return href === undefined ? (
    <div class={look}>{inside}</div>
  ) : (
    <a class={look} href={href}>
      {inside}
    </a>
  );
}
