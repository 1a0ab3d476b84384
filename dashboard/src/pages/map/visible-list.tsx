// The access points in the part of the world that the map shows, for keyboard and screen reader: up and down move, Enter
// opens.
import { useId, useRef, useState } from 'preact/hooks';
import { AgentName } from '../../components/agent-name.tsx';
import { Glyph } from '../../components/glyph.tsx';
import type { FleetAgent } from '../../data/fleet.ts';
import { formatNumber } from '../../format.ts';
import { componentText } from '../../text/components.ts';
import { mapText } from '../../text/map.ts';

interface VisibleListProps {
  agents: readonly FleetAgent[];
  /** All that match the filter, visible or not. */
  all: readonly FleetAgent[];
  onPoint: (ap_id: string | undefined) => void;
  onSelect: (ap_id: string) => void;
}

const maxShown = 200;

export function VisibleList({ agents, all, onPoint, onSelect }: VisibleListProps) {
  const text = mapText.list;
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
        <h2>{text.title}</h2>
        <span class="faint small" aria-live="polite">
          {text.count(formatNumber(agents.length), formatNumber(all.length))}
        </span>
      </header>
      {shown.length === 0 && <p class="soft">{text.nowhere}</p>}
      <div
        class="visible-list"
        role="listbox"
        aria-label={text.label}
        aria-activedescendant={active >= 0 && active < shown.length ? `${id}-${active}` : undefined}
        tabIndex={0}
        ref={list}
        onKeyDown={onKeyDown}
        onBlur={() => onPoint(undefined)}
        onPointerLeave={() => onPoint(undefined)}
      >
        {shown.map(({ ap_id, technology, state }, index) => (
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
          </div>
        ))}
      </div>
      {agents.length > maxShown && <p class="faint small">{text.more(formatNumber(agents.length - maxShown))}</p>}
      {noLocation > 0 && <p class="faint small">{text.noLocation(formatNumber(noLocation))}</p>}
    </>
  );
}
