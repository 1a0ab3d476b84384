// Tokens: the one endpoint at which users, agents and apps exchange a name and a secret for one, and what they can do
// with it afterwards. The sessions of a user, and the change of a password, which ends all of them but one.
import { LoginForm, LoginType, PasswordChange, Session, Token } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { adminsOnly, everyCaller, everyone, userItself, usersOnly } from '../../base/rights/permission.ts';
import { done, type Route, type RouteContext, routesOf } from '../../http/request/route.ts';
import type { Origin, SessionService } from './session-service.ts';

const route = routesOf('Users');
const tokenRoute = routesOf('Token');
const maxClientLength = 200;

export function sessionRoutes(sessions: SessionService): Route[] {
  return [
    tokenRoute('create_token', 'POST /api/v1/token', {
      spec: 1, // spec #1
      permission: everyone,
      summary: 'Log in',
      failures: { 401: 'The name or the secret is wrong' },
      query: Type.Object({ login_type: LoginType }),
      form: LoginForm,
      queryInForm: 'login_type',
      response: Token,
      handle: (context) => {
        const { username, password } = context.body;
        return sessions.logIn(context.query.login_type, username, password, originOf(context));
      },
    }),
    tokenRoute('renew_token', 'POST /api/v1/token/renew', {
      permission: usersOnly,
      summary: 'Get a new token for the session of this one',
      // The same session goes on.
      changesNothing: true,
      response: Token,
      handle: async (context) => sessions.renew(context.caller, context.session, originOf(context)),
    }),
    tokenRoute('end_token', 'DELETE /api/v1/token', {
      permission: everyCaller,
      summary: 'Log out: end this token and all others of its session',
      ...done('The token has been ended', async (context) => sessions.endToken(context.caller, context.session)),
    }),
    route('change_password', 'POST /api/v1/users/me/password', {
      permission: usersOnly,
      summary: 'Change your password: all your other sessions end',
      failures: { 403: 'The current password is wrong, or the caller is no user' },
      body: PasswordChange,
      response: Token,
      handle: async (context) => {
        const { current_password: current, new_password: next } = context.body;
        return sessions.changePassword(context.caller, context.session, { current, next }, originOf(context));
      },
    }),
    route('list_sessions', 'GET /api/v1/users/:username/sessions', {
      permission: userItself,
      summary: 'List the sessions of a user, newest first',
      response: Type.Array(Session),
      handle: async (context) => sessions.list(context.path('username'), context.shown.session),
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
      handle: async (context) =>
        sessions.extend(context.path('username'), context.path('id'), context.caller, context.shown.session),
    }),
  ];
}

function originOf({ address, request }: RouteContext): Origin {
  const client = (request.headers['user-agent'] ?? '').toWellFormed().replaceAll(/\p{Cc}/gu, ' ');
  return { address, client: client.slice(0, maxClientLength) };
}
