// Events as lines of a timeline: when, how bad, what happened; those of one kind that came together as one line that opens.
import './event-row.css';
import { useState } from 'preact/hooks';
import { agentName, withAgentName } from '../data/agents.ts';
import { hrefOf, iconOf, type LoggedEvent } from '../data/events.ts';
import { formatExactly, formatMoment, formatNumber } from '../format.ts';
import { Icon } from './button.tsx';
import { SeverityMark } from './glyph.tsx';

const groups = {
  'agent.online': (count: string) => `${count} times an access point came online`,
  'agent.late': (count: string) => `${count} times an access point was late`,
  'agent.offline': (count: string) => `${count} times an access point went offline`,
  'agent.asleep': (count: string) => `${count} times an access point went to sleep`,
  'agent.awake': (count: string) => `${count} times an access point woke up`,
  'agent.onboarded': (count: string) => `${count} access points onboarded`,
  'agent.removed': (count: string) => `${count} access points were removed`,
  'alarm.fired': (count: string) => `${count} alarms`,
  'alarm.cleared': (count: string) => `${count} alarms cleared`,
  'alarm.acknowledged': (count: string) => `${count} alarms acknowledged`,
  'command.accepted': (count: string) => `${count} commands accepted`,
  'command.succeeded': (count: string) => `${count} commands succeeded`,
  'command.failed': (count: string) => `${count} commands failed`,
  'config.changed': (count: string) => `${count} changes of settings`,
  'device.moved': (count: string) => `${count} moves of devices`,
} as Record<string, (count: string) => string>;

export function EventRow({ event }: { event: LoggedEvent }) {
  const { ts, kind, severity, ap_id } = event;
  const text = withAgentName(event.text, ap_id);
  const at = Date.parse(ts);
  const href = hrefOf(event);
  return (
    <li class={`event-row ${severity}`} title={kind}>
      <time dateTime={ts} title={formatExactly(at)}>
        {formatMoment(at)}
      </time>
      {severity === 'info' ? <Icon name={iconOf(kind)} size={14} /> : <SeverityMark severity={severity} />}
      {href === undefined ? (
        <span title={text}>{text}</span>
      ) : (
        <a href={href} title={text}>
          {text}
        </a>
      )}
    </li>
  );
}

const maxNames = 3;

/** `events`: newest first, of one kind and severity; one alone is a line. */
export function EventGroup({ events }: { events: readonly LoggedEvent[] }) {
  const [isOpen, setOpen] = useState(false);
  if (events.length === 1) return <EventRow event={events[0]!} />;
  const { kind, severity, ts } = events[0]!;
  const count = formatNumber(events.length);
  const ap_ids = [...new Set(events.flatMap(({ ap_id }) => ap_id ?? []))];
  const names = ap_ids.slice(0, maxNames).map(agentName).join(', ');
  const words = groups[kind]?.(count) ?? `${count} events ${kind}`;
  return (
    <li class={`event-group ${severity}`}>
      <button type="button" class="event-row" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <time
          dateTime={ts}
          title={`${formatExactly(Date.parse(events.at(-1)!.ts))} – ${formatExactly(Date.parse(ts))}`}
        >
          {formatMoment(ts)}
        </time>
        {severity === 'info' ? <Icon name={iconOf(kind)} size={14} /> : <SeverityMark severity={severity} />}
        <span>
          <strong>{words}</strong>
          {names !== '' && <span class="faint"> {`${names}${ap_ids.length > maxNames ? ' and others' : ''}`}</span>}
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
