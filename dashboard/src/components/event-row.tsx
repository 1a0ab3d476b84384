// One event as a line of a timeline: when, how bad, what happened.
import { withAgentName } from '../data/agent-names.ts';
import { hrefOf, iconOf, type LoggedEvent } from '../data/events.ts';
import { formatExactly, formatMoment } from '../format/times.ts';
import './event-row.css';
import { Icon } from './icon.tsx';
import { SeverityMark } from './severity.tsx';

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
