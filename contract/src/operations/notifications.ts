// Who is told of which events by e-mail.

import { pageFields } from '../core/answers.ts';
import { EventSeverity } from '../core/events.ts';
import * as Type from '../core/schema/schema.ts';

const Clock = Type.String({
  pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  description: 'On the clock of the time zone, such as `22:00`.',
});

export const QuietHours = Type.Object(
  {
    from: Clock,
    until: Clock,
    except: Type.Optional.Array(EventSeverity, {
      maxItems: 5,
      default: ['critical'],
      description: 'Severities that are told all the same, with what waits.',
    }),
  },
  { title: 'QuietHours', description: 'What happens in these hours is told at their end.' },
);
export type QuietHours = Type.Static<typeof QuietHours>;

export const NotificationInput = Type.Named('NotificationInput', {
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
  email: Type.String({ format: 'email', maxLength: 320 }),
  events: Type.Optional.Array(Type.String(), {
    format: 'event-kinds',
    default: ['alarm.fired', 'alarm.cleared'],
    description: 'Kinds of events (`agent.offline`), families (`alarm.*`) or all (`*`).',
  }),
  severities: Type.Optional.Array(EventSeverity, {
    minItems: 1,
    maxItems: 5,
    default: ['critical', 'major'],
    description: 'Of the event; for an alarm, of the alarm.',
  }),
  selector: Type.Optional.String({ maxLength: 1000, format: 'selector', default: '' }),
  digest_minutes: Type.Optional.Integer({
    minimum: 0,
    maximum: 10_080,
    default: 0,
    description:
      'Collects events for this long after the first one. 0: told at once, together with what comes within seconds.',
  }),
  quiet: Type.Optional(Type.OrNull(QuietHours)),
  time_zone: Type.Optional.String({
    maxLength: 64,
    format: 'time-zone',
    default: 'UTC',
    description: 'An IANA name, such as `Europe/London`.',
  }),
  enabled: Type.Optional.Boolean({ default: true }),
});
export type NotificationInput = Type.Static<typeof NotificationInput>;

export const Notification = Type.Named('Notification', {
  id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  events: Type.Array(Type.String()),
  severities: Type.Array(EventSeverity),
  selector: Type.String(),
  digest_minutes: Type.Integer(),
  quiet: Type.OrNull(QuietHours),
  time_zone: Type.String(),
  enabled: Type.Boolean(),
  created_by: Type.String(),
  created_at: Type.Timestamp,
  last_sent_at: Type.OrNull(Type.Timestamp),
  failing_since: Type.OrNull(Type.Timestamp),
});
export type Notification = Type.Static<typeof Notification>;

export const NotificationList = Type.Named('NotificationList', {
  ...pageFields(Notification),
  has_mail_server: Type.Boolean({
    description: 'Whether WEFT_SMTP_URL is set; if not, mails are written to files in `outbox/` of the data folder.',
  }),
});
export type NotificationList = Type.Static<typeof NotificationList>;

export const NotificationTest = Type.Object(
  { sent: Type.Boolean(), error: Type.OrNull(Type.String()) },
  { title: 'NotificationTest' },
);
export type NotificationTest = Type.Static<typeof NotificationTest>;
