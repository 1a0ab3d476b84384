// The access points of a run: where they stand, and each with the way to its page.

import type { EmulatorRunWithAgents } from '../../api/operations.ts';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { Glyph, StateChip } from '../../components/glyph.tsx';
import { type Column, Table } from '../../components/tables/table.tsx';
import { agentName } from '../../data/agent-names.ts';
import { worstFirst } from '../../data/agent-state.ts';
import type { FleetAgent } from '../../data/fleet.ts';
import { LazyFleetMap } from '../../map/lazy-fleet-map.tsx';
import { emulatorText } from '../../text/emulator.ts';
import { numberInRun } from './run-words.ts';

const text = emulatorText.run;

const columns: Column<FleetAgent>[] = [
  {
    name: 'name',
    title: text.name,
    sort: ({ ap_id }) => numberInRun(ap_id),
    cell: ({ ap_id, technology, state }) => (
      <span class="chip" title={ap_id}>
        <Glyph technology={technology} state={state} />
        {agentName(ap_id)}
      </span>
    ),
  },
  {
    name: 'state',
    title: text.state,
    width: '96px',
    sort: ({ state }) => worstFirst.indexOf(state),
    cell: ({ state }) => <StateChip state={state} />,
  },
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
      {isGone && <p class="soft">{text.agentsGone}</p>}
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
                keyOf={({ ap_id }) => ap_id}
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
