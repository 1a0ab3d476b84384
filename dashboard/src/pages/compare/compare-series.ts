// The series of several agents as charts draw them: for each metric a line for each agent. Pure.
import type { AgentMultiMetricData } from '../../api/operations.ts';
import { addPoint, type ChartLine, dropBefore } from '../../components/chart/chart-shape.ts';
import type { LiveSample } from '../../data/live-values.ts';

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
