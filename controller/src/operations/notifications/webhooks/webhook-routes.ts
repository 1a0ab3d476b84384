// Webhooks for administrators.
import {
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookInput,
  WebhookList,
  WebhookWithSecret,
} from '@weft/contract/operations';
import * as Type from '@weft/contract/schema';
import { adminsAndAuditors, adminsOnly } from '../../../core/base/rights/permission.ts';
import { done, type Route, routesOf } from '../../../core/http/request/route.ts';
import type { WebhookService } from './webhook-service.ts';

const route = routesOf('Webhooks');

const maxDeliveries = 200;
const conflict = { 409: 'A webhook with this name exists' };

export function webhookRoutes(webhooks: WebhookService): Route[] {
  return [
    route('list_webhooks', 'GET /api/v1/webhooks', {
      permission: adminsAndAuditors,
      summary: 'List webhooks',
      response: WebhookList,
      handle: () => webhooks.list(),
    }),
    route('create_webhook', 'POST /api/v1/webhooks', {
      permission: adminsOnly,
      summary: 'Create a webhook; its secret is shown only once',
      body: WebhookInput,
      response: WebhookWithSecret,
      failures: conflict,
      handle: ({ body, caller }) => webhooks.create(body, caller),
    }),
    route('get_webhook', 'GET /api/v1/webhooks/:id', {
      permission: adminsAndAuditors,
      summary: 'Get a webhook',
      response: Webhook,
      handle: (context) => webhooks.get(context.path('id')),
    }),
    route('update_webhook', 'PUT /api/v1/webhooks/:id', {
      permission: adminsOnly,
      summary: 'Replace a webhook; what is left out has its default',
      body: WebhookInput,
      response: Webhook,
      failures: conflict,
      handle: (context) => webhooks.update(context.path('id'), context.body, context.caller),
    }),
    route('remove_webhook', 'DELETE /api/v1/webhooks/:id', {
      permission: adminsOnly,
      summary: 'Remove a webhook with its delivery log',
      ...done('Webhook removed', (context) => webhooks.remove(context.path('id'), context.caller)),
    }),
    route('renew_webhook_secret', 'POST /api/v1/webhooks/:id/secret', {
      permission: adminsOnly,
      summary: 'Create another secret; it is shown only once, and the old one is invalid',
      response: WebhookWithSecret,
      handle: (context) => webhooks.renewSecret(context.path('id'), context.caller),
    }),
    route('list_webhook_deliveries', 'GET /api/v1/webhooks/:id/deliveries', {
      permission: adminsAndAuditors,
      summary: 'List the attempts of a webhook, newest first',
      query: Type.Object({
        cursor: Type.Optional.String({ maxLength: 64, description: 'What `next` was.' }),
        limit: Type.Optional.Integer({ minimum: 1, maximum: maxDeliveries, default: 50 }),
      }),
      response: WebhookDeliveryList,
      handle: (context) => {
        const { cursor, limit } = context.query;
        return webhooks.deliveries(context.path('id'), cursor, limit!);
      },
    }),
    route('test_webhook', 'POST /api/v1/webhooks/:id/test', {
      permission: adminsOnly,
      summary: 'Send a test event now, and say what came of it',
      // It only sends; the attempt is in the delivery log.
      changesNothing: true,
      response: WebhookDelivery,
      handle: (context) => webhooks.test(context.path('id'), context.caller),
    }),
    route('replay_webhook', 'POST /api/v1/webhooks/:id/replay', {
      permission: adminsOnly,
      summary: 'Send all events after this one again',
      query: Type.Object({
        after: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: '0: all that are kept.' }),
      }),
      response: Webhook,
      handle: (context) => webhooks.replay(context.path('id'), context.query.after, context.caller),
    }),
  ];
}
