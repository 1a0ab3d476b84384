import { expect, test } from 'vitest';
import type { LoggedEvent } from '../../../core/accounts/event-log/event-record.ts';
import { notificationMail } from './notification-mail.ts';

const context = { to: 'a@weft.test', name: 'on call', time_zone: 'America/New_York', publicUrl: 'https://weft.test' };
const event = (more: Partial<LoggedEvent> = {}): LoggedEvent => ({
  id: 1,
  ts: Date.parse('2026-07-01T12:00:00Z'),
  kind: 'alarm.fired',
  subject_kind: 'alarm',
  subject: 'x',
  ap_id: 'ap-1',
  site: 'uk/hall',
  severity: 'info',
  text: 'Latency <high>\r\nBcc: b@weft.test',
  data: { severity: 'critical' },
  ...more,
});

test('one event is the subject, in one line; times are those of the recipient', () => {
  const { to, subject, text, html } = notificationMail([event()], context);
  expect(to).toBe('a@weft.test');
  expect(subject).toBe('[Weft] critical: Latency <high> Bcc: b@weft.test');
  expect(text).toContain('2026-07-01 08:00:00 EDT');
  expect(text).toContain('(ap-1, uk/hall)');
  expect(text).toContain('https://weft.test/events');
  expect(html).toContain('Latency &#60;high&#62;');
});

test('many are counted by severity, and listed up to a hundred', () => {
  const events = Array.from({ length: 150 }, (_, id) =>
    event({ id, data: { severity: id % 3 ? 'major' : 'critical' } }),
  );
  const { subject, text } = notificationMail(events, context);
  expect(subject).toBe('[Weft] 150 events: 50 critical, 100 major');
  expect(text).toContain('... and 50 more');
});
