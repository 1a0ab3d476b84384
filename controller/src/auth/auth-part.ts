// Authentication as a part: logins, tokens, and who is behind them.
import type { LoginType } from '@weft/contract';
import type { AgentService } from '../agents/agent-service.ts';
import type { PrincipalSource } from '../caller.ts';
import type { Events } from '../events.ts';
import type { Part, Platform } from '../part.ts';
import { AgentPassword } from './agent-password.ts';
import { AuthService } from './auth-service.ts';
import { LoginFailures } from './login-failures.ts';
import { tokenRoutes } from './token-routes.ts';

interface AuthPartDeps extends Platform {
  agents: AgentService;
  /** Where the records of each kind of caller are. */
  principals: Record<LoginType, PrincipalSource>;
}

export function createAuthPart({ config, keyring, shares, freshMs, agents, principals }: AuthPartDeps, events: Events) {
  const auth = new AuthService({
    sources: principals,
    keyring,
    tokenTtlSeconds: config.tokenTtlSeconds,
    freshMs,
  });
  const failures = new LoginFailures(shares, config.limits);
  const agentPassword = new AgentPassword({ auth, agents, failures });
  events.callerChanged.on((kind, name) => auth.forget(kind, name));
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
