// Notifications by e-mail, for administrators.
import { Notification, NotificationInput, NotificationList, NotificationTest } from '@weft/contract/operations';
import { adminsAndAuditors, adminsOnly } from '../../../core/base/rights/permission.ts';
import { done, type Route, routesOf } from '../../../core/http/request/route.ts';
import type { NotificationService } from './notification-service.ts';

const route = routesOf('Notifications');

const conflict = { 409: 'A notification with this name exists' };

export function notificationRoutes(notifications: NotificationService): Route[] {
  return [
    route('list_notifications', 'GET /api/v1/notifications', {
      permission: adminsAndAuditors,
      summary: 'List who is told by e-mail',
      response: NotificationList,
      handle: () => notifications.list(),
    }),
    route('create_notification', 'POST /api/v1/notifications', {
      permission: adminsOnly,
      summary: 'Tell somebody by e-mail',
      body: NotificationInput,
      response: Notification,
      failures: conflict,
      handle: ({ body, caller }) => notifications.create(body, caller),
    }),
    route('get_notification', 'GET /api/v1/notifications/:id', {
      permission: adminsAndAuditors,
      summary: 'Get a notification',
      response: Notification,
      handle: (context) => notifications.get(context.path('id')),
    }),
    route('update_notification', 'PUT /api/v1/notifications/:id', {
      permission: adminsOnly,
      summary: 'Replace a notification; what is left out has its default',
      body: NotificationInput,
      response: Notification,
      failures: conflict,
      handle: (context) => notifications.update(context.path('id'), context.body, context.caller),
    }),
    route('remove_notification', 'DELETE /api/v1/notifications/:id', {
      permission: adminsOnly,
      summary: 'Remove a notification',
      ...done('Notification removed', (context) => notifications.remove(context.path('id'), context.caller)),
    }),
    route('test_notification', 'POST /api/v1/notifications/:id/test', {
      permission: adminsOnly,
      summary: 'Send a test mail now, and say whether it was accepted',
      changesNothing: true,
      response: NotificationTest,
      handle: (context) => notifications.test(context.path('id'), context.caller),
    }),
  ];
}
