// Webhooks for administrators.
import {
  StatusAnswer,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookInput,
  WebhookList,
  WebhookWithSecret,
} from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { type Route, route, success } from '../../http/request/route.ts';
import { adminsAndAuditors, adminsOnly } from '../../rights/permission.ts';
import type { WebhookService } from './webhook-service.ts';

const maxDeliveries = 200;
const conflict = { 409: 'A webhook with this name exists' };

export function webhookRoutes(webhooks: WebhookService): Route[] {
  return [
    route({
      operation: 'list_webhooks',
      permission: adminsAndAuditors,
      method: 'GET',
      url: '/api/v1/webhooks',
      tag: 'Webhooks',
      summary: 'List webhooks',
      response: WebhookList,
      handle: () => webhooks.list(),
    }),
    route({
      operation: 'create_webhook',
      permission: adminsOnly,
      method: 'POST',
      url: '/api/v1/webhooks',
      tag: 'Webhooks',
      summary: 'Create a webhook; its secret is shown only once',
      body: WebhookInput,
      response: WebhookWithSecret,
      failures: conflict,
      handle: ({ body, caller }) => webhooks.create(body, caller),
    }),
    route({
      operation: 'get_webhook',
      permission: adminsAndAuditors,
      method: 'GET',
      url: '/api/v1/webhooks/:id',
      tag: 'Webhooks',
      summary: 'Get a webhook',
      response: Webhook,
      handle: (context) => webhooks.get(context.path('id')),
    }),
    route({
      operation: 'update_webhook',
      permission: adminsOnly,
      method: 'PUT',
      url: '/api/v1/webhooks/:id',
      tag: 'Webhooks',
      summary: 'Replace a webhook; what is left out has its default',
      body: WebhookInput,
      response: Webhook,
      failures: conflict,
      handle: (context) => webhooks.update(context.path('id'), context.body, context.caller),
    }),
    route({
      operation: 'remove_webhook',
      permission: adminsOnly,
      method: 'DELETE',
      url: '/api/v1/webhooks/:id',
      tag: 'Webhooks',
      summary: 'Remove a webhook with its delivery log',
      response: StatusAnswer,
      handle: async (context) => {
        await webhooks.remove(context.path('id'), context.caller);
        return success('Webhook removed');
      },
    }),
    route({
      operation: 'renew_webhook_secret',
      permission: adminsOnly,
      method: 'POST',
      url: '/api/v1/webhooks/:id/secret',
      tag: 'Webhooks',
      summary: 'Create another secret; it is shown only once, and the old one is invalid',
      response: WebhookWithSecret,
      handle: (context) => webhooks.renewSecret(context.path('id'), context.caller),
    }),
    route({
      operation: 'list_webhook_deliveries',
      permission: adminsAndAuditors,
      method: 'GET',
      url: '/api/v1/webhooks/:id/deliveries',
      tag: 'Webhooks',
      summary: 'List the attempts of a webhook, newest first',
      query: Type.Object({
        cursor: Type.Optional(Type.String({ maxLength: 64, description: 'What `next` was.' })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxDeliveries, default: 50 })),
      }),
      response: WebhookDeliveryList,
      handle: (context) => {
        const { cursor, limit } = context.query;
        return webhooks.deliveries(context.path('id'), cursor, limit!);
      },
    }),
    route({
      operation: 'test_webhook',
      permission: adminsOnly,
      method: 'POST',
      url: '/api/v1/webhooks/:id/test',
      tag: 'Webhooks',
      summary: 'Send a test event now, and say what came of it',
      // It only sends; the attempt is in the delivery log.
      changesNothing: true,
      response: WebhookDelivery,
      handle: (context) => webhooks.test(context.path('id'), context.caller),
    }),
    route({
      operation: 'replay_webhook',
      permission: adminsOnly,
      method: 'POST',
      url: '/api/v1/webhooks/:id/replay',
      tag: 'Webhooks',
      summary: 'Send all events after this one again',
      query: Type.Object({
        after: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: '0: all that are kept.' }),
      }),
      response: Webhook,
      handle: (context) => webhooks.replay(context.path('id'), context.query.after, context.caller),
    }),
  ];
}
