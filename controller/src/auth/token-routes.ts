// Login: the one endpoint at which users, agents and apps exchange a name and a secret for a token.
import { LoginForm, LoginType, Token } from '@weft/contract';
import Type from 'typebox';
import { type Route, route } from '../http/request/route.ts';
import type { AuthService } from './auth-service.ts';
import { countFailures, type LoginFailures } from './login-failures.ts';

export interface TokenRoutesOptions {
  auth: AuthService;
  failures: LoginFailures;
}

export function tokenRoutes({ auth, failures }: TokenRoutesOptions): Route[] {
  return [
    // spec #1
    route({
      operation: 'create_token',
      method: 'POST',
      url: '/api/v1/token',
      tag: 'Token',
      summary: 'Log in',
      failures: { 401: 'The name or the secret is wrong' },
      query: Type.Object({ login_type: LoginType }),
      form: LoginForm,
      response: Token,
      handle: ({ body: { username, password }, query: { login_type: kind }, address }) =>
        countFailures(failures, { kind, username, address }, () => auth.login(kind, username, password)),
    }),
  ];
}
