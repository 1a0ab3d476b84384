// Tokens: the one endpoint at which users, agents and apps exchange a name and a secret for one, and what they can do
// with it afterwards.
import { LoginForm, LoginType, Token } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { everyCaller, everyone, usersOnly } from '../../base/rights/permission.ts';
import { done, type Route, routesOf } from '../../http/request/route.ts';
import type { AuthService } from './auth-service.ts';
import { claimsOf, originOf } from './session-routes.ts';
import type { SessionService } from './session-service.ts';

const route = routesOf('Token');

export interface TokenRoutesOptions {
  auth: AuthService;
  sessions: SessionService;
}

export function tokenRoutes({ auth, sessions }: TokenRoutesOptions): Route[] {
  return [
    route('create_token', 'POST /api/v1/token', {
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
    route('renew_token', 'POST /api/v1/token/renew', {
      permission: usersOnly,
      summary: 'Get a new token for the session of this one',
      // The same session goes on.
      changesNothing: true,
      response: Token,
      handle: async (context) => sessions.renew(context.caller, await claimsOf(auth, context), originOf(context)),
    }),
    route('end_token', 'DELETE /api/v1/token', {
      permission: everyCaller,
      summary: 'Log out: end this token and all others of its session',
      ...done('The token has been ended', async (context) =>
        sessions.endToken(context.caller, await claimsOf(auth, context)),
      ),
    }),
  ];
}
