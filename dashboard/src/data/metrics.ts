// The metrics that the access points of this network report: their names, and how each is called and measured, as the agent's
// configuration says, else as its name tells.
import { ownOf } from '@weft/contract/is-object';
import { useMemo } from 'preact/hooks';
import { labelWithoutUnit, unitOf } from '../format.ts';
import { type FleetAgent, useFleet } from './fleet.ts';
import { useOperation } from './use-operation.ts';

export interface MetricWords {
  label: string;
  unit: string;
}

export function metricWords(configuration: Record<string, unknown>, name: string, known = ''): MetricWords {
  const declared = ownOf(declaredMetrics(configuration), name);
  const { label, unit } = (typeof declared === 'object' && declared !== null ? declared : {}) as Record<
    string,
    unknown
  >;
  const called =
    typeof label === 'string' && label !== ''
      ? label
      : known || toWords(unitOf(name, '') === '' ? name : name.replace(/[_.][^_.]+$/, ''));
  // A name that ends in a unit we know wins: declared units are spelled in many ways.
  const measured = unitOf(name, called) || (typeof unit === 'string' ? unit.slice(0, 12) : '');
  return { label: labelWithoutUnit(called), unit: measured };
}

function toWords(name: string): string {
  const words = name.replaceAll(/[_.]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Of these the names are asked for; the others declare theirs, or have the same. */
const askedForNames = 12;

export type MetricName = readonly [name: string, label: string];

export function useMetricNames(): readonly MetricName[] {
  const { agents } = useFleet();
  const asked = useMemo(() => spread(agents ?? [], askedForNames), [agents?.length]);
  const { data } = useOperation('metrics_latest', { query: { agents: asked } }, { isWanted: asked.length > 0 });
  return useMemo(() => namesOf(agents ?? [], data?.agents ?? []), [agents?.length, data]);
}

/** What the access points say about their metrics. */
export function declaredMetrics(configuration: Record<string, unknown>): Record<string, unknown> {
  const { metrics } = configuration;
  return typeof metrics === 'object' && metrics !== null ? (metrics as Record<string, unknown>) : {};
}

function namesOf(
  agents: readonly FleetAgent[],
  latest: readonly { metrics: Record<string, unknown> }[],
): readonly MetricName[] {
  const found = new Map<string, string>();
  for (const { configuration } of agents) {
    for (const name of Object.keys(declaredMetrics(configuration))) {
      if (!found.has(name)) found.set(name, withUnit(metricWords(configuration, name)));
    }
  }
  for (const { metrics } of latest) {
    for (const [name, newest] of Object.entries(metrics)) {
      const isNumber = typeof (newest as { value?: unknown } | null)?.value === 'number';
      if (isNumber && !found.has(name)) found.set(name, withUnit(metricWords({}, name)));
    }
  }
  return [...found].sort(([, a], [, b]) => a.localeCompare(b));
}

/** Metrics that are called the same are told apart by it. */
function withUnit({ label, unit }: MetricWords): string {
  return unit === '' ? label : `${label} (${unit})`;
}

function spread(agents: readonly FleetAgent[], most: number): string[] {
  const step = Math.max(1, Math.ceil(agents.length / most));
  return agents.filter((_, index) => index % step === 0).map(({ ap_id }) => ap_id);
}

/** The numbers among an agent's newest values that are no older than a moment, by name. */
export function reportedSince(latest: Record<string, unknown>, sinceMs: number): string[] {
  return Object.entries(latest as Record<string, { ts: string; value: unknown }>)
    .filter(([, { ts, value }]) => typeof value === 'number' && Date.parse(ts) >= sinceMs)
    .map(([name]) => name)
    .sort();
}

/** Buckets change only when a new one is complete; samples come live. */
export function seriesPollMs(resolutionSeconds: number | undefined): number {
  return resolutionSeconds === undefined ? 60_000 : Math.max(5000, resolutionSeconds * 1000);
}
