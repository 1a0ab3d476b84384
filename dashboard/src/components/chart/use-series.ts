// Series of access points for charts: what is stored in the window, and on top of it what arrives live.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { FleetSeries } from '../../api/client.ts';
import { serverNow } from '../../data/freshness.ts';
import { type LiveSample, useLive } from '../../data/live-values.ts';
import { seriesPollMs } from '../../data/metrics.ts';
import { queries, useOperation } from '../../data/use-operation.ts';
import { type ChartRangeOptions, useChartRange } from './chart.tsx';

interface SeriesOptions<Lines> extends ChartRangeOptions {
  agents: readonly string[];
  metrics: readonly string[];
  maxPoints: number;
  /** Whether the lowest and highest of each bucket are asked for too. */
  hasBand?: boolean;
  /** Changes with what `toLines` makes of an answer. */
  key: unknown;
  toLines: (found: FleetSeries) => Lines;
  /** With what arrived, and without what is before `from`. */
  grow: (lines: Lines, samples: readonly LiveSample[], from: number) => Lines;
}

export function useSeries<Lines>(options: SeriesOptions<Lines>) {
  const { agents, metrics, windowSeconds, maxPoints, hasBand = false, key, toLines, grow } = options;
  const { range, past } = useChartRange(options);
  const span = past ? past.to - past.from : windowSeconds;
  const query = {
    agents: [...agents],
    metrics: [...metrics],
    window: `${Math.max(1, Math.ceil(span))}s`,
    max_points: maxPoints,
    // Points of shorter windows are samples: nobody reports more often than once a second.
    ...(hasBand && { band: span > maxPoints }),
    ...(past && { end: new Date(past.to * 1000).toISOString() }),
  };
  const isWanted = agents.length > 0 && metrics.length > 0;
  const pollMs = (found: FleetSeries) => seriesPollMs(widestOf(found));
  const { data, failure } = useOperation('metrics_series', { query }, { isWanted, ...(!past && { pollMs }) });
  const resolutionSeconds = data && widestOf(data);
  const stored = useMemo(() => data && toLines(data), [data, key]);
  const [lines, setLines] = useState<Lines | undefined>(undefined);
  // While another range is being asked for, what is known of it stays on show.
  useEffect(() => {
    if (stored) setLines(stored);
  }, [stored]);
  useLive({
    agents,
    metrics,
    isWanted: isWanted && !past && data !== undefined && resolutionSeconds === undefined,
    onSamples: (samples) => setLines((known) => known && grow(known, samples, serverNow() / 1000 - windowSeconds)),
    onGap: () => queries.refresh('metrics_series'),
  });
  return { lines: lines ?? stored, range, past, resolutionSeconds, failure };
}

/** The longest bucket of any; undefined if all points are samples. */
function widestOf({ agents }: FleetSeries): number | undefined {
  return Math.max(0, ...agents.map(({ resolution_seconds = 0 }) => resolution_seconds)) || undefined;
}
