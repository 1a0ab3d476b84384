// One event for many agents to which the same happened at once, such as an outage: a count and their names. Whoever may see
// only some of them gets the event with those.
import type { LoggedEvent, NewEvent, Severity } from './event-record.ts';

/** The names are at most so many bytes of the event's data; the count says how many there were. */
const maxNamesBytes = 240 * 1024;

interface Group {
  kind: string;
  /** Ends the sentence "20 access points ...". */
  what: string;
  ap_ids: readonly string[];
  severity?: Severity;
}

export function groupedEvent({ kind, what, ap_ids, severity }: Group): NewEvent {
  const agents: string[] = [];
  let bytes = 0;
  for (const ap_id of ap_ids) {
    bytes += Buffer.byteLength(JSON.stringify(ap_id)) + 1;
    if (bytes > maxNamesBytes) break;
    agents.push(ap_id);
  }
  return {
    kind,
    subject_kind: 'agents',
    subject: 'many',
    severity,
    text: textOf(ap_ids.length, what),
    data: { count: ap_ids.length, what, agents },
  };
}

/** The names in a grouped event; undefined for any other. */
export function groupedNames({ subject_kind, data }: Pick<LoggedEvent, 'subject_kind' | 'data'>): string[] | undefined {
  if (subject_kind !== 'agents' || !Array.isArray(data.agents)) return undefined;
  return data.agents.filter((name) => typeof name === 'string');
}

/** Whether it is about this agent, alone or among others. */
export function isAbout(event: LoggedEvent, ap_id: string): boolean {
  return event.ap_id === ap_id || (groupedNames(event)?.includes(ap_id) ?? false);
}

/** The same event, for those of its agents that `isSeen`; undefined if there are none. */
export function narrowed(event: LoggedEvent, isSeen: (ap_id: string) => boolean): LoggedEvent | undefined {
  const agents = (groupedNames(event) ?? []).filter(isSeen);
  if (agents.length === 0) return undefined;
  const what = String(event.data.what);
  return { ...event, text: textOf(agents.length, what), data: { ...event.data, count: agents.length, agents } };
}

function textOf(count: number, what: string): string {
  return `${count.toLocaleString('en')} access points ${what}`;
}
