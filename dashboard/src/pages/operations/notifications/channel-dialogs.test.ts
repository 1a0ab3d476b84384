// Recipients and webhooks on their way into a form and back.
import { expect, it } from 'vitest';
import type { Notification, Webhook } from '../../../api/client.ts';
import { toRecipient, toRecipientValues, toWebhook, toWebhookValues } from './channel-dialogs.tsx';
import { recipientState } from './notifications-page.tsx';

it('a recipient comes back as it went in, quiet hours and their exceptions included', () => {
  const input = {
    name: 'Night shift',
    email: 'night@example.org',
    events: ['alarm.*', 'agent.offline'],
    severities: ['critical', 'minor'],
    selector: 'site:uk/**',
    digest_minutes: 15,
    quiet: { from: '22:00', until: '06:00', except: ['critical'] },
    time_zone: 'Europe/London',
    enabled: false,
  } as unknown as Notification;
  expect(toRecipient(toRecipientValues(input, 'UTC'), input)).toEqual(input);
  expect(toRecipient(toRecipientValues(undefined, 'Asia/Tokyo'), undefined)).toMatchObject({
    quiet: null,
    time_zone: 'Asia/Tokyo',
    severities: ['critical', 'major'],
  });
});

it('a webhook comes back as it went in', () => {
  const input = { name: 'chat', url: 'https://x.example', format: 'slack', events: ['*'], selector: '', enabled: true };
  expect(toWebhook(toWebhookValues(input as Webhook))).toEqual(input);
});

it('is not said to work before anything was sent', () => {
  const row = { enabled: true, failing_since: null, last_sent_at: null };
  expect(recipientState(row)).toBe('unused');
  expect(recipientState({ ...row, last_sent_at: '2026-03-01T10:44:00.000Z' })).toBe('ok');
  expect(recipientState({ ...row, failing_since: '2026-03-01T10:44:00.000Z' })).toBe('failing');
  expect(recipientState({ ...row, enabled: false })).toBe('disabled');
});
