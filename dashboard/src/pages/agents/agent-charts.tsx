// The measurements of an agent as charts: one for each unit, so that lines which can be compared share an axis. Its commands and
// conflicts are marks on them: cause beside effect.
import { useMemo } from 'preact/hooks';
import { Chart, ChartCaption, type ChartMark, type TimeRange } from '../../components/chart/chart.tsx';
import { FailureNotice } from '../../components/feedback.tsx';
import type { ShownState } from '../../data/agents.ts';
import { useQueryState } from '../../router/location.ts';
import { agentsText } from '../../text/agents.ts';
import { commandsText } from '../../text/commands.ts';
import { useCommandsOf } from '../commands/agent-commands.tsx';
import { AgentTimeline } from './agent-timeline.tsx';
import { type Metric, useAgentSeries } from './use-agent-series.ts';

export function useAgentMarks(ap_id: string): ChartMark[] {
  const text = agentsText.one;
  const { commands, conflicts } = useCommandsOf(ap_id);
  return useMemo(() => {
    const states = commandsText.states;
    return [
      ...(commands.data ?? []).map(
        ({ created_at, name, state, caller_name }): ChartMark => ({
          time: Date.parse(created_at) / 1000,
          kind: 'command',
          name,
          label: text.command(name, states[state].toLowerCase(), caller_name),
        }),
      ),
      ...(conflicts.data?.conflicts ?? []).map(
        ({ ts, parameter }): ChartMark => ({
          time: Date.parse(ts) / 1000,
          kind: 'conflict',
          name: text.conflictShort,
          label: text.conflict(parameter),
        }),
      ),
    ];
  }, [commands.data, conflicts.data]);
}

interface AgentChartsProps {
  ap_id: string;
  metrics: readonly Metric[];
  windowSeconds: number;
  zoom: TimeRange | undefined;
  isPaused: boolean;
  state: ShownState | undefined;
  newest: Record<string, unknown> | undefined;
  /** See Chart. */
  staleBefore: number | undefined;
  onZoom: (range: TimeRange | undefined) => void;
}

interface Panel {
  title: string;
  unit: string;
  names: string[];
  labels: string[];
}

const maxLines = 6;

export function AgentCharts(props: AgentChartsProps) {
  const { ap_id, metrics, windowSeconds, zoom, isPaused, state, newest, staleBefore, onZoom } = props;
  const panels = useMemo(() => toPanels(metrics), [metrics]);
  const series = useAgentSeries({ ap_id, metrics, windowSeconds, zoom, isPaused, newest });
  const { lines, range, resolutionSeconds, failure } = series;
  const marks = useAgentMarks(ap_id);
  // In the address, so that a link shows what its sender looks at.
  const [large, setLarge] = useQueryState('chart');
  return (
    <>
      {failure && <FailureNotice failure={failure} />}
      <AgentTimeline {...{ ap_id, range, state }} isPast={zoom !== undefined || isPaused} />
      <div class="chart-grid">
        {panels.map(({ title, unit, names, labels }) => (
          <Chart
            key={title + unit}
            {...{ title, unit, labels }}
            size={names[0] === large ? 'large' : 'small'}
            onResize={() => setLarge(names[0] === large ? '' : names[0]!)}
            lines={lines && names.map((name) => lines.get(name)).filter((line) => line !== undefined)}
            range={range}
            resolutionSeconds={resolutionSeconds}
            marks={marks}
            staleBefore={staleBefore}
            hasCaption={false}
            onZoom={onZoom}
          />
        ))}
      </div>
      <ChartCaption lines={lines && [...lines.values()]} resolutionSeconds={resolutionSeconds} />
      {marks.length > 0 && <p class="faint small">{agentsText.one.marks}</p>}
    </>
  );
}

function toPanels(metrics: readonly Metric[]): Panel[] {
  const byUnit = new Map<string, Metric[]>();
  for (const metric of metrics) {
    const { unit } = metric;
    // Plain numbers have nothing in common but that they have no unit.
    const key = unit === '' ? ` ${metric.name}` : unit;
    byUnit.set(key, [...(byUnit.get(key) ?? []), metric]);
  }
  return [...byUnit].flatMap(([key, group]) => {
    const parts = Array.from({ length: Math.ceil(group.length / maxLines) }, (_, index) =>
      group.slice(index * maxLines, (index + 1) * maxLines),
    );
    return parts.map((part) => ({
      title: panelTitle(part),
      unit: key.startsWith(' ') ? '' : key,
      names: part.map(({ name }) => name),
      labels: part.map(({ label }) => label),
    }));
  });
}

function panelTitle(metrics: readonly Metric[]): string {
  const labels = metrics.map(({ label }) => label);
  return labels.length <= 3 ? labels.join(', ') : `${labels.slice(0, 2).join(', ')} …`;
}
