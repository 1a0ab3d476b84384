// Authentication as a part: logins, tokens, and who is behind them.
import type { LoginType } from '@weft/contract';
import type { AgentService } from '../agents/agent-service.ts';
import type { PrincipalSource } from '../caller.ts';
import type { Events } from '../events.ts';
import type { Part, Platform } from '../part.ts';
import { limitPerMinutes } from '../shares/rate-limiter.ts';
import { AgentPassword } from './agent-password.ts';
import { AuthService } from './auth-service.ts';
import { tokenRoutes } from './token-routes.ts';

interface AuthPartDeps extends Platform {
  agents: AgentService;
  /** Where the records of each kind of caller are. */
  principals: Record<LoginType, PrincipalSource>;
}

export function createAuthPart({ config, keyring, freshMs, agents, principals }: AuthPartDeps, events: Events) {
  const auth = new AuthService({
    sources: principals,
    keyring,
    tokenTtlSeconds: config.tokenTtlSeconds,
    freshMs,
  });
  const failures = {
    perAccount: limitPerMinutes('too_many_failed_logins', config.limits.loginFailuresPerAccount, 5),
    perAddress: limitPerMinutes('too_many_failed_logins', config.limits.loginFailuresPerAddress, 5),
  };
  const agentPassword = new AgentPassword({ auth, agents, failures });
  events.callerChanged.on(({ kind, name }) => auth.forget(kind, name));
  events.recordsChanged.on(() => auth.forgetAll());
  return {
    auth,
    principals,
    routes: tokenRoutes({ auth, failures }),
    authenticator: {
      authenticate: auth.authenticate.bind(auth),
      remembered: auth.remembered.bind(auth),
      authenticateAgent: agentPassword.authenticate.bind(agentPassword),
    },
  } satisfies Part & Record<string, unknown>;
}
