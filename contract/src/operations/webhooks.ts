// Webhooks: events as requests to other programs.

import { Page, pageFields } from '../core/answers.ts';
import * as Type from '../core/schema/schema.ts';

export const WebhookFormat = Type.Enum(['json', 'alertmanager', 'slack', 'mattermost', 'teams'], {
  title: 'WebhookFormat',
  description:
    '`json`: the event as it is; `alertmanager`: for `/api/v2/alerts` of Prometheus Alertmanager; `slack`, `mattermost`, `teams`: a message, in which texts are only texts.',
});
export type WebhookFormat = Type.Static<typeof WebhookFormat>;

const fields = {
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'http or https; its host must be allowed by WEFT_WEBHOOK_ALLOW.',
  }),
  events: Type.Optional.Array(Type.String(), {
    format: 'event-kinds',
    default: ['alarm.*'],
    description: 'Kinds of events (`agent.offline`), families (`alarm.*`) or all (`*`).',
  }),
  selector: Type.Optional.String({
    maxLength: 1000,
    format: 'selector',
    default: '',
    description: 'Only events about access points that it selects, and about their sites. Default: all.',
  }),
  format: Type.Optional(WebhookFormat),
  enabled: Type.Optional.Boolean({
    default: true,
    description: 'False: nothing is sent; it goes on where it stopped.',
  }),
};

export const WebhookInput = Type.Object(fields, { title: 'WebhookInput' });
export type WebhookInput = Type.Static<typeof WebhookInput>;

const NullableTime = Type.OrNull(Type.Timestamp);

export const Webhook = Type.Named('Webhook', {
  id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  selector: Type.String(),
  format: WebhookFormat,
  enabled: Type.Boolean(),
  created_by: Type.String(),
  created_at: Type.Timestamp,
  state: Type.Enum(['ok', 'retrying', 'failing', 'disabled'], {
    description: '`retrying`: attempts fail now; `failing`: none has succeeded for an hour.',
  }),
  failing_since: NullableTime,
  position: Type.Integer({
    description: 'Everything up to this event was delivered, parked, or waits for another attempt.',
  }),
  waiting: Type.Integer({ description: 'Events that wait for another attempt, or behind one of the same subject.' }),
  parked: Type.Integer({ description: 'Events that were given up after 24 hours.' }),
});
export type Webhook = Type.Static<typeof Webhook>;

export const WebhookWithSecret = Type.Object(
  { ...Webhook.properties, secret: Type.String({ description: 'Signs the requests. Shown only now.' }) },
  { title: 'WebhookWithSecret' },
);
export type WebhookWithSecret = Type.Static<typeof WebhookWithSecret>;

export const WebhookList = Type.Named('WebhookList', {
  ...pageFields(Webhook),
  allowed: Type.Array(Type.String(), {
    description: 'Where webhooks may send to, as WEFT_WEBHOOK_ALLOW says; empty: nowhere.',
  }),
});
export type WebhookList = Type.Static<typeof WebhookList>;

export const WebhookDelivery = Type.Named('WebhookDelivery', {
  id: Type.String(),
  ts: Type.Timestamp,
  event_id: Type.OrNull(Type.Integer(), { description: 'Null for a test.' }),
  kind: Type.String(),
  attempt: Type.Integer(),
  outcome: Type.Enum(['delivered', 'failed', 'parked']),
  status: Type.OrNull(Type.Integer(), { description: 'Of the answer; null if there was none.' }),
  error: Type.OrNull(Type.String()),
  duration_ms: Type.Integer(),
});
export type WebhookDelivery = Type.Static<typeof WebhookDelivery>;

export const WebhookDeliveryList = Page(WebhookDelivery, 'WebhookDeliveryList', {
  items: 'Newest first; the last 1,000 attempts are kept.',
});
export type WebhookDeliveryList = Type.Static<typeof WebhookDeliveryList>;
