// Notifications by e-mail, for administrators.
import { Notification, NotificationInput, NotificationList, NotificationTest, StatusAnswer } from '@weft/contract';
import { type Route, route, success } from '../../http/request/route.ts';
import { adminsAndAuditors, adminsOnly } from '../../rights/permission.ts';
import type { NotificationService } from './notification-service.ts';

const conflict = { 409: 'A notification with this name exists' };

export function notificationRoutes(notifications: NotificationService): Route[] {
  return [
    route({
      operation: 'list_notifications',
      permission: adminsAndAuditors,
      method: 'GET',
      url: '/api/v1/notifications',
      tag: 'Notifications',
      summary: 'List who is told by e-mail',
      response: NotificationList,
      handle: () => notifications.list(),
    }),
    route({
      operation: 'create_notification',
      permission: adminsOnly,
      method: 'POST',
      url: '/api/v1/notifications',
      tag: 'Notifications',
      summary: 'Tell somebody by e-mail',
      body: NotificationInput,
      response: Notification,
      failures: conflict,
      handle: ({ body, caller }) => notifications.create(body, caller),
    }),
    route({
      operation: 'get_notification',
      permission: adminsAndAuditors,
      method: 'GET',
      url: '/api/v1/notifications/:id',
      tag: 'Notifications',
      summary: 'Get a notification',
      response: Notification,
      handle: (context) => notifications.get(context.path('id')),
    }),
    route({
      operation: 'update_notification',
      permission: adminsOnly,
      method: 'PUT',
      url: '/api/v1/notifications/:id',
      tag: 'Notifications',
      summary: 'Replace a notification; what is left out has its default',
      body: NotificationInput,
      response: Notification,
      failures: conflict,
      handle: (context) => notifications.update(context.path('id'), context.body, context.caller),
    }),
    route({
      operation: 'remove_notification',
      permission: adminsOnly,
      method: 'DELETE',
      url: '/api/v1/notifications/:id',
      tag: 'Notifications',
      summary: 'Remove a notification',
      response: StatusAnswer,
      handle: async (context) => {
        await notifications.remove(context.path('id'), context.caller);
        return success('Notification removed');
      },
    }),
    route({
      operation: 'test_notification',
      permission: adminsOnly,
      method: 'POST',
      url: '/api/v1/notifications/:id/test',
      tag: 'Notifications',
      summary: 'Send a test mail now, and say whether it was accepted',
      changesNothing: true,
      response: NotificationTest,
      handle: (context) => notifications.test(context.path('id'), context.caller),
    }),
  ];
}
