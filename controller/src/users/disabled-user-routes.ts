// Operations on disabled accounts: they exist, but cannot log in.
import { DisabledUser, StatusAnswer } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { type Route, route, success } from '../http/request/route.ts';
import { adminsAndAuditors, adminsOnly } from '../rights/permission.ts';
import type { UserService } from './user-service.ts';

export function disabledUserRoutes(users: UserService): Route[] {
  const tag = 'Users';
  return [
    route({
      operation: 'list_disabled_users',
      permission: adminsAndAuditors,
      method: 'GET',
      url: '/api/v1/disabled_users',
      tag,
      summary: 'List the disabled users',
      response: Type.Array(DisabledUser),
      handle: () => users.listDisabled(),
    }),
    route({
      operation: 'disable_user',
      permission: adminsOnly,
      method: 'PUT',
      url: '/api/v1/disabled_users/:username',
      target: 'username',
      tag,
      summary: 'Disable a user: all its tokens are revoked, and its jobs, networks and queued commands end',
      failures: { 409: 'The last administrator and the own account cannot be disabled' },
      response: DisabledUser,
      handle: (context) => users.disable(context.path('username'), context.caller),
    }),
    route({
      operation: 'enable_user',
      permission: adminsOnly,
      method: 'DELETE',
      url: '/api/v1/disabled_users/:username',
      target: 'username',
      tag,
      summary: 'Enable a user, who must log in again',
      response: StatusAnswer,
      async handle(context) {
        await users.enable(context.path('username'), context.caller);
        return success('The user can log in again');
      },
    }),
  ];
}
