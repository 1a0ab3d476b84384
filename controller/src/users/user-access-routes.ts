// Operations on who may use an account: disabled users, those that wait for approval, and grants.
import { DisabledUser, Grants, TokenData, WaitingUser } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { done, type Route, routesOf } from '../http/request/route.ts';
import { adminsAndAuditors, adminsOnly, userItself } from '../rights/permission.ts';
import type { SignupService } from './signup-service.ts';
import type { UserService } from './user-service.ts';

const route = routesOf('Users');

export function disabledUserRoutes(users: UserService): Route[] {
  return [
    route('list_disabled_users', 'GET /api/v1/disabled_users', {
      permission: adminsAndAuditors,
      summary: 'List the disabled users',
      response: Type.Array(DisabledUser),
      handle: () => users.listDisabled(),
    }),
    route('disable_user', 'PUT /api/v1/disabled_users/:username', {
      permission: adminsOnly,
      target: 'username',
      summary: 'Disable a user: all its tokens are revoked, and its jobs, networks and queued commands end',
      failures: { 409: 'The last administrator and the own account cannot be disabled' },
      response: DisabledUser,
      handle: (context) => users.disable(context.path('username'), context.caller),
    }),
    route('enable_user', 'DELETE /api/v1/disabled_users/:username', {
      permission: adminsOnly,
      target: 'username',
      summary: 'Enable a user, who must log in again',
      ...done('The user can log in again', (context) => users.enable(context.path('username'), context.caller)),
    }),
  ];
}

export function waitingUserRoutes(signups: SignupService): Route[] {
  return [
    route('list_waiting_users', 'GET /api/v1/waiting_users', {
      permission: adminsAndAuditors,
      summary: 'List the users who signed up and wait for approval',
      response: Type.Array(WaitingUser),
      handle: () => signups.listWaiting(),
    }),
    route('approve_user', 'POST /api/v1/waiting_users/:username/approve', {
      permission: adminsOnly,
      target: 'username',
      summary: 'Approve a user, who can log in from now on',
      response: TokenData,
      handle: (context) => signups.approve(context.path('username'), context.caller),
    }),
    route('refuse_user', 'DELETE /api/v1/waiting_users/:username', {
      permission: adminsOnly,
      target: 'username',
      summary: 'Refuse a user who waits for approval, and delete the account',
      failures: { 409: 'The account does not wait for approval' },
      ...done('The account has been refused and deleted', (context) =>
        signups.refuse(context.path('username'), context.caller),
      ),
    }),
  ];
}

export function grantRoutes(users: UserService): Route[] {
  return [
    route('get_grants', 'GET /api/v1/users/:username/grants', {
      permission: userItself,
      target: 'username',
      summary: 'Show what a user may do where; without grants it reads everything',
      response: Grants,
      handle: (context) => users.grantsOf(context.path('username')),
    }),
    route('list_grants', 'GET /api/v1/grants', {
      permission: adminsAndAuditors,
      summary: 'List the users who have grants, and what they may do where',
      response: Type.Array(Type.Object({ username: Type.String(), grants: Grants }), { title: 'GrantedUsers' }),
      handle: () => users.granted(),
    }),
    route('set_grants', 'PUT /api/v1/users/:username/grants', {
      permission: adminsOnly,
      target: 'username',
      summary: 'Replace what a user may do where; an empty list makes it a viewer of all again',
      failures: { 409: 'Administrators have no grants' },
      body: Grants,
      response: Grants,
      handle: (context) => users.setGrants(context.path('username'), context.body, context.caller),
    }),
  ];
}
