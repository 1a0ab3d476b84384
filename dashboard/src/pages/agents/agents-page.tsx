// All agents: who is there, of what kind, and when each was last heard of.
import { useCallback, useMemo, useState } from 'preact/hooks';
import { AgentName } from '../../components/agent-name.tsx';
import { Button, ButtonLink } from '../../components/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { Choice } from '../../components/forms/choice.tsx';
import { Glyph, StateChip } from '../../components/glyph.tsx';
import { Page } from '../../components/layout/page.tsx';
import { type Column, Table } from '../../components/tables/table.tsx';
import { worstFirst } from '../../data/agent-state.ts';
import { type FleetAgent, useFleet } from '../../data/fleet.ts';
import { queries } from '../../data/use-operation.ts';
import { formatSpan } from '../../format/times.ts';
import { useQueryState } from '../../router/use-query-state.ts';
import { session } from '../../session/session.ts';
import { agentsText } from '../../text/agents.ts';
import { componentText } from '../../text/components.ts';
import { overviewText } from '../../text/overview.ts';
import { pageTitles } from '../../text/pages.ts';
import { LastSeen } from './last-seen.tsx';
import { RegisterAgentDialog } from './register-agent-dialog.tsx';

const text = agentsText.columns;
const filters = ['state', 'type'];
const seenAt = ({ details }: FleetAgent) => (details?.last_seen ? Date.parse(details.last_seen) : undefined);

const columns: Column<FleetAgent>[] = [
  {
    name: 'name',
    title: text.name,
    width: 'minmax(180px, 2fr)',
    sort: ({ ap_id }) => ap_id,
    cell: ({ ap_id, technology, state }) => (
      <span class="chip">
        <Glyph technology={technology} state={state} />
        <AgentName ap_id={ap_id} />
      </span>
    ),
  },
  {
    name: 'type',
    title: text.technology,
    width: '72px',
    sort: ({ technology }) => technology,
    cell: ({ technology }) => technology ?? '–',
    isWideOnly: true,
  },
  {
    name: 'state',
    title: text.state,
    width: '96px',
    sort: ({ state }) => worstFirst.indexOf(state),
    cell: ({ state }) => <StateChip state={state} />,
  },
  {
    name: 'seen',
    title: text.lastSeen,
    width: '110px',
    align: 'end',
    // Upwards is the freshest first, as ages are read.
    sort: (agent) => {
      const at = seenAt(agent);
      return at === undefined ? undefined : -at;
    },
    cell: ({ details }) => <LastSeen at={details?.last_seen} />,
    // Names are long; whether it is there says the state.
    isWideOnly: true,
  },
  {
    name: 'interval',
    title: text.interval,
    width: '110px',
    align: 'end',
    sort: ({ details }) => details?.report_interval_seconds,
    cell: ({ details }) => (details ? formatSpan(details.report_interval_seconds) : '–'),
    isWideOnly: true,
  },
  {
    name: 'commands',
    title: text.commands,
    width: '120px',
    sort: ({ details }) => (details?.command_ready ? 0 : 1),
    cell: ({ details }) =>
      details?.command_ready ? agentsText.commandReady : <span class="faint">{agentsText.notReady}</span>,
    isWideOnly: true,
  },
  {
    name: 'site',
    title: text.site,
    sort: ({ site }) => site || undefined,
    cell: ({ site }) => site || <span class="faint">–</span>,
    isWideOnly: true,
  },
];

export function AgentsPage() {
  const { agents, failure } = useFleet();
  const [state, setState] = useQueryState('state');
  const [type, setType] = useQueryState('type');
  const rows = useMemo(
    () => agents?.filter((agent) => (!state || agent.state === state) && (!type || agent.technology === type)),
    [agents, state, type],
  );
  const textOf = useCallback(
    ({ ap_id, technology, state, site }: FleetAgent) => `${ap_id} ${technology ?? ''} ${state} ${site}`,
    [],
  );
  const [isRegistering, setRegistering] = useState(false);
  const isAdmin = session.value?.isAdmin === true;
  const register = (
    <Button icon="plus" onClick={() => setRegistering(true)}>
      {overviewText.empty.register}
    </Button>
  );
  return (
    <Page title={pageTitles.agents} isFilling actions={isAdmin && agents && agents.length > 0 && register}>
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('metrics_')} />}
      {!rows && !failure && <SkeletonLines count={10} />}
      {agents?.length === 0 && (
        <EmptyState
          title={agentsText.empty.title}
          actions={
            <>
              <ButtonLink kind="primary" href="/">
                {agentsText.empty.demo}
              </ButtonLink>
              {isAdmin && register}
            </>
          }
        >
          {agentsText.empty.words}
        </EmptyState>
      )}
      {rows && agents && agents.length > 0 && (
        <Table
          label={pageTitles.agents}
          rows={rows}
          columns={columns}
          keyOf={({ ap_id }) => ap_id}
          hrefOf={({ ap_id }) => `/agents/${encodeURIComponent(ap_id)}`}
          textOf={textOf}
          initialSort="name"
          filteredBy={filters}
          tools={
            <>
              <Choice
                label={agentsText.stateFilter}
                value={state}
                onChange={setState}
                options={[['', agentsText.allStates], ...Object.entries(componentText.states)]}
              />
              <Choice
                label={agentsText.typeFilter}
                value={type}
                onChange={setType}
                options={[
                  ['', agentsText.allTypes],
                  ...['5G', 'WiFi', 'LiFi'].map((name): [string, string] => [name, name]),
                ]}
              />
            </>
          }
        />
      )}
      {isRegistering && <RegisterAgentDialog onClose={() => setRegistering(false)} />}
    </Page>
  );
}
