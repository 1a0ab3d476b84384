// The access points in the part of the world that the map shows, the worst first, for eye, keyboard and screen reader: up and
// down move, Enter opens.
import { useId, useMemo, useRef, useState } from 'preact/hooks';
import type { NetworkHealth } from '../../../api/client.ts';
import { AgentName } from '../../../components/agent-name.tsx';
import { Glyph } from '../../../components/glyph.tsx';
import { agentName } from '../../../data/agents.ts';
import type { FleetAgent } from '../../../data/fleet.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { formatCount, formatNumber } from '../../../format.ts';
import { componentText } from '../../../text/components.ts';
import { reasonOf } from '../overview/figure-words.ts';

type Badness = Pick<NetworkHealth['worst'][number], 'causes' | 'devices_affected'>;
/** With what is wrong with it, if it is among the worst of the network. */
export type RankedAgent = FleetAgent & { badness?: Badness | undefined };

interface VisibleListProps {
  agents: readonly RankedAgent[];
  /** All that match the filter, visible or not. */
  all: readonly FleetAgent[];
  onPoint: (ap_id: string | undefined) => void;
  onSelect: (ap_id: string) => void;
}

const maxShown = 200;

const { compare } = new Intl.Collator('en', { numeric: true });
const byName = (a: FleetAgent, b: FleetAgent) => compare(a.display_name ?? a.ap_id, b.display_name ?? b.ap_id);
/** Of those that are not among the worst: those that are away first. */
const stateRanks: Partial<Record<FleetAgent['state'], number>> = { offline: 0, late: 1 };
const rankOf = ({ state }: FleetAgent) => stateRanks[state] ?? 2;

/** Ranked by the devices that lost service, then by alarms, as the server ranks them; then by state and name. */
export function rankAgents(agents: readonly FleetAgent[], worst: NetworkHealth['worst']): RankedAgent[] {
  const places = new Map(worst.map(({ ap_id }, place) => [ap_id, place]));
  const placeOf = ({ ap_id }: FleetAgent) => places.get(ap_id) ?? worst.length;
  return [...agents]
    .sort((a, b) => placeOf(a) - placeOf(b) || rankOf(a) - rankOf(b) || byName(a, b))
    .map((agent) => ({ ...agent, badness: worst[placeOf(agent)] }));
}

export function useWorst(agents: readonly FleetAgent[], isWanted: boolean): RankedAgent[] {
  const { data } = useOperation('network_health', {}, { pollMs: 10_000, isWanted });
  return useMemo(() => rankAgents(agents, data?.worst ?? []), [agents, data]);
}

export function VisibleList({ agents, all, onPoint, onSelect }: VisibleListProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(-1);
  const shown = agents.slice(0, maxShown);
  const noLocation = all.filter(({ geolocation }) => !geolocation).length;
  const go = (index: number) => {
    const next = Math.max(0, Math.min(shown.length - 1, index));
    setActive(next);
    onPoint(shown[next]?.ap_id);
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      Home: 0,
      End: shown.length - 1,
    };
    const step = steps[event.key];
    const row = shown[active];
    if (event.key === 'Enter' && row) onSelect(row.ap_id);
    if (step === undefined || shown.length === 0) return;
    event.preventDefault();
    go(step);
  };
  return (
    <>
      <header class="spread">
        <h2>
          Visible <span class="faint small">Worst first</span>
        </h2>
        <span class="faint small" aria-live="polite">
          {`${formatNumber(agents.length)} of ${formatNumber(all.length)}`}
        </span>
      </header>
      {shown.length === 0 && <p class="soft">No access points in this part of the map.</p>}
      <div
        class="visible-list"
        role="listbox"
        aria-label="Visible access points"
        aria-activedescendant={active >= 0 && active < shown.length ? `${id}-${active}` : undefined}
        tabIndex={0}
        ref={list}
        onKeyDown={onKeyDown}
        onBlur={() => onPoint(undefined)}
        onPointerLeave={() => onPoint(undefined)}
      >
        {shown.map(({ ap_id, technology, state, badness }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on the list opens the active row
          <div
            key={ap_id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            class="visible-row"
            onClick={() => onSelect(ap_id)}
            onPointerMove={() => onPoint(ap_id)}
          >
            <Glyph technology={technology} state={state} />
            <AgentName ap_id={ap_id} />
            <span class={`state ${state}`}>{componentText.states[state]}</span>
            {badness && <Why ap_id={ap_id} badness={badness} />}
          </div>
        ))}
      </div>
      {agents.length > maxShown && (
        <p class="faint small">{`and ${formatNumber(agents.length - maxShown)} more: zoom in to list them`}</p>
      )}
      {noLocation > 0 && (
        <p class="faint small">{`${formatNumber(noLocation)} without a location are not on the map.`}</p>
      )}
    </>
  );
}

function Why({ ap_id, badness: { causes, devices_affected } }: { ap_id: string; badness: Badness }) {
  const lost = devices_affected > 0 ? [`${formatCount(devices_affected, 'device')} lost service`] : [];
  const cause = reasonOf({ ap_id, display_name: agentName(ap_id), causes: causes.slice(0, 1) });
  const words = [...lost, ...(cause === '' ? [] : [cause])];
  return <span class="why small soft">{words.join(' · ')}</span>;
}
