// Notifications by e-mail, for administrators.
import { Notification, NotificationInput, NotificationList, NotificationTest } from '@weft/contract/operations';
import { adminsAndAuditors, adminsOnly } from '../../../core/base/rights/permission.ts';
import { resourceRoutes } from '../../../core/http/request/resource-routes.ts';
import { type Route, routesOf } from '../../../core/http/request/route.ts';
import type { NotificationService } from './notification-service.ts';

const route = routesOf('Notifications');

const conflict = { 409: 'A notification with this name exists' };

export function notificationRoutes(notifications: NotificationService): Route[] {
  return [
    ...resourceRoutes({
      tag: 'Notifications',
      name: 'notification',
      at: '/api/v1/notifications/:id',
      records: notifications,
      schemas: { input: NotificationInput, shown: Notification, listed: NotificationList },
      read: adminsAndAuditors,
      change: adminsOnly,
      verbs: {
        list: 'List who is told by e-mail',
        create: { summary: 'Tell somebody by e-mail', failures: conflict },
        get: 'Get a notification',
        update: { summary: 'Replace a notification; what is left out has its default', failures: conflict },
        remove: 'Remove a notification',
      },
      removed: 'Notification removed',
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
