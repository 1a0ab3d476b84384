// Events of one kind that came together, as one line that opens.
import { useState } from 'preact/hooks';
import { agentName } from '../data/agent-names.ts';
import { iconOf, type LoggedEvent } from '../data/events.ts';
import { formatNumber } from '../format/numbers.ts';
import { formatExactly, formatMoment } from '../format/times.ts';
import { eventsText as text } from '../text/events.ts';
import { EventRow } from './event-row.tsx';
import { Icon } from './icon.tsx';
import { SeverityMark } from './severity.tsx';

const maxNames = 3;

/** `events`: newest first, of one kind and severity. */
export function EventGroup({ events }: { events: readonly LoggedEvent[] }) {
  const [isOpen, setOpen] = useState(false);
  const { kind, severity, ts } = events[0]!;
  const count = formatNumber(events.length);
  const ap_ids = [...new Set(events.flatMap(({ ap_id }) => ap_id ?? []))];
  const names = ap_ids.slice(0, maxNames).map(agentName).join(', ');
  const words = text.groups[kind]?.(count) ?? text.anyGroup(count, kind);
  return (
    <li class={`event-group ${severity}`}>
      <button type="button" class="event-row" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <time
          dateTime={ts}
          title={`${formatExactly(Date.parse(events.at(-1)!.ts))} – ${formatExactly(Date.parse(ts))}`}
        >
          {formatMoment(Date.parse(ts))}
        </time>
        {severity === 'info' ? <Icon name={iconOf(kind)} size={14} /> : <SeverityMark severity={severity} />}
        <span>
          <strong>{words}</strong>
          {names !== '' && <span class="faint"> {text.among(names, ap_ids.length > maxNames)}</span>}
        </span>
        <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size={16} />
      </button>
      {isOpen && (
        <ol class="event-list">
          {events.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </ol>
      )}
    </li>
  );
}
