// The series of one agent for its charts: what is stored in the window, and on top of it what arrives live.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { AgentMultiMetricData, Failure, LatestMetrics } from '../../api/client.ts';
import { type TimeRange, useChartRange } from '../../components/chart/chart.tsx';
import { addPoint, type ChartLine, dropBefore } from '../../components/chart/chart-shape.ts';
import { serverNow } from '../../data/freshness.ts';
import { type LiveSample, useLive } from '../../data/live-values.ts';
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
}

export interface AgentSeries {
  /** By name of the metric; undefined until the first answer. */
  lines: ReadonlyMap<string, ChartLine> | undefined;
  range: TimeRange;
  resolutionSeconds: number | undefined;
  failure: Failure | undefined;
}

const maxPoints = 900;
const newestMs = 5000;

export function useAgentSeries({ ap_id, metrics, windowSeconds, zoom, isPaused }: AgentSeriesOptions): AgentSeries {
  const names = metrics.map(({ name }) => name);
  const { range, past } = useChartRange({ windowSeconds, zoom, isPaused });
  const span = past ? past.to - past.from : windowSeconds;
  const query = {
    agent: ap_id,
    metrics: names,
    window: `${Math.max(1, Math.ceil(span))}s`,
    max_points: maxPoints,
    ...(past && { end: new Date(past.to * 1000).toISOString() }),
  };
  // Buckets change only when a new one is complete; raw samples come live.
  const pollMs = past
    ? undefined
    : ({ resolution_seconds }: AgentMultiMetricData) =>
        resolution_seconds === undefined ? 60_000 : Math.max(5000, resolution_seconds * 1000);
  const isWanted = names.length > 0;
  const options = { isWanted, ...(pollMs && { pollMs }) };
  const mean = useOperation('metrics_agent_multi_metric_data', { query }, options);
  const resolutionSeconds = mean.data?.resolution_seconds;
  const isBucketed = resolutionSeconds !== undefined;
  const bandOptions = { ...options, isWanted: isWanted && isBucketed };
  const low = useOperation('metrics_agent_multi_metric_data', { query: { ...query, aggregate: 'min' } }, bandOptions);
  const high = useOperation('metrics_agent_multi_metric_data', { query: { ...query, aggregate: 'max' } }, bandOptions);

  const newestQuery = { agents: [ap_id], metrics: names };
  const newest = useOperation(
    'metrics_latest',
    { query: newestQuery },
    { isWanted: isWanted && isBucketed && !past, pollMs: newestMs },
  ).data;

  const [liveLines, setLiveLines] = useState<ReadonlyMap<string, ChartLine> | undefined>(undefined);
  const stored = useMemo(
    () =>
      mean.data
        ? toLines(mean.data, isBucketed ? low.data : undefined, isBucketed ? high.data : undefined, metrics)
        : undefined,
    [mean.data, low.data, high.data, isBucketed, metrics],
  );
  // While another range is being asked for, what is known of it stays on show.
  useEffect(() => {
    if (stored) setLiveLines(stored);
  }, [stored]);
  const isLive = isWanted && !past && !isBucketed;
  useLive({
    agents: [ap_id],
    metrics: names,
    isWanted: isLive,
    onSamples: (samples) => setLiveLines((lines) => lines && withSamples(lines, samples, windowSeconds)),
    onGap: () => queries.refresh('metrics_agent_multi_metric_data'),
  });

  const shown = liveLines ?? stored;
  const lines = useMemo(
    () => (shown && isBucketed && !past && newest ? withNewest(shown, newest, ap_id) : shown),
    [shown, isBucketed, past === undefined, newest, ap_id],
  );
  return {
    lines,
    range,
    resolutionSeconds,
    failure: mean.failure,
  };
}

function toLines(
  mean: AgentMultiMetricData,
  low: AgentMultiMetricData | undefined,
  high: AgentMultiMetricData | undefined,
  metrics: readonly Metric[],
): Map<string, ChartLine> {
  const labels = new Map(metrics.map(({ name, label }) => [name, label]));
  return new Map(
    mean.series.map(({ metric, points }) => {
      const edge = (data: AgentMultiMetricData | undefined) => {
        const values = data?.series.find((series) => series.metric === metric)?.points;
        // The three answers may be a bucket apart; a band is drawn only where all have the point.
        const byTime = values && new Map(values.map(({ ts, value }) => [ts, value]));
        return byTime && points.map(({ ts }) => byTime.get(ts) ?? null);
      };
      const lows = edge(low);
      const highs = edge(high);
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
  { agents }: LatestMetrics,
  ap_id: string,
): ReadonlyMap<string, ChartLine> {
  const values = (agents.find((agent) => agent.ap_id === ap_id)?.metrics ?? {}) as Record<
    string,
    { ts: string; value: number } | undefined
  >;
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
