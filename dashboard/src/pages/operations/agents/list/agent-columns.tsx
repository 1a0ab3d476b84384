// The columns of the list of access points. Their names are those by which the server sorts.
import type { AgentListItem } from '../../../../api/client.ts';
import { AgentName, LastSeen } from '../../../../components/agent-name.tsx';
import { Glyph, HealthMark, StateChip } from '../../../../components/glyph.tsx';
import { type Column, column, wideColumn } from '../../../../components/tables/table.tsx';
import { isSleeping, isStale, type ShownState, shownState, technologyOf } from '../../../../data/agents.ts';
import { type MetricName, metricWords } from '../../../../data/metrics.ts';
import { formatMetric } from '../../../../format.ts';
import { agentsText } from '../../../../text/pages.ts';

const none = <span class="faint">–</span>;

export function stateOfItem({ state, power_state }: AgentListItem): ShownState {
  return shownState(state, isSleeping(power_state));
}

export const agentColumns: Column<AgentListItem>[] = [
  column('name', 'Name', 'minmax(190px, 2fr)', {
    cell: (item) => (
      <span class="chip">
        <Glyph technology={technologyOf(item)} state={stateOfItem(item)} />
        <AgentName ap_id={item.ap_id} />
      </span>
    ),
  }),
  wideColumn('access_point_type', 'Type', '64px', {
    cell: ({ access_point_type }) => access_point_type ?? none,
  }),
  column('state', 'State', '116px', { cell: (item) => <StateChip state={stateOfItem(item)} /> }),
  wideColumn('health', 'Health', '112px', {
    cell: ({ health }) =>
      health === null ? (
        none
      ) : (
        <span class="chip">
          <HealthMark health={health} size={16} /> {agentsText.healthWords[health]}
        </span>
      ),
  }),
  wideColumn('last_seen', 'Last report', '104px', {
    align: 'end',
    cell: ({ last_seen }) => <LastSeen at={last_seen} />,
    // Names are long; whether it is there says the state.
  }),
  wideColumn('site', 'Site', 'minmax(120px, 1fr)', { cell: ({ site }) => site ?? none }),
  wideColumn('tags', agentsText.columns.tags, 'minmax(100px, 1fr)', {
    cell: ({ tags }) => (tags.length === 0 ? none : <span title={tags.join(', ')}>{tags.join(', ')}</span>),
  }),
];

export function metricColumn(name: string, known: readonly MetricName[]): Column<AgentListItem> {
  const words = metricWords({}, name, known.find(([metric]) => metric === name)?.[1]);
  return {
    name,
    title: words.label,
    width: '116px',
    align: 'end',
    cell: (item) => {
      const { ts, value } = (item.latest?.[name] ?? {}) as { ts?: string; value?: unknown };
      if (typeof value !== 'number' || ts === undefined) return none;
      const shown = formatMetric(name, value, words.unit);
      // How often it reports is not in the list; whoever reports at all does so at least every minute.
      const told = { last_seen: item.last_seen, report_interval_seconds: 30 };
      return isStale(ts, stateOfItem(item), told) ? <span class="stale-value">{shown}</span> : shown;
    },
  };
}
