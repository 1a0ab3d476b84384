// The series of several agents, read together and kept live.

import { ownOf } from '@weft/contract/is-object';
import { useMemo } from 'preact/hooks';
import type { AgentMultiMetricData, FleetSeries } from '../../../api/client.ts';
import type { ChartRangeOptions } from '../../../components/chart/chart.tsx';
import { addPoint, type ChartLine, dropBefore, seriesLines } from '../../../components/chart/chart-shape.ts';
import { useSeries } from '../../../components/chart/use-series.ts';
import { timeWindowSeconds } from '../../../components/time-window.tsx';
import type { FleetAgent } from '../../../data/fleet.ts';
import { serverNow } from '../../../data/freshness.ts';
import type { LiveSample } from '../../../data/live-values.ts';
import { metricWords, reportedSince } from '../../../data/metrics.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { partsOf } from '../../../format.ts';

/** More lines than these cannot be told apart. */
export const maxAgents = 6;
export const maxMetrics = 8;

/** Metric -> its lines, in the order of the agents. */
export type CompareLines = ReadonlyMap<string, readonly ChartLine[]>;

/** A list as an address carries it: each once, and no more than can be shown. */
export function readList(text: string, max: number): string[] {
  return [...new Set(partsOf(text, ','))].slice(0, max);
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
        const value = ownOf(metrics, metric);
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

interface CompareOptions extends ChartRangeOptions {
  agents: readonly string[];
  metrics: readonly string[];
}

/** Without lines until an agent has answered. */
export function useCompareSeries(options: CompareOptions) {
  const { metrics } = options;
  const toLines = ({ agents }: FleetSeries) => toCompareLines(agents, metrics);
  return useSeries({ ...options, maxPoints, key: metrics.join(), toLines, grow: withSamples });
}

export interface Offer {
  /** Undefined until it is known, with what access points call them. */
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
  return { metrics: data && fleet && metrics, unknown: data ? agents.filter((ap_id) => !found.has(ap_id)) : [] };
}
