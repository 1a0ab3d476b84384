// The sessions of a user, and the change of a password, which ends all of them but one.
import { PasswordChange, Session, Token } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { AuthenticationError } from '../../base/errors.ts';
import { adminsOnly, userItself, usersOnly } from '../../base/rights/permission.ts';
import { tokenOf } from '../../http/request/guard.ts';
import { done, type Route, type RouteContext, routesOf } from '../../http/request/route.ts';
import type { AuthService, TokenClaims } from './auth-service.ts';
import type { Origin, SessionService } from './session-service.ts';

const route = routesOf('Users');

export function sessionRoutes({ auth, sessions }: { auth: AuthService; sessions: SessionService }): Route[] {
  return [
    route('change_password', 'POST /api/v1/users/me/password', {
      permission: usersOnly,
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
    route('list_sessions', 'GET /api/v1/users/:username/sessions', {
      permission: userItself,
      summary: 'List the sessions of a user, newest first',
      response: Type.Array(Session),
      handle: async (context) => sessions.list(context.path('username'), await claimsOf(auth, context)),
    }),
    route('end_session', 'DELETE /api/v1/users/:username/sessions/:id', {
      permission: userItself,
      summary: 'End a session of a user',
      ...done('The session has been ended', (context) =>
        sessions.end(context.path('username'), context.path('id'), context.caller),
      ),
    }),
    route('extend_session', 'POST /api/v1/users/:username/sessions/:id/extend', {
      permission: adminsOnly,
      summary: 'Let a session be renewed for as long as a display may run',
      response: Session,
      handle: async (context) => {
        const claims = await claimsOf(auth, context);
        return sessions.extend(context.path('username'), context.path('id'), context.caller, claims);
      },
    }),
  ];
}

// What a request says of its session: its token's claims, and where it comes from.
const maxClientLength = 200;

/** The claims of the token that the guard has let in. */
export async function claimsOf(auth: AuthService, { request }: RouteContext): Promise<TokenClaims> {
  const token = tokenOf(request);
  if (token === undefined) throw new AuthenticationError();
  return auth.claimsOf(token);
}

export function originOf({ address, request }: RouteContext): Origin {
  const client = (request.headers['user-agent'] ?? '').toWellFormed().replaceAll(/\p{Cc}/gu, ' ');
  return { address, client: client.slice(0, maxClientLength) };
}
