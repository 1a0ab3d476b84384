// Operations on who may use an account: disabled users, those that wait for approval, and grants.
import { DisabledUser, Grants, StatusAnswer, TokenData, WaitingUser } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { type Route, route, success } from '../http/request/route.ts';
import { adminsAndAuditors, adminsOnly, userItself } from '../rights/permission.ts';
import type { SignupService } from './signup-service.ts';
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

export function waitingUserRoutes(signups: SignupService): Route[] {
  const tag = 'Users';
  return [
    route({
      operation: 'list_waiting_users',
      permission: adminsAndAuditors,
      method: 'GET',
      url: '/api/v1/waiting_users',
      tag,
      summary: 'List the users who signed up and wait for approval',
      response: Type.Array(WaitingUser),
      handle: () => signups.listWaiting(),
    }),
    route({
      operation: 'approve_user',
      permission: adminsOnly,
      method: 'POST',
      url: '/api/v1/waiting_users/:username/approve',
      target: 'username',
      tag,
      summary: 'Approve a user, who can log in from now on',
      response: TokenData,
      handle: (context) => signups.approve(context.path('username'), context.caller),
    }),
    route({
      operation: 'refuse_user',
      permission: adminsOnly,
      method: 'DELETE',
      url: '/api/v1/waiting_users/:username',
      target: 'username',
      tag,
      summary: 'Refuse a user who waits for approval, and delete the account',
      failures: { 409: 'The account does not wait for approval' },
      response: StatusAnswer,
      async handle(context) {
        await signups.refuse(context.path('username'), context.caller);
        return success('The account has been refused and deleted');
      },
    }),
  ];
}

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
