// What the event log says of alarms.
import type { NewEvent } from '../../../core/accounts/event-log/event-record.ts';
import type { AlarmRecord } from './alarm-store.ts';

export type AlarmEventKind = 'fired' | 'acknowledged' | 'cleared' | 'shelved' | 'unshelved';

/** `by` is whoever did it; undefined if it happened by itself. `because`: why, where that does not follow from the alarm. */
export function alarmEvent(kind: AlarmEventKind, alarm: AlarmRecord, by?: string, because?: string): NewEvent {
  const { id, rule, ap_id, site, severity, state, value, message, labels, since, note, shelved_until } = alarm;
  return {
    kind: `alarm.${kind}`,
    subject_kind: 'alarm',
    subject: id,
    site,
    severity: kind === 'cleared' ? 'info' : severity,
    text: because === undefined ? sentence(kind, alarm, by) : `${sentence(kind, alarm, by)} (${because})`,
    data: {
      alarm_id: id,
      rule,
      subject_kind: alarm.subject_kind,
      subject: alarm.subject,
      ...(ap_id !== null && { ap_id }),
      site,
      severity,
      state,
      value,
      message,
      labels,
      since: new Date(since).toISOString(),
      ...(by !== undefined && { by }),
      ...(because !== undefined && { because }),
      ...(note !== null && { note }),
      ...(kind === 'shelved' && { until: new Date(shelved_until!).toISOString() }),
    },
  };
}

function sentence(kind: AlarmEventKind, { message, shelved_until }: AlarmRecord, by = 'Weft'): string {
  if (kind === 'fired') return message;
  if (kind === 'cleared') return `Cleared: ${message}`;
  if (kind === 'acknowledged') return `${by} acknowledged: ${message}`;
  if (kind === 'unshelved') return `No longer shelved: ${message}`;
  return `${by} shelved until ${new Date(shelved_until!).toISOString()}: ${message}`;
}
