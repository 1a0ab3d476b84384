// Recipients and webhooks as forms: every field a text. Pure.
import type { Notification, NotificationInput, Webhook, WebhookInput } from '../../api/operations.ts';

export type RecipientValues = Record<
  | 'name'
  | 'email'
  | 'events'
  | 'severities'
  | 'selector'
  | 'digest_minutes'
  | 'quiet_from'
  | 'quiet_until'
  | 'time_zone'
  | 'enabled',
  string
>;
export type WebhookValues = Record<'name' | 'url' | 'format' | 'events' | 'selector' | 'enabled', string>;

/** `zone` is where somebody who creates one is likely to be. */
export function toRecipientValues(given: Notification | undefined, zone: string): RecipientValues {
  return {
    name: given?.name ?? '',
    email: given?.email ?? '',
    events: (given?.events ?? ['alarm.fired', 'alarm.cleared']).join(', '),
    severities: (given?.severities ?? ['critical', 'major']).join(' '),
    selector: given?.selector ?? '',
    digest_minutes: String(given?.digest_minutes ?? 0),
    quiet_from: given?.quiet?.from ?? '',
    quiet_until: given?.quiet?.until ?? '',
    time_zone: given?.time_zone ?? zone,
    enabled: String(given?.enabled ?? true),
  };
}

export function toRecipient(values: RecipientValues, before: Notification | undefined): NotificationInput {
  const isQuiet = values.quiet_from !== '' && values.quiet_until !== '';
  const except = before?.quiet?.except;
  return {
    name: values.name.trim(),
    email: values.email.trim(),
    events: listOf(values.events),
    severities: values.severities.split(' ').filter(Boolean) as NonNullable<NotificationInput['severities']>,
    selector: values.selector.trim(),
    digest_minutes: Number(values.digest_minutes),
    quiet: isQuiet ? { from: values.quiet_from, until: values.quiet_until, ...(except && { except }) } : null,
    time_zone: values.time_zone.trim(),
    enabled: values.enabled === 'true',
  };
}

export function toWebhookValues(given: Webhook | undefined): WebhookValues {
  return {
    name: given?.name ?? '',
    url: given?.url ?? '',
    format: given?.format ?? 'json',
    events: (given?.events ?? ['alarm.*']).join(', '),
    selector: given?.selector ?? '',
    enabled: String(given?.enabled ?? true),
  };
}

export function toWebhook(values: WebhookValues): WebhookInput {
  return {
    name: values.name.trim(),
    url: values.url.trim(),
    format: values.format as NonNullable<WebhookInput['format']>,
    events: listOf(values.events),
    selector: values.selector.trim(),
    enabled: values.enabled === 'true',
  };
}

function listOf(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .map((name) => name.trim())
    .filter(Boolean);
}
