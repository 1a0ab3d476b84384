// Operations on accounts that wait for an administrator.
import { StatusAnswer, TokenData, WaitingUser } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { type Route, route, success } from '../http/request/route.ts';
import { adminsAndAuditors, adminsOnly } from '../rights/permission.ts';
import type { SignupService } from './signup-service.ts';

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
