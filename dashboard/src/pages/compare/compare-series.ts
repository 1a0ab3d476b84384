// The series of several agents, read together and kept live.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { AgentMultiMetricData, Failure, FleetSeries } from '../../api/client.ts';
import { type TimeRange, useChartRange } from '../../components/chart/chart.tsx';
import { addPoint, type ChartLine, dropBefore, seriesLines } from '../../components/chart/chart-shape.ts';
import { timeWindowSeconds } from '../../components/time-window.tsx';
import type { FleetAgent } from '../../data/fleet.ts';
import { serverNow } from '../../data/freshness.ts';
import { type LiveSample, useLive } from '../../data/live-values.ts';
import { metricWords, reportedSince, seriesPollMs } from '../../data/metrics.ts';
import { queries, useOperation } from '../../data/use-operation.ts';

/** More lines than these cannot be told apart. */
export const maxAgents = 6;
export const maxMetrics = 8;

/** Metric -> its lines, in the order of the agents. */
export type CompareLines = ReadonlyMap<string, readonly ChartLine[]>;

/** A list as an address carries it: each once, and no more than can be shown. */
export function readList(text: string, max: number): string[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return [...new Set(names)].slice(0, max);
}

export function toCompareLines(answers: readonly AgentMultiMetricData[], metrics: readonly string[]): CompareLines {
  return new Map(metrics.map((metric) => [metric, seriesLines(answers, metric)]));
}

export function withSamples(lines: CompareLines, samples: readonly LiveSample[], from: number): CompareLines {
  const next = new Map<string, readonly ChartLine[]>();
  for (const [metric, known] of lines) {
    const grown = known.map((line) => {
      let longer = line;
      for (const { ap_id, time, metrics } of samples) {
        const value = metrics[metric];
        if (ap_id === line.name && value !== undefined) longer = addPoint(longer, time, value);
      }
      return dropBefore(longer, from);
    });
    next.set(metric, grown);
  }
  return next;
}

export interface OfferedMetric {
  name: string;
  label: string;
  /** How many of the agents report it. */
  count: number;
}

/** What any of the agents reports; what most have in common comes first. */
export function offeredMetrics(lists: readonly (readonly { name: string; label: string }[])[]): OfferedMetric[] {
  const offered = new Map<string, OfferedMetric>();
  for (const { name, label } of lists.flat()) {
    offered.set(name, { name, label, count: (offered.get(name)?.count ?? 0) + 1 });
  }
  return [...offered.values()].sort((a, b) => b.count - a.count || a.label.localeCompare(b.label));
}

const usual = ['throughput_mbps', 'latency_ms', 'connected_devices', 'power_w'];

/** What is shown before anybody has chosen: what people ask for first, else what most have in common. */
export function usualOf(offered: readonly OfferedMetric[]): string[] {
  const names = offered.map(({ name }) => name);
  const found = usual.filter((name) => names.includes(name));
  return found.length > 0 ? found : names.slice(0, 2);
}

const maxPoints = 600;

interface CompareOptions {
  agents: readonly string[];
  metrics: readonly string[];
  windowSeconds: number;
  zoom: TimeRange | undefined;
  isPaused: boolean;
}

export interface CompareSeries {
  /** Undefined until an agent has answered. */
  lines: CompareLines | undefined;
  range: TimeRange;
  resolutionSeconds: number | undefined;
  failure: Failure | undefined;
}

export function useCompareSeries(options: CompareOptions): CompareSeries {
  const { agents, metrics, windowSeconds, zoom, isPaused } = options;
  const { range, past } = useChartRange({ windowSeconds, zoom, isPaused });
  const span = past ? past.to - past.from : windowSeconds;
  const query = {
    agents: [...agents],
    metrics: [...metrics],
    window: `${Math.max(1, Math.ceil(span))}s`,
    max_points: maxPoints,
    ...(past && { end: new Date(past.to * 1000).toISOString() }),
  };
  const isWanted = agents.length > 0 && metrics.length > 0;
  const pollMs = (found: FleetSeries) => seriesPollMs(widestOf(found));
  const { data, failure } = useOperation('metrics_series', { query }, { isWanted, ...(!past && { pollMs }) });
  const resolutionSeconds = data && widestOf(data);
  const key = metrics.join();
  const stored = useMemo(() => data && toCompareLines(data.agents, metrics), [data, key]);
  const [lines, setLines] = useState<CompareLines | undefined>(undefined);
  // While another range is being asked for, what is known of it stays on show.
  useEffect(() => {
    if (stored) setLines(stored);
  }, [stored]);
  useLive({
    agents,
    metrics,
    isWanted: isWanted && !past && data !== undefined && resolutionSeconds === undefined,
    onSamples: (samples) =>
      setLines((known) => known && withSamples(known, samples, serverNow() / 1000 - windowSeconds)),
    onGap: () => queries.refresh('metrics_series'),
  });
  return {
    lines: lines ?? stored,
    range,
    resolutionSeconds,
    failure,
  };
}

/** The longest bucket of any; undefined if all points are samples. */
function widestOf({ agents }: FleetSeries): number | undefined {
  return Math.max(0, ...agents.map(({ resolution_seconds = 0 }) => resolution_seconds)) || undefined;
}

export interface Offer {
  /** Undefined until it is known. */
  metrics: OfferedMetric[] | undefined;
  /** Agents that are not there. */
  unknown: string[];
}

/** What the agents have reported in the window. */
export function useOfferedMetrics(agents: readonly string[], fleet: readonly FleetAgent[] | undefined): Offer {
  const { data } = useOperation(
    'metrics_latest',
    { query: { agents: [...agents] } },
    { isWanted: agents.length > 0, pollMs: 15_000 },
  );
  const since = serverNow() - timeWindowSeconds.value * 1000;
  const configurations = new Map(fleet?.map(({ ap_id, configuration }) => [ap_id, configuration]));
  const lists = (data?.agents ?? []).map(({ ap_id, metrics }) =>
    reportedSince(metrics, since).map((name) => ({ name, ...metricWords(configurations.get(ap_id) ?? {}, name) })),
  );
  const key = JSON.stringify(lists);
  // The key stands for the lists.
  const metrics = useMemo(() => offeredMetrics(lists), [key]);
  const found = new Set(data?.agents.map(({ ap_id }) => ap_id));
  return { metrics: data && metrics, unknown: data ? agents.filter((ap_id) => !found.has(ap_id)) : [] };
}
