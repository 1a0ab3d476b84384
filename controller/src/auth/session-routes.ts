// The sessions of a user, and the change of a password, which ends all of them but one.
import { PasswordChange, Session, StatusAnswer, Token } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { type Route, route, success } from '../http/request/route.ts';
import { adminsOnly, userItself, usersOnly } from '../rights/permission.ts';
import type { AuthService } from './auth-service.ts';
import { claimsOf, originOf } from './request-session.ts';
import type { SessionService } from './session-service.ts';

export function sessionRoutes({ auth, sessions }: { auth: AuthService; sessions: SessionService }): Route[] {
  const tag = 'Users';
  return [
    route({
      operation: 'change_password',
      permission: usersOnly,
      method: 'POST',
      url: '/api/v1/users/me/password',
      tag,
      summary: 'Change your password: all your other sessions end',
      failures: { 403: 'The current password is wrong, or the caller is no user' },
      body: PasswordChange,
      response: Token,
      handle: async (context) => {
        const { current_password: current, new_password: next } = context.body;
        const claims = await claimsOf(auth, context);
        return sessions.changePassword(context.caller, claims, { current, next }, originOf(context));
      },
    }),
    route({
      operation: 'list_sessions',
      permission: userItself,
      method: 'GET',
      url: '/api/v1/users/:username/sessions',
      target: 'username',
      tag,
      summary: 'List the sessions of a user, newest first',
      response: Type.Array(Session),
      handle: async (context) => sessions.list(context.path('username'), await claimsOf(auth, context)),
    }),
    route({
      operation: 'end_session',
      permission: userItself,
      method: 'DELETE',
      url: '/api/v1/users/:username/sessions/:id',
      target: 'username',
      tag,
      summary: 'End a session of a user',
      response: StatusAnswer,
      async handle(context) {
        await sessions.end(context.path('username'), context.path('id'), context.caller);
        return success('The session has been ended');
      },
    }),
    route({
      operation: 'extend_session',
      permission: adminsOnly,
      method: 'POST',
      url: '/api/v1/users/:username/sessions/:id/extend',
      target: 'username',
      tag,
      summary: 'Let a session be renewed for as long as a display may run',
      response: Session,
      handle: async (context) => {
        const claims = await claimsOf(auth, context);
        return sessions.extend(context.path('username'), context.path('id'), context.caller, claims);
      },
    }),
  ];
}
