// The colours of the access points by a metric that somebody chose; its name is in the address.
import { useMemo } from 'preact/hooks';
import { isInService } from '../../data/agent-state.ts';
import { type FleetAgent, fleetPollMs } from '../../data/fleet.ts';
import { declaredMetrics, useMetricNames } from '../../data/metric-names.ts';
import { type MetricWords, metricWords } from '../../data/metric-words.ts';
import { useOperation } from '../../data/use-operation.ts';
import { createShading, type Shading } from '../../map/shading.ts';
import { useQueryState } from '../../router/use-query-state.ts';

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
  const options = useMetricNames();
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
  const declaring = agents?.find(({ configuration }) => metric in declaredMetrics(configuration));
  return { metric, setMetric, options, words: metricWords(declaring?.configuration ?? {}, metric), shading };
}
