// The columns of the list of access points. Their names are those by which the server sorts.
import type { AgentListItem } from '../../../api/client.ts';
import { AgentName, LastSeen } from '../../../components/agent-name.tsx';
import { Glyph, HealthMark, StateChip } from '../../../components/glyph.tsx';
import { type Column, column } from '../../../components/tables/table.tsx';
import { isSleeping, isStale, type ShownState, shownState, technologyOf } from '../../../data/agents.ts';
import { type MetricName, metricWords } from '../../../data/metrics.ts';
import { formatMetric } from '../../../format.ts';
import { agentsText } from '../../../text/agents.ts';

const text = agentsText.columns;
const none = <span class="faint">–</span>;

export function stateOfItem({ state, power_state }: AgentListItem): ShownState {
  return shownState(state, isSleeping(power_state));
}

export const agentColumns: Column<AgentListItem>[] = [
  column('name', text.name, 'minmax(190px, 2fr)', {
    sort: true,
    cell: (item) => (
      <span class="chip">
        <Glyph technology={technologyOf(item)} state={stateOfItem(item)} />
        <AgentName ap_id={item.ap_id} />
      </span>
    ),
  }),
  column('access_point_type', text.technology, '64px', {
    sort: true,
    cell: ({ access_point_type }) => access_point_type ?? none,
    isWideOnly: true,
  }),
  column('state', text.state, '116px', {
    sort: true,
    cell: (item) => <StateChip state={stateOfItem(item)} />,
  }),
  column('health', text.health, '112px', {
    sort: true,
    cell: ({ health }) =>
      health === null ? (
        none
      ) : (
        <span class="chip">
          <HealthMark health={health} size={16} /> {agentsText.healthWords[health]}
        </span>
      ),
    isWideOnly: true,
  }),
  column('last_seen', text.lastSeen, '104px', {
    align: 'end',
    sort: true,
    cell: ({ last_seen }) => <LastSeen at={last_seen} />,
    // Names are long; whether it is there says the state.
    isWideOnly: true,
  }),
  column('site', text.site, 'minmax(120px, 1fr)', {
    sort: true,
    cell: ({ site }) => site ?? none,
    isWideOnly: true,
  }),
  column('tags', text.tags, 'minmax(100px, 1fr)', {
    sort: true,
    cell: ({ tags }) => (tags.length === 0 ? none : <span title={tags.join(', ')}>{tags.join(', ')}</span>),
    isWideOnly: true,
  }),
];

export function metricColumn(name: string, known: readonly MetricName[]): Column<AgentListItem> {
  const words = metricWords({}, name, known.find(([metric]) => metric === name)?.[1]);
  return {
    name,
    title: words.label,
    width: '116px',
    align: 'end',
    sort: true,
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
