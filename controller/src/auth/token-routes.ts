// Login: the one door at which users, agents and apps turn a name and a secret into a token.
import { LoginForm, LoginType, Token } from '@weft/contract';
import Type from 'typebox';
import { AuthenticationError } from '../errors.ts';
import { type Route, route } from '../http/route.ts';
import { addressKey, type RateLimiter } from '../rate-limiter.ts';
import type { AuthService } from './auth-service.ts';

export interface TokenRoutesOptions {
  auth: AuthService;
  /** Failures only: a fleet behind one address that logs in correctly is never slowed. */
  failures: { perAccount: RateLimiter; perAddress: RateLimiter };
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
      query: Type.Object({ login_type: LoginType }),
      form: LoginForm,
      response: Token,
      async handle({ body, query, address }) {
        const from = addressKey(address);
        const account = `${from} ${query.login_type} ${body.username.trim().normalize('NFC').toLowerCase()}`;
        const check = () => {
          failures.perAddress.check(from);
          failures.perAccount.check(account);
        };
        check();
        const outcome = await auth.login(query.login_type, body.username, body.password).catch((error) => {
          if (!(error instanceof AuthenticationError)) throw error;
          return error;
        });
        // Once more, because guesses sent all at once have all passed the first time; right or wrong, none may tell.
        check();
        if (!(outcome instanceof AuthenticationError)) {
          failures.perAccount.forget(account);
          return outcome;
        }
        failures.perAddress.count(from);
        failures.perAccount.count(account);
        throw outcome;
      },
    }),
  ];
}
