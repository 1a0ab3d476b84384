// Operations on what a user may do where.
import { Grants } from '@weft/contract';
import { type Route, route } from '../http/request/route.ts';
import { adminsOnly, userItself } from '../rights/permission.ts';
import type { UserService } from './user-service.ts';

export function grantRoutes(users: UserService): Route[] {
  const tag = 'Users';
  return [
    route({
      operation: 'get_grants',
      permission: userItself,
      method: 'GET',
      url: '/api/v1/users/:username/grants',
      target: 'username',
      tag,
      summary: 'Show what a user may do where; without grants it reads everything',
      response: Grants,
      handle: (context) => users.grantsOf(context.path('username')),
    }),
    route({
      operation: 'set_grants',
      permission: adminsOnly,
      method: 'PUT',
      url: '/api/v1/users/:username/grants',
      target: 'username',
      tag,
      summary: 'Replace what a user may do where; an empty list makes it a viewer of all again',
      failures: { 409: 'Administrators have no grants' },
      body: Grants,
      response: Grants,
      handle: (context) => users.setGrants(context.path('username'), context.body, context.caller),
    }),
  ];
}
