// The event log: what happened, for people and programs.

import { Page } from './answers.ts';
import * as Type from './schema/schema.ts';

export const EventSeverity = Type.Enum(['info', 'warning', 'minor', 'major', 'critical'], { title: 'EventSeverity' });

export const EventItem = Type.Named('EventItem', {
  id: Type.Integer({ description: 'Grows from event to event; may leave gaps.' }),
  ts: Type.String({ format: 'date-time', description: 'When it was logged; never before that of a lower id.' }),
  kind: Type.String({ description: 'What happened, such as `agent.offline`.' }),
  subject_kind: Type.String({ description: 'What it is about: `agent`, `command`, `alarm`, `site` and so on.' }),
  subject: Type.String({ description: 'Its name or id.' }),
  ap_id: Type.OrNull(Type.String(), {
    description: 'The agent that it is about, whatever the subject is; null if it is about none, or about many.',
  }),
  site: Type.OrNull(Type.String(), { description: 'The path of the site at that time.' }),
  severity: EventSeverity,
  text: Type.String({ description: 'A sentence for people.' }),
  data: Type.Record(Type.String(), Type.Unknown(), { description: 'For programs; by kind.' }),
});
export type EventItem = Type.Static<typeof EventItem>;

export const EventList = Page(EventItem, 'EventList', {
  next: 'Pass it as `cursor` for the next page; null at the end. A page may be empty and not the last one: one call looks at a bounded number of events.',
});
export type EventList = Type.Static<typeof EventList>;
