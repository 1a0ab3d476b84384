// The measurements of an agent as charts: one for each unit, so that lines which can be compared share an axis. Its commands and
// conflicts are marks on them: cause beside effect.
import { useMemo } from 'preact/hooks';
import { Chart, ChartCaption, type ChartMark, type TimeRange } from '../../../components/chart/chart.tsx';
import type { ChartLine } from '../../../components/chart/chart-shape.ts';
import { FailureNotice } from '../../../components/feedback.tsx';
import { forecast, ghostLines, secondsAhead } from '../../../components/look-ahead.tsx';
import type { ShownState } from '../../../data/agents.ts';
import { useQueryState } from '../../../router/location.ts';
import { commandsText } from '../../../text/pages.ts';
import { useCommandsOf } from '../commands/agent-commands.tsx';
import { AgentTimeline } from './agent-timeline.tsx';
import type { AgentAlarms } from './use-agent-alarms.ts';
import { type AgentSeriesOptions, type Metric, useAgentSeries } from './use-agent-series.ts';

export function useAgentMarks(ap_id: string): ChartMark[] {
  const { commands, conflicts } = useCommandsOf(ap_id);
  return useMemo(() => {
    return [
      ...(commands.data ?? []).map(
        ({ created_at, name, state, caller_name }): ChartMark => ({
          time: Date.parse(created_at) / 1000,
          kind: 'command',
          name,
          label: `${name} by ${caller_name}: ${commandsText.states[state].toLowerCase()}`,
        }),
      ),
      ...(conflicts.data?.items ?? []).map(
        ({ ts, parameter }): ChartMark => ({
          time: Date.parse(ts) / 1000,
          kind: 'conflict',
          name: 'conflict',
          label: `Conflict on ${parameter}`,
        }),
      ),
    ];
  }, [commands.data, conflicts.data]);
}

interface AgentChartsProps extends AgentSeriesOptions {
  state: ShownState | undefined;
  alarms: AgentAlarms;
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

type Lines = ReadonlyMap<string, ChartLine>;

const maxLines = 6;

export function AgentCharts(props: AgentChartsProps) {
  const { ap_id, metrics, windowSeconds, zoom, isPaused, state, newest, staleBefore, alarms, onZoom } = props;
  const panels = useMemo(() => toPanels(metrics), [metrics]);
  const series = useAgentSeries({ ap_id, metrics, windowSeconds, zoom, isPaused, newest });
  const { lines, resolutionSeconds, failure } = series;
  const ahead = zoom || isPaused ? undefined : forecast.value;
  const aheadSeconds = ahead ? secondsAhead(windowSeconds, ahead.minutes) : 0;
  const ghosts = useMemo(() => ahead && lines && ghostLines(lines, ap_id, ahead, aheadSeconds), [ahead, lines]);
  const range = { from: series.range.from, to: series.range.to + aheadSeconds };
  const marks = useAgentMarks(ap_id);
  // In the address, so that a link shows what its sender looks at.
  const [large, setLarge] = useQueryState('chart');
  return (
    <>
      {failure && <FailureNotice failure={failure} />}
      <AgentTimeline {...{ ap_id, range, state }} isPast={zoom !== undefined || isPaused} />
      <div class="card chart-stack">
        {panels.map(({ title, unit, names, labels }, index) => (
          <Chart
            key={title + unit}
            {...{ title, unit, labels }}
            size={names[0] === large ? 'large' : 'stacked'}
            hasTimes={index === panels.length - 1}
            onResize={() => setLarge(names[0] === large ? '' : names[0]!)}
            lines={lines && linesOf(names, lines, ghosts)}
            alarm={alarms.ofChart(names)}
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
      <p class="faint small">
        {(marks.length > 0 || alarms.ofChart([])) &&
          'Vertical lines are commands, dashed ones conflicts; shaded: an alarm rang, with its limit as a dashed line.'}{' '}
        Click a chart to mark a moment on all of them; drag to zoom, double-click to go back.
      </p>
    </>
  );
}

/** Ghosts behind what they are ghosts of, so that those keep their colours. */
function linesOf(names: readonly string[], lines: Lines, ghosts: Lines | undefined): ChartLine[] {
  return [lines, ghosts].flatMap((each) => names.flatMap((name) => each?.get(name) ?? []));
}

function toPanels(metrics: readonly Metric[]): Panel[] {
  // Plain numbers have nothing in common but that they have no unit.
  const byUnit = Map.groupBy(metrics, ({ unit, name }) => (unit === '' ? ` ${name}` : unit));
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
