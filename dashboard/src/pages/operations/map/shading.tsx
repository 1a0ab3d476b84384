// The colours of the access points by a metric that somebody chose, and their legend; its name is in the address.
import { ownOf } from '@weft/contract/is-object';
import { useMemo } from 'preact/hooks';
import { isInService } from '../../../data/agents.ts';
import { type FleetAgent, fleetPollMs } from '../../../data/fleet.ts';
import { declaredMetrics, type MetricWords, metricWords, useMetricNames } from '../../../data/metrics.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { formatValue } from '../../../format.ts';
import { createShading, gradient, type Shading } from '../../../map/radio-colours.ts';
import { useQueryState } from '../../../router/location.ts';

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
      const value = (ownOf(metrics, metric) as { value?: unknown } | undefined)?.value;
      return typeof value === 'number' && serving.has(ap_id) ? [[ap_id, value] as const] : [];
    });
    return createShading(metric, new Map(values));
  }, [metric, agents, latest.data]);
  const declaring = agents?.find(({ configuration }) => Object.hasOwn(declaredMetrics(configuration), metric));
  return { metric, setMetric, options, words: metricWords(declaring?.configuration ?? {}, metric), shading };
}

export function ShadingLegend({ metric, words, shading }: ShadingChoice) {
  if (metric === '' || !shading) return null;
  const isEmpty = shading.values.size === 0;
  return (
    <section class="shading-legend card" aria-label={`Colours: ${words.label}`}>
      <strong>{words.label}</strong>
      {isEmpty ? (
        <span class="soft small">No access point in service reports it.</span>
      ) : (
        <>
          <i style={{ background: gradient() }} aria-hidden="true" />
          <span class="spread small">
            <span>{formatValue(shading.from, words.unit)}</span>
            <span>{formatValue(shading.to, words.unit)}</span>
          </span>
          <span class="faint small">
            {shading.isLowWorse ? 'Groups show their lowest value.' : 'Groups show their highest value.'}
          </span>
        </>
      )}
    </section>
  );
}
