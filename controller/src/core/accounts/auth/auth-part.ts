// Authentication as a part: logins, tokens, sessions, and who is behind them.
import type { LoginType } from '@weft/contract';
import { anonymous, type PrincipalSource } from '../../base/caller.ts';
import type { Events } from '../../events.ts';
import type { Part, Platform } from '../../part.ts';
import type { AgentService } from '../agents/agent-service.ts';
import type { AuditService } from '../audit/audit-service.ts';
import type { SecurityLog } from '../audit/security-log.ts';
import type { UserService } from '../users/user-service.ts';
import { AuthService } from './auth-service.ts';
import { BasicSecret } from './basic-secret.ts';
import { type LoginAttempt, LoginFailures, type LoginOutcome } from './login-failures.ts';
import { sessionRoutes } from './session-routes.ts';
import { SessionService } from './session-service.ts';
import { SessionStore } from './session-store.ts';

/** How often one caller may end or renew tokens in an hour. */
const changesPerHour = 600;

interface AuthPartDeps extends Platform {
  audit: AuditService;
  security: SecurityLog;
  users: UserService;
  agents: AgentService;
  /** Where the records of each kind of caller are. */
  principals: Record<LoginType, PrincipalSource>;
}

export function createAuthPart(deps: AuthPartDeps, events: Events) {
  const { config, database, keyring, shares, freshMs, now, audit, security, users, agents, principals, onError } = deps;
  const store = new SessionStore(database);
  const auth = new AuthService({
    sources: principals,
    sessions: store,
    keyring,
    tokenTtlSeconds: config.tokenTtlSeconds,
    freshMs,
    now,
  });
  const failures = new LoginFailures(shares, config);
  failures.onOutcome = createLoginNotes({ security, principals, onError });
  const sessions = new SessionService({
    auth,
    sessions: store,
    users,
    changePassword: users.changePassword.bind(users),
    failures,
    audit,
    security,
    changes: shares.limiter('too_many_token_changes', { max: changesPerHour, windowMs: 3_600_000 }),
    limits: config,
    now,
    onError,
  });
  const sessionDays = Math.max(config.displaySessionDays, config.sessionHours / 24, config.tokenTtlSeconds / 86_400);
  deps.retention.add({
    name: 'sessions',
    keptMs: sessionDays * 86_400_000,
    remove: (nowMs) => store.removeExpired(Math.min(nowMs, now())),
  });
  events.callerChanged.on(({ kind, name }) => auth.forget(kind, name));
  events.recordsChanged.on(() => auth.forgetAll());
  return {
    auth,
    principals,
    replicas: { ended_sessions: auth.ended.head },
    routes: sessionRoutes(sessions),
    schemes: [
      auth,
      new BasicSecret({ kind: 'agent', auth, source: agents, failures }),
      new BasicSecret({ kind: 'third_party_app', auth, source: principals.third_party_app, failures }),
    ],
  } satisfies Part & Record<string, unknown>;
}

// Logins as security events. A refused one names its account only if there is one: what people type into the field of the
// name may be their password.
interface LoginNotesOptions {
  security: SecurityLog;
  principals: Record<LoginType, PrincipalSource>;
  onError: (error: unknown, message: string) => void;
}

/** Returns at once: what it has to look up must not delay an answer, or its time would tell which names exist. */
export function createLoginNotes({ security, principals, onError }: LoginNotesOptions) {
  const note = async ({ kind, username, address }: LoginAttempt, outcome: LoginOutcome) => {
    // Agents and apps log in every hour: once a day for each address tells enough.
    if (outcome === 'accepted_again' && kind !== 'user') return;
    const name = kind === 'user' ? username.trim().normalize('NFC').toLowerCase() : username;
    const caller = (await principals[kind].principal(name))?.caller;
    const target = { kind, name: caller?.name ?? 'unknown' };
    const isAccepted = outcome !== 'refused' && caller !== undefined;
    const action = isAccepted ? 'login' : 'login_refused';
    security.note({ actor: isAccepted ? caller : anonymous, action, target, address });
  };
  return (attempt: LoginAttempt, outcome: LoginOutcome): void => {
    note(attempt, outcome).catch((error) => onError(error, 'a login was not noted for the audit log'));
  };
}
