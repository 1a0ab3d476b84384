// The colours of the access points by a metric that somebody chose; its name is in the address.
import { useMemo } from 'preact/hooks';
import { isInService } from '../../data/agent-state.ts';
import { type FleetAgent, fleetPollMs } from '../../data/fleet.ts';
import { type MetricWords, metricWords } from '../../data/metric-words.ts';
import { useOperation } from '../../data/use-operation.ts';
import { createShading, type Shading } from '../../map/shading.ts';
import { useQueryState } from '../../router/use-query-state.ts';

/** Of these the names of metrics are asked for; the others declare theirs, or have the same. */
const askedForNames = 12;

export interface ShadingChoice {
  metric: string;
  options: readonly (readonly [value: string, label: string])[];
  setMetric: (metric: string) => void;
  words: MetricWords;
  /** Undefined while no metric is chosen or no value is known. */
  shading: Shading | undefined;
}

export function useShading(agents: readonly FleetAgent[] | undefined): ShadingChoice {
  const [metric, setMetric] = useQueryState('colour');
  const asked = useMemo(() => spread(agents ?? [], askedForNames), [agents?.length]);
  const named = useOperation('metrics_latest', { query: { agents: asked } }, { isWanted: asked.length > 0 });
  const options = useMemo(() => metricOptions(agents ?? [], named.data?.agents ?? []), [agents?.length, named.data]);
  const latest = useOperation(
    'metrics_latest',
    { query: { metrics: [metric] } },
    { isWanted: metric !== '', pollMs: (data) => fleetPollMs(data.agents.length) },
  );
  const shading = useMemo(() => {
    if (metric === '' || !agents || !latest.data) return undefined;
    // What one reported before it went to sleep or away says nothing about now.
    const serving = new Set(agents.filter(({ state }) => isInService(state)).map(({ ap_id }) => ap_id));
    const values = latest.data.agents.flatMap(({ ap_id, metrics }) => {
      const value = (metrics[metric] as { value?: unknown } | undefined)?.value;
      return typeof value === 'number' && serving.has(ap_id) ? [[ap_id, value] as const] : [];
    });
    return createShading(metric, new Map(values));
  }, [metric, agents, latest.data]);
  const declaring = agents?.find(({ configuration }) => metric in declared(configuration));
  return { metric, setMetric, options, words: metricWords(declaring?.configuration ?? {}, metric), shading };
}

function metricOptions(
  agents: readonly FleetAgent[],
  latest: readonly { metrics: Record<string, unknown> }[],
): [string, string][] {
  const found = new Map<string, string>();
  for (const { configuration } of agents) {
    for (const name of Object.keys(declared(configuration))) {
      if (!found.has(name)) found.set(name, metricWords(configuration, name).label);
    }
  }
  for (const { metrics } of latest) {
    for (const [name, newest] of Object.entries(metrics)) {
      const isNumber = typeof (newest as { value?: unknown } | null)?.value === 'number';
      if (isNumber && !found.has(name)) found.set(name, metricWords({}, name).label);
    }
  }
  return [...found].sort(([, a], [, b]) => a.localeCompare(b));
}

function declared(configuration: Record<string, unknown>): Record<string, unknown> {
  const { metrics } = configuration;
  return typeof metrics === 'object' && metrics !== null ? (metrics as Record<string, unknown>) : {};
}

function spread(agents: readonly FleetAgent[], most: number): string[] {
  const step = Math.max(1, Math.ceil(agents.length / most));
  return agents.filter((_, index) => index % step === 0).map(({ ap_id }) => ap_id);
}
