// What a webhook sends for an event: the event itself, an alert for Prometheus Alertmanager, or a message for a chat.

import { isObject } from '@weft/contract/is-object';
import type { WebhookFormat } from '@weft/contract/operations';
import type { LoggedEvent } from '../../../core/accounts/event-log/event-record.ts';
import { cardText, markdownText, slackText } from './chat-text.ts';

/** An alert without an end is resolved by Alertmanager itself after minutes; this one ends when the alarm is cleared. */
const openEndMs = 365 * 86_400_000;
/** An event that is no alarm is over at once, but has to be seen. */
const shortMs = 5 * 60_000;

export function bodyOf(format: WebhookFormat, event: LoggedEvent): string {
  return JSON.stringify(writers[format](event));
}

const writers: Record<WebhookFormat, (event: LoggedEvent) => unknown> = {
  json: ({ ts, ...event }) => ({ ...event, ts: new Date(ts).toISOString() }),
  alertmanager: (event) => [toAlert(event)],
  slack: (event) => toMessage(slackText, event),
  mattermost: (event) => toMessage(markdownText, event),
  teams: toTeams,
};

/** The labels are what Alertmanager knows an alert by: those of an alarm are the same from its begin to its end. */
function toAlert(event: LoggedEvent) {
  const { kind, ts, text, data } = event;
  const isAlarm = kind.startsWith('alarm.');
  const startsAt = isAlarm && isTime(data.since) ? data.since : new Date(ts).toISOString();
  const endMs = kind === 'alarm.cleared' ? ts : ts + (isAlarm ? openEndMs : shortMs);
  return {
    labels: isAlarm ? alarmLabels(event) : eventLabels(event),
    annotations: annotationsOf({
      summary: text,
      message: data.message,
      state: data.state,
      value: data.value,
      event_id: String(event.id),
    }),
    startsAt,
    endsAt: new Date(endMs).toISOString(),
  };
}

function alarmLabels({ data, subject }: LoggedEvent): Record<string, string> {
  const { rule, ap_id, site, severity, labels } = data;
  return labelsOf({
    ...(isObject(labels) ? labels : {}),
    alertname: typeof rule === 'string' ? rule : 'alarm',
    alarm_id: subject,
    ap_id,
    site,
    severity,
  });
}

function eventLabels({ kind, subject, subject_kind, ap_id, site, severity }: LoggedEvent): Record<string, string> {
  return labelsOf({ alertname: kind, subject, subject_kind, ap_id, site, severity });
}

/** Names of labels have letters, digits and underscores; an empty value is as good as none. */
function labelsOf(values: Record<string, unknown>): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    const text = textOf(value);
    if (text !== '') labels[name.replace(/[^a-zA-Z0-9_]/g, '_').replace(/^(?=[0-9])/, '_')] = text;
  }
  return labels;
}

function annotationsOf(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (textOf(value) === '' ? [] : [[name, textOf(value)]])),
  );
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

const colours: Record<string, string> = {
  critical: '#b00020',
  major: '#d9480f',
  minor: '#e8a200',
  warning: '#e8a200',
  info: '#2f6fab',
};

/** `toText`: how this chat writes what is only text. */
function toMessage(toText: (text: string) => string, event: LoggedEvent) {
  const { severity, kind, text } = event;
  return {
    text: toText(text),
    mrkdwn: false,
    attachments: [
      {
        color: kind === 'alarm.cleared' ? '#2b8a3e' : colours[severity],
        fallback: toText(text),
        fields: factsOf(event).map(([title, value]) => ({ title, value: toText(value), short: true })),
        mrkdwn_in: [],
        ts: Math.floor(event.ts / 1000),
      },
    ],
  };
}

/** An adaptive card, as the workflows of Teams take it. Blocks of runs, because other texts of a card are Markdown. */
function toTeams(event: LoggedEvent) {
  const run = (text: string, more: object = {}) => ({ type: 'TextRun', text: cardText(text), ...more });
  const block = (...inlines: object[]) => ({ type: 'RichTextBlock', inlines });
  const bold = { weight: 'Bolder' };
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            block(run(event.text, bold)),
            ...factsOf(event).map(([title, value]) => block(run(`${title}: `, bold), run(value))),
          ],
        },
      },
    ],
  };
}

function factsOf({ kind, severity, ap_id, site, ts, id }: LoggedEvent): [string, string][] {
  const facts: [string, string | null][] = [
    ['Event', kind],
    ['Severity', severity],
    ['Access point', ap_id],
    ['Site', site],
    ['Time', new Date(ts).toISOString()],
    ['Id', String(id)],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== null);
}
