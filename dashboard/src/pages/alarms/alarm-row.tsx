// One alarm as a line: how bad, what, where, since when, and what is known about it.
import type { Alarm } from '../../api/operations.ts';
import { AgentName } from '../../components/agent-name.tsx';
import { SeverityChip } from '../../components/severity.tsx';
import { withAgentName } from '../../data/agent-names.ts';
import { now } from '../../data/freshness.ts';
import { formatNumber } from '../../format/numbers.ts';
import { formatExactly, formatMoment, formatSpan } from '../../format/times.ts';
import { alarmsText as text } from '../../text/alarms.ts';

export function AlarmWords({ alarm }: { alarm: Alarm }) {
  const { severity, message, ap_id, site, subject, rule, note } = alarm;
  return (
    <>
      <SeverityChip severity={severity} />
      <div class="alarm-words">
        <span class="alarm-message">{withAgentName(message, ap_id)}</span>
        <span class="soft small">
          {ap_id === null ? (
            <strong>{subject}</strong>
          ) : (
            <a href={`/agents/${encodeURIComponent(ap_id)}`}>
              <AgentName ap_id={ap_id} />
            </a>
          )}
          {site && ` · ${site}`} · {rule}
        </span>
        {note && <q class="small">{note}</q>}
      </div>
      <AlarmState alarm={alarm} />
    </>
  );
}

function AlarmState({ alarm }: { alarm: Alarm }) {
  const { state, since, cleared_at, acknowledged_by, shelved_until, silenced_by, inhibited_by, inhibits } = alarm;
  const from = Date.parse(since);
  const isShelved = shelved_until !== null && Date.parse(shelved_until) > now.value;
  const more = [
    acknowledged_by !== null && text.acknowledgedBy(acknowledged_by),
    isShelved && text.shelvedUntil(formatMoment(Date.parse(shelved_until))),
    silenced_by !== null && text.silenced,
    inhibited_by !== null && text.inhibited,
    inhibits > 0 && text.inhibits(formatNumber(inhibits)),
  ].filter((words) => words !== false);
  return (
    <div class="alarm-state small">
      <time dateTime={since} title={formatExactly(from)}>
        {cleared_at === null
          ? text.since(formatSpan(Math.max(1, (now.value - from) / 1000)))
          : `${formatMoment(from)}, ${text.clearedAfter(formatSpan((Date.parse(cleared_at) - from) / 1000, 2))}`}
      </time>
      {more.length > 0 ? (
        <span class="faint">{more.join(' · ')}</span>
      ) : (
        state === 'firing' && <strong>{text.states[state]}</strong>
      )}
    </div>
  );
}
