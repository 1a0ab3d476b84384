// One figure at a glance: what it is, how much, which way it goes. As a link it leads to where the figure comes from.
import './stat-card.css';
import type { ComponentChildren } from 'preact';
import { Skeleton } from './feedback.tsx';

const width = 120;
const height = 28;
const inset = 2;

/** Values from old to new; undefined where there were none, which is drawn as a gap. */
export function Sparkline({ values }: { values: readonly (number | undefined)[] }) {
  const path = sparklinePath(values);
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {path !== '' && <path d={path} fill="none" stroke="currentColor" vector-effect="non-scaling-stroke" />}
    </svg>
  );
}

export function sparklinePath(values: readonly (number | undefined)[]): string {
  const known = values.filter((value) => value !== undefined);
  if (known.length < 2) return '';
  const high = Math.max(...known);
  const low = Math.min(...known);
  // A figure that hardly moves is drawn as a line that hardly moves.
  const span = high === low ? 0 : Math.max(high - low, Math.abs(high) * 0.1);
  let isGap = true;
  let path = '';
  for (const [index, value] of values.entries()) {
    if (value === undefined) {
      isGap = true;
      continue;
    }
    const x = (index / (values.length - 1)) * width;
    const share = span === 0 ? 0.5 : (value - low) / span;
    const y = height - inset - share * (height - 2 * inset);
    path += `${isGap ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
    isGap = false;
  }
  return path;
}

interface StatCardProps {
  label: string;
  /** Undefined while it is not known. */
  value: string | undefined;
  unit?: string;
  trend?: readonly (number | undefined)[];
  detail?: ComponentChildren;
  href?: string;
}

export function StatCard({ label, value, unit, trend, detail, href }: StatCardProps) {
  const inside = (
    <>
      <span class="label">{label}</span>
      <span class="figure">
        {value === undefined ? <Skeleton width="64px" height="32px" /> : value}
        {value !== undefined && unit && <small>{unit}</small>}
      </span>
      {trend && <Sparkline values={trend} />}
      {(detail || !trend) && <span class="detail">{detail}</span>}
    </>
  );
  return href === undefined ? (
    <div class="card stat-card">{inside}</div>
  ) : (
    <a class="card stat-card" href={href}>
      {inside}
    </a>
  );
}
