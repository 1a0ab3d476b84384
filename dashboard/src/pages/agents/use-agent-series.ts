// The series of one agent for its charts: what is stored in the window, and on top of it what arrives live.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { AgentMultiMetricData, Failure, FleetSeries } from '../../api/client.ts';
import { type TimeRange, useChartRange } from '../../components/chart/chart.tsx';
import { addPoint, type ChartLine, dropBefore } from '../../components/chart/chart-shape.ts';
import { serverNow } from '../../data/freshness.ts';
import { type LiveSample, useLive } from '../../data/live-values.ts';
import { seriesPollMs } from '../../data/metrics.ts';
import { queries, useOperation } from '../../data/use-operation.ts';

export interface Metric {
  name: string;
  label: string;
  unit: string;
}

interface AgentSeriesOptions {
  ap_id: string;
  metrics: readonly Metric[];
  windowSeconds: number;
  /** A part of the past that is looked at closely; the live end stays out of sight. */
  zoom: TimeRange | undefined;
  isPaused: boolean;
  /** Its newest values, by name. */
  newest: Record<string, unknown> | undefined;
}

export interface AgentSeries {
  /** By name of the metric; undefined until the first answer. */
  lines: ReadonlyMap<string, ChartLine> | undefined;
  range: TimeRange;
  resolutionSeconds: number | undefined;
  failure: Failure | undefined;
}

const maxPoints = 900;

export function useAgentSeries({
  ap_id,
  metrics,
  windowSeconds,
  zoom,
  isPaused,
  newest,
}: AgentSeriesOptions): AgentSeries {
  const names = metrics.map(({ name }) => name);
  const { range, past } = useChartRange({ windowSeconds, zoom, isPaused });
  const span = past ? past.to - past.from : windowSeconds;
  const query = {
    agents: [ap_id],
    metrics: names,
    window: `${Math.max(1, Math.ceil(span))}s`,
    max_points: maxPoints,
    // Points of shorter windows are samples: nobody reports more often than once a second.
    band: span > maxPoints,
    ...(past && { end: new Date(past.to * 1000).toISOString() }),
  };
  const pollMs = past ? undefined : ({ agents: [found] }: FleetSeries) => seriesPollMs(found?.resolution_seconds);
  const isWanted = names.length > 0;
  const options = { isWanted, ...(pollMs && { pollMs }) };
  const series = useOperation('metrics_series', { query }, options);
  const resolutionSeconds = series.data?.agents[0]?.resolution_seconds;
  const isBucketed = resolutionSeconds !== undefined;

  const [liveLines, setLiveLines] = useState<ReadonlyMap<string, ChartLine> | undefined>(undefined);
  const stored = useMemo(() => series.data && toLines(series.data, isBucketed, metrics), [series.data, metrics]);
  // While another range is being asked for, what is known of it stays on show.
  useEffect(() => {
    if (stored) setLiveLines(stored);
  }, [stored]);
  const isLive = isWanted && !past && series.data !== undefined && !isBucketed;
  useLive({
    agents: [ap_id],
    metrics: names,
    isWanted: isLive,
    onSamples: (samples) => setLiveLines((lines) => lines && withSamples(lines, samples, windowSeconds)),
    onGap: () => queries.refresh('metrics_series'),
  });

  const shown = liveLines ?? stored;
  const lines = useMemo(
    () => (shown && isBucketed && !past && newest ? withNewest(shown, newest) : shown),
    [shown, isBucketed, past === undefined, newest],
  );
  return {
    lines,
    range,
    resolutionSeconds,
    failure: series.failure,
  };
}

function toLines(
  { agents: [mean], lows: [low] = [], highs: [high] = [] }: FleetSeries,
  isBucketed: boolean,
  metrics: readonly Metric[],
): Map<string, ChartLine> {
  const labels = new Map(metrics.map(({ name, label }) => [name, label]));
  return new Map(
    (mean?.series ?? []).map(({ metric, points }) => {
      const edge = (data: AgentMultiMetricData | undefined) => {
        const values = data?.series.find((series) => series.metric === metric)?.points;
        // A bucket may have ended between two of them; a band is drawn only where all have the point.
        const byTime = values && new Map(values.map(({ ts, value }) => [ts, value]));
        return byTime && points.map(({ ts }) => byTime.get(ts) ?? null);
      };
      const lows = isBucketed ? edge(low) : undefined;
      const highs = isBucketed ? edge(high) : undefined;
      return [
        metric,
        {
          name: metric,
          label: labels.get(metric) ?? metric,
          times: points.map(({ ts }) => Date.parse(ts) / 1000),
          values: points.map(({ value }) => value),
          ...(lows && highs && { lows, highs }),
        },
      ];
    }),
  );
}

/** Of what the agent still reports; a value from before the last bucket is older than what is drawn. */
export function withNewest(
  lines: ReadonlyMap<string, ChartLine>,
  newest: Record<string, unknown>,
): ReadonlyMap<string, ChartLine> {
  const values = newest as Record<string, { ts: string; value: number } | undefined>;
  return new Map(
    [...lines].map(([name, line]) => {
      const found = Object.hasOwn(values, name) ? values[name] : undefined;
      const isNewer = found !== undefined && Date.parse(found.ts) / 1000 >= (line.times.at(-1) ?? Infinity);
      return [name, isNewer ? { ...line, newest: found.value } : line];
    }),
  );
}

function withSamples(
  lines: ReadonlyMap<string, ChartLine>,
  samples: readonly LiveSample[],
  windowSeconds: number,
): ReadonlyMap<string, ChartLine> {
  const next = new Map(lines);
  for (const { time, metrics } of samples) {
    for (const [name, value] of Object.entries(metrics)) {
      const line = next.get(name);
      if (line) next.set(name, addPoint(line, time, value));
    }
  }
  const from = serverNow() / 1000 - windowSeconds;
  for (const [name, line] of next) next.set(name, dropBefore(line, from));
  return next;
}
