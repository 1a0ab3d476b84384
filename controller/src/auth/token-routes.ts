// Tokens: the one endpoint at which users, agents and apps exchange a name and a secret for one, and what they can do
// with it afterwards.
import { LoginForm, LoginType, StatusAnswer, Token } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { type Route, route, success } from '../http/request/route.ts';
import { everyCaller, everyone, usersOnly } from '../rights/permission.ts';
import type { AuthService } from './auth-service.ts';
import { claimsOf, originOf } from './session-routes.ts';
import type { SessionService } from './session-service.ts';

export interface TokenRoutesOptions {
  auth: AuthService;
  sessions: SessionService;
}

export function tokenRoutes({ auth, sessions }: TokenRoutesOptions): Route[] {
  const tag = 'Token';
  return [
    // spec #1
    route({
      operation: 'create_token',
      spec: 1,
      permission: everyone,
      method: 'POST',
      url: '/api/v1/token',
      tag,
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
    route({
      operation: 'renew_token',
      permission: usersOnly,
      method: 'POST',
      url: '/api/v1/token/renew',
      tag,
      summary: 'Get a new token for the session of this one',
      // The same session goes on.
      changesNothing: true,
      response: Token,
      handle: async (context) => sessions.renew(context.caller, await claimsOf(auth, context), originOf(context)),
    }),
    route({
      operation: 'end_token',
      permission: everyCaller,
      method: 'DELETE',
      url: '/api/v1/token',
      tag,
      summary: 'Log out: end this token and all others of its session',
      response: StatusAnswer,
      async handle(context) {
        await sessions.endToken(context.caller, await claimsOf(auth, context));
        return success('The token has been ended');
      },
    }),
  ];
}
