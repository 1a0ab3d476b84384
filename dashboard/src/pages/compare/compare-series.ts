// The series of several agents, fetched agent by agent and kept live.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { AgentMultiMetricData, Failure } from '../../api/client.ts';
import { type TimeRange, useChartRange } from '../../components/chart/chart.tsx';
import { addPoint, type ChartLine, dropBefore } from '../../components/chart/chart-shape.ts';
import { serverNow } from '../../data/freshness.ts';
import { type LiveSample, useLive } from '../../data/live-values.ts';
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

/** Agents whose answer is not there yet have no line. */
export function toCompareLines(
  answers: readonly (AgentMultiMetricData | undefined)[],
  metrics: readonly string[],
): CompareLines {
  return new Map(
    metrics.map((metric) => [
      metric,
      answers.flatMap((answer) => {
        const series = answer?.series.find((each) => each.metric === metric);
        if (!answer || !series) return [];
        return {
          name: answer.agent_id,
          label: answer.agent_id,
          times: series.points.map(({ ts }) => Date.parse(ts) / 1000),
          values: series.points.map(({ value }) => value),
        };
      }),
    ]),
  );
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

const maxPoints = 600;
const slots = Array.from({ length: maxAgents }, (_, index) => index);

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
  const pollMs = ({ resolution_seconds }: AgentMultiMetricData) =>
    resolution_seconds === undefined ? 60_000 : Math.max(5000, resolution_seconds * 1000);
  // Always as many as there can be: the order of hooks must not change with the choice.
  const answers = slots.map((slot) => {
    const query = {
      agent: agents[slot] ?? '',
      metrics: [...metrics],
      window: `${Math.max(1, Math.ceil(span))}s`,
      max_points: maxPoints,
      ...(past && { end: new Date(past.to * 1000).toISOString() }),
    };
    const isWanted = slot < agents.length && metrics.length > 0;
    return useOperation('metrics_agent_multi_metric_data', { query }, { isWanted, ...(!past && { pollMs }) });
  });
  const present = answers.slice(0, agents.length);
  const found = present.map(({ data }) => data);
  const resolutions = found.map((data) => data?.resolution_seconds ?? 0);
  const resolutionSeconds = Math.max(0, ...resolutions) || undefined;
  const key = metrics.join();
  const stored = useMemo(
    () => (found.some((data) => data !== undefined) ? toCompareLines(found, metrics) : undefined),
    [...slots.map((slot) => found[slot]), key],
  );
  const [lines, setLines] = useState<CompareLines | undefined>(undefined);
  // While another range is being asked for, what is known of it stays on show.
  useEffect(() => {
    if (stored) setLines(stored);
  }, [stored]);
  useLive({
    agents,
    metrics,
    isWanted: agents.length > 0 && metrics.length > 0 && !past && resolutionSeconds === undefined,
    onSamples: (samples) =>
      setLines((known) => known && withSamples(known, samples, serverNow() / 1000 - windowSeconds)),
    onGap: () => queries.refresh('metrics_agent_multi_metric_data'),
  });
  return {
    lines: lines ?? stored,
    range,
    resolutionSeconds,
    failure: present.find(({ failure }) => failure)?.failure,
  };
}

export interface Offer {
  /** Undefined until every agent has answered. */
  metrics: OfferedMetric[] | undefined;
  /** Agents that are not there. */
  unknown: string[];
}

/** What the agents have reported in the window. */
export function useOfferedMetrics(agents: readonly string[], window: string): Offer {
  const answers = slots.map((slot) =>
    useOperation(
      'metrics_agent_metrics',
      { query: { agent: agents[slot] ?? '', window } },
      { isWanted: slot < agents.length, pollMs: 15_000 },
    ),
  );
  const present = answers.slice(0, agents.length);
  const isComplete = present.every(({ data, failure }) => data !== undefined || failure !== undefined);
  const lists = present.map(({ data }) => data?.metrics ?? []);
  const key = JSON.stringify(lists);
  // The key stands for the lists.
  const metrics = useMemo(() => offeredMetrics(lists), [key]);
  return {
    metrics: isComplete ? metrics : undefined,
    unknown: agents.filter((_, index) => present[index]?.failure?.status === 404),
  };
}
