// The measurements of an agent as charts: one for each unit, so that lines which can be compared share an axis.
import { useMemo } from 'preact/hooks';
import { Chart, type TimeRange } from '../../components/chart/chart.tsx';
import { FailureNotice } from '../../components/notice.tsx';
import { labelWithoutUnit, unitOf } from '../../format/numbers.ts';
import { agentsText } from '../../text/agents.ts';
import { type Metric, useAgentSeries } from './use-agent-series.ts';

interface AgentChartsProps {
  ap_id: string;
  metrics: readonly Metric[];
  windowSeconds: number;
  zoom: TimeRange | undefined;
  isPaused: boolean;
  onZoom: (range: TimeRange | undefined) => void;
}

interface Panel {
  title: string;
  unit: string;
  names: string[];
}

const maxLines = 6;

export function AgentCharts({ ap_id, metrics, windowSeconds, zoom, isPaused, onZoom }: AgentChartsProps) {
  const labelled = useMemo(
    () => metrics.map(({ name, label }) => ({ name, label: labelWithoutUnit(label) })),
    [metrics],
  );
  const panels = useMemo(() => toPanels(metrics), [metrics]);
  const series = useAgentSeries({ ap_id, metrics: labelled, windowSeconds, zoom, isPaused });
  const { lines, range, resolutionSeconds, failure } = series;
  return (
    <>
      {failure && <FailureNotice failure={failure} />}
      <div class="chart-grid">
        {panels.map(({ title, unit, names }) => (
          <Chart
            key={title + unit}
            title={title}
            unit={unit}
            lines={lines && names.map((name) => lines.get(name)).filter((line) => line !== undefined)}
            range={range}
            resolutionSeconds={resolutionSeconds}
            isZoomed={zoom !== undefined}
            onZoom={onZoom}
          />
        ))}
      </div>
    </>
  );
}

function toPanels(metrics: readonly Metric[]): Panel[] {
  const byUnit = new Map<string, Metric[]>();
  for (const metric of metrics) {
    const unit = unitOf(metric.name, metric.label);
    // Plain numbers have nothing in common but that they have no unit.
    const key = unit === '' ? ` ${metric.name}` : unit;
    byUnit.set(key, [...(byUnit.get(key) ?? []), metric]);
  }
  return [...byUnit].flatMap(([key, group]) => {
    const parts = Array.from({ length: Math.ceil(group.length / maxLines) }, (_, index) =>
      group.slice(index * maxLines, (index + 1) * maxLines),
    );
    return parts.map((part) => ({
      title: part.length === 1 ? labelWithoutUnit(part[0]!.label) : panelTitle(part),
      unit: key.startsWith(' ') ? '' : key,
      names: part.map(({ name }) => name),
    }));
  });
}

function panelTitle(metrics: readonly Metric[]): string {
  const labels = metrics.map(({ label }) => labelWithoutUnit(label));
  return labels.length <= 2
    ? labels.join(', ')
    : `${labels.slice(0, 2).join(', ')} … ${agentsText.one.other.toLowerCase()}`;
}
