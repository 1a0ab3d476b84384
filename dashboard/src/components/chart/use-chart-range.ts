// Which part of time the charts of a page show: a window that moves with time, one that stands still, or a part that is
// looked at closely.
import { useRef } from 'preact/hooks';
import { now } from '../../data/freshness.ts';
import { serverNow } from '../../data/server-clock.ts';
import type { TimeRange } from './chart-options.ts';

export interface ChartRange {
  range: TimeRange;
  /** The same if it does not move: then all of it can be asked for at once. */
  past: TimeRange | undefined;
}

interface ChartRangeOptions {
  windowSeconds: number;
  zoom: TimeRange | undefined;
  isPaused: boolean;
}

export function useChartRange({ windowSeconds, zoom, isPaused }: ChartRangeOptions): ChartRange {
  const pausedAt = useRef<number | undefined>(undefined);
  const nowSeconds = now.value / 1000;
  // The second that has begun counts: what is on show already stays.
  pausedAt.current = isPaused ? (pausedAt.current ?? Math.ceil(serverNow() / 1000)) : undefined;
  return chartRange({ nowSeconds, pausedAt: pausedAt.current, windowSeconds, zoom });
}

/** Times are seconds since 1970. */
export function chartRange({
  nowSeconds,
  pausedAt,
  windowSeconds,
  zoom,
}: Pick<ChartRangeOptions, 'windowSeconds' | 'zoom'> & {
  nowSeconds: number;
  pausedAt: number | undefined;
}): ChartRange {
  const to = pausedAt ?? nowSeconds;
  const range = zoom ?? { from: to - windowSeconds, to };
  return { range, past: zoom || pausedAt !== undefined ? range : undefined };
}
