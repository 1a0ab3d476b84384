// The text of a mail about events.
import { type LoggedEvent, type Severity, severities } from '../../../core/accounts/event-log/event-record.ts';
import { escapeHtml, type Mail, oneLine } from '../../../core/base/mail/mailer.ts';
import { localTime } from './quiet-hours.ts';

/** More are counted. */
const maxListed = 100;

export interface MailContext {
  to: string;
  name: string;
  time_zone: string;
  /** Where the dashboard is, if that is known. */
  publicUrl: string | undefined;
}

/** Of an alarm its own severity counts, also when it is cleared. */
export function severityOf({ kind, severity, data }: LoggedEvent): Severity {
  if (!kind.startsWith('alarm.')) return severity;
  return severities.find((each) => each === data.severity) ?? severity;
}

export function notificationMail(
  events: readonly LoggedEvent[],
  { to, name, time_zone, publicUrl }: MailContext,
): Mail {
  const [first] = events;
  const subject =
    events.length === 1
      ? `${severityOf(first!)}: ${oneLine(first!.text)}`
      : `${events.length} events: ${counts(events)}`;
  const rows = events.slice(0, maxListed).map((event) => ({
    time: localTime(event.ts, time_zone),
    severity: severityOf(event),
    // Who writes a text must not write lines of others.
    text: oneLine(event.text),
    place: oneLine([event.ap_id, event.site].filter((each) => each !== null).join(', ')),
  }));
  const rest = events.length > maxListed ? `... and ${events.length - maxListed} more` : '';
  const link = publicUrl === undefined ? '' : `${publicUrl}/events`;
  const foot = `This is the notification "${oneLine(name)}" of Weft.${link && ` All events: ${link}`}`;
  return {
    to,
    // Headers have one line.
    subject: `[Weft] ${subject.slice(0, 180)}`,
    text: [
      ...rows.map(({ time, severity, text, place }) => `${time}  ${severity}  ${text}${place && `  (${place})`}`),
      rest,
      '',
      foot,
      '',
    ]
      .filter((line, index, all) => line !== '' || index >= all.length - 3)
      .join('\n'),
    html: `<table>${rows.map(({ time, severity, text, place }) => `<tr>${[time, severity, text, place].map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`).join('\n')}</table>
<p>${escapeHtml(rest)}</p><p>${escapeHtml(foot)}</p>`,
  };
}

function counts(events: readonly LoggedEvent[]): string {
  return severities
    .toReversed()
    .map((severity) => [events.filter((event) => severityOf(event) === severity).length, severity] as const)
    .filter(([count]) => count > 0)
    .map(([count, severity]) => `${count} ${severity}`)
    .join(', ');
}
