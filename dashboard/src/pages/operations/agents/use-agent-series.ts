// The series of one agent for its charts: what is stored in the window, and on top of it what arrives live.
import { useMemo } from 'preact/hooks';
import type { AgentMultiMetricData, FleetSeries } from '../../../api/client.ts';
import type { ChartRangeOptions } from '../../../components/chart/chart.tsx';
import { addPoint, type ChartLine, dropBefore } from '../../../components/chart/chart-shape.ts';
import { useSeries } from '../../../components/chart/use-series.ts';
import type { LiveSample } from '../../../data/live-values.ts';

export interface Metric {
  name: string;
  label: string;
  unit: string;
}

export interface AgentSeriesOptions extends ChartRangeOptions {
  ap_id: string;
  metrics: readonly Metric[];
  /** Its newest values, by name. */
  newest: Record<string, unknown> | undefined;
}

/** By name of the metric. */
type Lines = ReadonlyMap<string, ChartLine>;

const maxPoints = 900;

/** Without lines until the first answer. */
export function useAgentSeries({ ap_id, metrics, newest, ...options }: AgentSeriesOptions) {
  const { past, ...series } = useSeries<Lines>({
    ...options,
    agents: [ap_id],
    metrics: metrics.map(({ name }) => name),
    maxPoints,
    hasBand: true,
    key: metrics,
    toLines: (found) => toLines(found, metrics),
    grow: withSamples,
  });
  const isBucketed = series.resolutionSeconds !== undefined;
  const shown = series.lines;
  const lines = useMemo(
    () => (shown && isBucketed && !past && newest ? withNewest(shown, newest) : shown),
    [shown, isBucketed, past === undefined, newest],
  );
  return { ...series, lines };
}

function toLines(
  { agents: [mean], lows: [low] = [], highs: [high] = [] }: FleetSeries,
  metrics: readonly Metric[],
): Lines {
  const isBucketed = mean?.resolution_seconds !== undefined;
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
export function withNewest(lines: Lines, newest: Record<string, unknown>): Lines {
  const values = newest as Record<string, { ts: string; value: number } | undefined>;
  return new Map(
    [...lines].map(([name, line]) => {
      const found = Object.hasOwn(values, name) ? values[name] : undefined;
      const isNewer = found !== undefined && Date.parse(found.ts) / 1000 >= (line.times.at(-1) ?? Infinity);
      return [name, isNewer ? { ...line, newest: found.value } : line];
    }),
  );
}

function withSamples(lines: Lines, samples: readonly LiveSample[], from: number): Lines {
  const next = new Map(lines);
  for (const { time, metrics } of samples) {
    for (const [name, value] of Object.entries(metrics)) {
      const line = next.get(name);
      if (line) next.set(name, addPoint(line, time, value));
    }
  }
  for (const [name, line] of next) next.set(name, dropBefore(line, from));
  return next;
}
