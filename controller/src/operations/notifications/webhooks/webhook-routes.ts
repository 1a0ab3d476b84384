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
import { resourceRoutes } from '../../../core/http/request/resource-routes.ts';
import { type Route, routesOf } from '../../../core/http/request/route.ts';
import type { WebhookService } from './webhook-service.ts';

const route = routesOf('Webhooks');

const maxDeliveries = 200;
const conflict = { 409: 'A webhook with this name exists' };

export function webhookRoutes(webhooks: WebhookService): Route[] {
  return [
    ...resourceRoutes({
      tag: 'Webhooks',
      name: 'webhook',
      at: '/api/v1/webhooks/:id',
      records: webhooks,
      schemas: { input: WebhookInput, shown: Webhook, listed: WebhookList, created: WebhookWithSecret },
      read: adminsAndAuditors,
      change: adminsOnly,
      verbs: {
        list: 'List webhooks',
        create: { summary: 'Create a webhook; its secret is shown only once', failures: conflict },
        get: 'Get a webhook',
        update: { summary: 'Replace a webhook; what is left out has its default', failures: conflict },
        remove: 'Remove a webhook with its delivery log',
      },
      removed: 'Webhook removed',
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
