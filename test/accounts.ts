// Users, agents and apps as Weft has them, and their logins, on a database of a test's own.
import { randomBytes } from 'node:crypto';
import type { LoginType } from '../contract/src/index.ts';
import { AgentService } from '../controller/src/agents/agent-service.ts';
import { createAgentStore } from '../controller/src/agents/agent-store.sql.ts';
import { AuditService } from '../controller/src/audit/audit-service.ts';
import { createAuditLog } from '../controller/src/audit/audit-store.sql.ts';
import { AuthService } from '../controller/src/auth/auth-service.ts';
import { type PrincipalSource, system } from '../controller/src/caller.ts';
import { PasswordHasher } from '../controller/src/password-hasher.ts';
import { Keyring } from '../controller/src/secrets.ts';
import type { SqlDatabase } from '../controller/src/storage/sql-database.ts';
import { ThirdPartyAppService } from '../controller/src/third-party-apps/third-party-app-service.ts';
import { createThirdPartyAppStore } from '../controller/src/third-party-apps/third-party-app-store.sql.ts';
import { UserService } from '../controller/src/users/user-service.ts';
import { createUserStore } from '../controller/src/users/user-store.sql.ts';
import { password } from './weft.ts';

const many = 1e6;

interface AccountsOptions {
  tokenTtlSeconds?: number | undefined;
  /** Instead of the real ones. */
  sources?: Partial<Record<LoginType, PrincipalSource>>;
  /** When an agent is removed. */
  forgetData?: (ap_id: string) => Promise<void>;
  onPasswordCheck?: (kind: LoginType) => void;
}

export function createAccounts(database: SqlDatabase, options: AccountsOptions = {}) {
  const keyring = new Keyring(randomBytes(32).toString('hex'));
  const audit = new AuditService(createAuditLog(database));
  const callerChanged = (kind: LoginType, name: string) => auth.forget(kind, name);
  const shared = { hasher: new PasswordHasher(), keyring, callerChanged, audit };
  const { forgetData } = options;
  const users = new UserService({ ...shared, users: createUserStore(database), signup: 'open', maxUsers: many });
  const agents = new AgentService({
    ...shared,
    agents: createAgentStore(database),
    maxAgents: many,
    ...(forgetData && { forgetData }),
  });
  const apps = new ThirdPartyAppService({ ...shared, apps: createThirdPartyAppStore(database), maxApps: many });
  const watched = (kind: LoginType, source: PrincipalSource): PrincipalSource => ({
    principal: (name) => source.principal(name),
    authenticate: (name, secret) => {
      options.onPasswordCheck?.(kind);
      return source.authenticate(name, secret);
    },
  });
  const { user = users, agent = agents, third_party_app = apps } = options.sources ?? {};
  const auth = new AuthService({
    sources: {
      user: watched('user', user),
      agent: watched('agent', agent),
      third_party_app: watched('third_party_app', third_party_app),
    },
    keyring,
    tokenTtlSeconds: options.tokenTtlSeconds ?? 3600,
    freshMs: 500,
  });
  const tokenOf = async (kind: LoginType, name: string) => (await auth.login(kind, name, password)).access_token;
  return {
    ...{ users, agents, apps, auth, audit, keyring, tokenOf },
    async user(username: string, roles = ['user']): Promise<string> {
      await users.create({ username, password, roles }, system);
      return tokenOf('user', username);
    },
    async agent(ap_id: string, configuration: Record<string, unknown> = {}): Promise<string> {
      await agents.create({ ap_id, password, configuration }, system);
      return tokenOf('agent', ap_id);
    },
    async app(app_name: string, permissions: Record<string, unknown>): Promise<string> {
      await apps.create({ app_name, api_key: password, permissions }, system);
      return tokenOf('third_party_app', app_name);
    },
  };
}
