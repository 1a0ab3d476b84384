import { expect, test } from 'vitest';
import type { LoggedEvent } from '../../../core/accounts/event-log/event-record.ts';
import { bodyOf } from './webhook-bodies.ts';

const event: LoggedEvent = {
  id: 7,
  ts: Date.UTC(2026, 0, 2),
  kind: 'alarm.fired',
  subject_kind: 'alarm',
  subject: 'a-1',
  ap_id: 'ap-1',
  site: null,
  severity: 'critical',
  text: 'ap-1 <b> & co',
  data: { rule: 'r' },
};

test('json is the event with its time as text', () => {
  expect(JSON.parse(bodyOf('json', event))).toEqual({ ...event, ts: '2026-01-02T00:00:00.000Z' });
});

test('slack is a text in which nothing is markup, with a colour by severity', () => {
  const body = JSON.parse(bodyOf('slack', event));
  expect(body.text).toBe('ap-1 &lt;b&gt; &amp; co');
  expect(body.attachments[0]).toMatchObject({ color: '#b00020', ts: Date.UTC(2026, 0, 2) / 1000 });
  expect(body.attachments[0].fields).toContainEqual({ title: 'Access point', value: 'ap-1', short: true });
  expect(JSON.parse(bodyOf('slack', { ...event, kind: 'alarm.cleared' })).attachments[0].color).toBe('#2b8a3e');
});

test('teams is an adaptive card', () => {
  const body = JSON.parse(bodyOf('teams', event));
  expect(body.attachments[0].contentType).toBe('application/vnd.microsoft.card.adaptive');
  expect(body.attachments[0].content.body[0].inlines[0].text).toBe('ap-1 <b> & co');
});

test('alertmanager gets labels that it accepts, whatever a rule has', () => {
  const labels = { 'a-b': 'x', '1st': 'y', none: null, object: {}, flag: true };
  const [alert] = JSON.parse(bodyOf('alertmanager', { ...event, data: { ...event.data, labels } }));
  expect(alert.labels).toEqual({ a_b: 'x', _1st: 'y', flag: 'true', alertname: 'r', alarm_id: 'a-1' });
  expect(alert.startsAt).toBe('2026-01-02T00:00:00.000Z');
});
