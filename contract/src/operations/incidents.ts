// Incidents: alarms that belong together, with who was affected, and what is known of the cause.

import { Page } from '../core/answers.ts';
import { EventItem } from '../core/events.ts';
import { AlarmSeverity } from '../core/fleet.ts';
import * as Type from '../core/schema/schema.ts';
import { AlarmState } from './alarms.ts';

const Timestamp = (description: string) => Type.String({ format: 'date-time', description });
const NullableText = (description: string) => Type.OrNull(Type.String(), { description });

export const IncidentCause = Type.Enum(
  [
    ...['site_away', 'access_point_away', 'backhaul', 'crash', 'jammed_channel', 'failed_rollout', 'conflict'],
    ...['overload', 'weak_signal', 'blocked', 'power', 'clock', 'reports', 'weft', 'unknown'],
  ] as const,
  { title: 'IncidentCause', description: '`unknown`: no cause was found.' },
);
export type IncidentCause = Type.Static<typeof IncidentCause>;

export const IncidentState = Type.Enum(['open', 'acknowledged', 'ended'], { title: 'IncidentState' });
export type IncidentState = Type.Static<typeof IncidentState>;

const incidentFields = {
  id: Type.String({ description: 'That of its first alarm that the caller may see.' }),
  title: Type.String({ description: 'A sentence for people.' }),
  cause: IncidentCause,
  confidence: Type.Number({ minimum: 0, maximum: 1, description: 'How sure that cause is; 0 for `unknown`.' }),
  site: NullableText('The path of the site that has all of it; null if there is none.'),
  started_at: Timestamp('Since when the first condition has held.'),
  ended_at: Type.OrNull(Timestamp('When its last alarm cleared.')),
  state: IncidentState,
  access_points: Type.Integer({ description: 'How many it is about.' }),
  devices_affected: Type.Integer({
    description: 'Devices whose link ended, or got nothing any more, because of these access points.',
  }),
  minutes_lost: Type.Number({ description: 'Of all these devices together.' }),
  alarms: Type.Array(Type.String(), { description: 'Their ids, oldest first; at most 1,000.' }),
  merged_into: NullableText('The incident that it turned out to belong to; its alarms are there.'),
  may_handle: Type.Boolean({ description: 'Whether the caller may acknowledge and silence any of its alarms.' }),
};

export const Incident = Type.Object(incidentFields, {
  title: 'Incident',
  description: 'As far as the caller may see it: the alarms, the access points and all counts.',
});
export type Incident = Type.Static<typeof Incident>;

export const IncidentPage = Page(Incident, 'IncidentPage', {
  items: 'The newest first.',
  next: 'Send it as `cursor` for the next page; null at the end. A page before the end may be short or empty.',
});

const Evidence = Type.Named('Evidence', {
  text: Type.String({ description: 'What was looked at, for people.' }),
  value: Type.OrNull(Type.Number(), { description: 'The number, if it is one.' }),
  unit: Type.String({ description: 'Empty if it has none.' }),
  link: NullableText('Where to see it: a path of the dashboard.'),
});

export const Proposal = Type.Named('Proposal', {
  text: Type.String({ description: 'What to do, for people.' }),
  ap_id: Type.String(),
  command: Type.OrNull(Type.String(), {
    description: 'As `send_command` takes it; its `dry_run` shows what would happen. Null for something else.',
  }),
  link: NullableText('The page where it is done, if it is no command.'),
});
export type Proposal = Type.Static<typeof Proposal>;

export const Diagnosis = Type.Named('Diagnosis', {
  alarm_id: Type.String({ description: 'The alarm that was looked at.' }),
  ap_id: NullableText('Its access point.'),
  cause: IncidentCause,
  text: Type.String({ description: 'The cause in words; `No cause found` is one of the answers.' }),
  scope: Type.Enum(['one', 'some', 'all', 'unknown'], {
    description: 'Whether others of the same kind at its site have the same trouble.',
  }),
  evidence: Type.Array(Evidence, { description: 'Most telling first.' }),
  proposals: Type.Array(Proposal, { maxItems: 2, description: 'None without evidence.' }),
});
export type Diagnosis = Type.Static<typeof Diagnosis>;

export const IncidentDetails = Type.Object(
  {
    ...incidentFields,
    timeline: Type.Array(EventItem, {
      description:
        'What happened to its access points from ten minutes before it to its end, oldest first; at most 200.',
    }),
    affected: Type.Array(
      Type.Object({ ap_id: Type.String(), devices_affected: Type.Integer(), minutes_lost: Type.Number() }),
      { description: 'Its access points, those with most devices first; at most 200.' },
    ),
    alarm_list: Type.Array(
      Type.Object({
        id: Type.String(),
        ap_id: NullableText('Null if it is about more than one.'),
        severity: AlarmSeverity,
        state: AlarmState,
        message: Type.String(),
        since: Timestamp('Since when its condition has held.'),
        cleared_at: Type.OrNull(Timestamp('When it cleared.')),
      }),
      { description: 'Its alarms, oldest first; at most 100.' },
    ),
    diagnosis: Type.OrNull(Diagnosis, { description: 'Of the alarm that says most.' }),
  },
  { title: 'IncidentDetails' },
);
export type IncidentDetails = Type.Static<typeof IncidentDetails>;

export const IncidentSilence = Type.Object(
  { until: Timestamp('Nobody is told of its alarms until then; at most 30 days from now.') },
  { title: 'IncidentSilence' },
);
export type IncidentSilence = Type.Static<typeof IncidentSilence>;
