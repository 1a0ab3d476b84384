// The cards of a run: its access points and where they stand, its counters, and what it told.
import type { EmulatorRun, EmulatorRunWithAgents } from '../../../api/client.ts';
import { Notice, SkeletonLines } from '../../../components/feedback.tsx';
import { Glyph, StateChip } from '../../../components/glyph.tsx';
import { StatCard } from '../../../components/stat-card.tsx';
import { type Column, column, Table } from '../../../components/tables/table.tsx';
import { agentName, worstFirst } from '../../../data/agents.ts';
import type { FleetAgent } from '../../../data/fleet.ts';
import { formatMoment, formatNumber, formatSpan, formatValue, splitUnit } from '../../../format.ts';
import { LazyFleetMap } from '../../../map/lazy-fleet-map.tsx';
import { type RunEvent, RunProgress, toRunEvent } from './run-words.tsx';

const text = { ofAll: (count: string) => `of ${count}`, agents: 'Access points' };

const columns: Column<FleetAgent>[] = [
  {
    name: 'name',
    title: 'Name',
    sort: ({ ap_id }) => agentName(ap_id),
    cell: ({ ap_id, technology, state }) => (
      <span class="chip" title={ap_id}>
        <Glyph technology={technology} state={state} />
        {agentName(ap_id)}
      </span>
    ),
  },
  column('state', 'State', '96px', {
    sort: ({ state }) => worstFirst.indexOf(state),
    cell: ({ state }) => <StateChip state={state} />,
  }),
];
const textOf = ({ ap_id, state }: FleetAgent) => `${agentName(ap_id)} ${ap_id} ${state}`;

interface RunAgentsProps {
  run: EmulatorRunWithAgents;
  /** Undefined until the fleet is known. */
  agents: readonly FleetAgent[] | undefined;
}

export function RunAgents({ run, agents }: RunAgentsProps) {
  const isGone = run.is_over && run.agents.length === 0;
  return (
    <section class="card stack">
      <h2>{text.agents}</h2>
      {isGone && <p class="soft">The access points of this network have been removed.</p>}
      {!isGone && (
        <div class="run-agents">
          <div class="run-map">{agents && <LazyFleetMap agents={agents} isStill />}</div>
          <div class="run-list">
            {!agents && <SkeletonLines count={5} />}
            {agents && (
              <Table
                label={text.agents}
                rows={agents}
                columns={columns}
                hrefOf={({ ap_id }) => `/agents/${encodeURIComponent(ap_id)}`}
                textOf={textOf}
                initialSort="name"
              />
            )}
          </div>
        </div>
      )}
    </section>
  );
}

const trendLength = 60;
/** Less than this is the ordinary unevenness of a busy machine. */
const lateSeconds = 5;

export function RunCounters({ run, events }: { run: EmulatorRun; events: readonly RunEvent[] }) {
  const latest = run.latest ? toRunEvent(run.latest) : undefined;
  const trend = (pick: (event: RunEvent) => number | undefined) => {
    // Its room is there from the start.
    return { trend: events.slice(-trendLength).map(pick) };
  };
  const isWaiting = latest === undefined && !run.is_over;
  const figure = (value: number | undefined, unit = '') =>
    value !== undefined ? splitUnit(formatValue(value, unit)) : { value: isWaiting ? undefined : '–' };
  const online = run.is_over ? 0 : latest?.agentsOnline;
  const late = latest?.lateBySeconds ?? 0;
  return (
    <>
      {!run.is_over && (
        <section class="card run-time" aria-label="Progress">
          <RunProgress run={run} />
          {latest?.modelTime !== undefined && <span class="soft">Model time {formatMoment(latest.modelTime)}</span>}
        </section>
      )}
      {!run.is_over && late > lateSeconds && (
        <Notice
          kind="warning"
          title={`The emulation is ${formatSpan(late, 2)} of model time behind: this machine is too slow. Use a lower speed or fewer devices.`}
        />
      )}
      {run.is_over && latest && <p class="soft">The network has ended. These are its last values.</p>}
      <div class="stat-grid">
        <StatCard
          label="Online"
          {...figure(online)}
          detail={text.ofAll(formatNumber(run.access_points))}
          {...trend(({ agentsOnline }) => agentsOnline)}
        />
        <StatCard
          label="Devices served"
          {...figure(latest?.served)}
          detail={text.ofAll(formatNumber(run.devices))}
          {...trend(({ served }) => served)}
        />
        <StatCard label="Power" {...figure(latest?.powerW, 'W')} {...trend(({ powerW }) => powerW)} />
        <StatCard
          label="Throughput"
          {...figure(latest?.deliveredMbps, 'Mb/s')}
          {...trend(({ deliveredMbps }) => deliveredMbps)}
        />
      </div>
    </>
  );
}
