// The doors of the telemetry path on a real server with real stores, for tests that look behind them.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentService } from '../controller/src/agents/agent-service.ts';
import { createAgentStore } from '../controller/src/agents/agent-store.sql.ts';
import { AuditService } from '../controller/src/audit/audit-service.ts';
import { createAuditLog } from '../controller/src/audit/audit-store.sql.ts';
import { AgentPassword } from '../controller/src/auth/agent-password.ts';
import { AuthService } from '../controller/src/auth/auth-service.ts';
import { tokenRoutes } from '../controller/src/auth/token-routes.ts';
import { system } from '../controller/src/caller.ts';
import { createFormats } from '../controller/src/http/formats.ts';
import { createLogger, type Logger } from '../controller/src/http/log.ts';
import { createServer } from '../controller/src/http/server.ts';
import { ServiceMetrics } from '../controller/src/http/service-metrics.ts';
import { Validator } from '../controller/src/http/validator.ts';
import { PasswordHasher } from '../controller/src/password-hasher.ts';
import { RateLimiter } from '../controller/src/rate-limiter.ts';
import { Keyring } from '../controller/src/secrets.ts';
import { openSqlite } from '../controller/src/storage/sql-database.sqlite.ts';
import { ingestRoutes } from '../controller/src/telemetry/ingest-routes.ts';
import { lineProtocolRoutes } from '../controller/src/telemetry/line-protocol-routes.ts';
import { TelemetryService } from '../controller/src/telemetry/telemetry-service.ts';
import { openSqliteTelemetry } from '../controller/src/telemetry/telemetry-store.sqlite.ts';
import type { Frame, Sample } from '../controller/src/telemetry/telemetry-store.ts';
import { ThirdPartyAppService } from '../controller/src/third-party-apps/third-party-app-service.ts';
import { createThirdPartyAppStore } from '../controller/src/third-party-apps/third-party-app-store.sql.ts';
import { UserService } from '../controller/src/users/user-service.ts';
import { createUserStore } from '../controller/src/users/user-store.sql.ts';
import { type Answer, password } from './weft.ts';

const day = 86_400_000;

export type IngestServer = Awaited<ReturnType<typeof startIngestServer>>;

export async function startIngestServer(options: { maxFailures?: number; log?: Logger } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'weft-ingest-'));
  const database = openSqlite(join(folder, 'weft.db'));
  await database.migrate();
  const store = await openSqliteTelemetry({
    folder,
    rawRetentionMs: 30 * day,
    rollupRetentionMs: 400 * day,
    onDamage: () => {},
    onFatal: (error) => {
      throw error;
    },
  });
  const keyring = new Keyring(randomBytes(32).toString('hex'));
  const hasher = new PasswordHasher();
  const callerChanged = (kind: 'user' | 'agent' | 'third_party_app', name: string) => auth.forget(kind, name);
  const audit = new AuditService(createAuditLog(database));
  const agents = new AgentService({
    agents: createAgentStore(database),
    hasher,
    callerChanged,
    audit,
    maxAgents: 1e6,
  });
  const users = new UserService({
    users: createUserStore(database),
    hasher,
    callerChanged,
    audit,
    signup: 'open',
    maxUsers: 1e6,
  });
  const apps = new ThirdPartyAppService({
    apps: createThirdPartyAppStore(database),
    keyring,
    callerChanged,
    audit,
    maxApps: 1e6,
  });
  let passwordChecks = 0;
  const auth = new AuthService({
    sources: {
      user: users,
      agent: {
        principal: (name) => agents.principal(name),
        authenticate: (name, secret) => {
          passwordChecks += 1;
          return agents.authenticate(name, secret);
        },
      },
      third_party_app: apps,
    },
    keyring,
    tokenTtlSeconds: 3600,
    freshMs: 500,
  });
  const atMost = (max: number) => new RateLimiter('too_many_failed_logins', { max, windowMs: 300_000 });
  const failures = { perAccount: atMost(options.maxFailures ?? 1e6), perAddress: atMost(1e6) };
  const agentPassword = new AgentPassword({ auth, agents, failures });
  const recorded: { ap_id: string; samples: readonly Sample[]; receivedMs: number }[] = [];
  const telemetry = new TelemetryService({
    store,
    agents,
    retentionDays: 30,
    onRecorded: (ap_id, samples, receivedMs) => recorded.push({ ap_id, samples, receivedMs }),
  });
  const server = createServer({
    routes: [
      ...tokenRoutes({ auth, failures }),
      ...ingestRoutes(telemetry),
      ...lineProtocolRoutes(telemetry, { telemetry, agents }),
    ],
    pages: [],
    doorkeeper: {
      authenticate: (token) => auth.authenticate(token),
      remembered: (token) => auth.remembered(token),
      authenticateAgent: (credentials, address) => agentPassword.authenticate(credentials, address),
      hasAdmin: () => users.hasAdmin(),
      isEnrolmentToken: () => false,
      requireEnrolment: async () => {},
      mayReadServiceMetrics: () => false,
    },
    validator: new Validator(createFormats({ passwordLength: { min: 8, max: 128 } })),
    metrics: new ServiceMetrics({}),
    log: options.log ?? createLogger('silent'),
    isReady: () => true,
    host: '127.0.0.1',
    publicUrl: undefined,
    allowedHosts: [],
    corsOrigins: [],
    trustedProxies: [],
    tls: undefined,
    maxConnections: 1000,
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const admin = { kind: 'user', id: 'admin', name: 'admin', roles: ['admin'], isAdmin: true } as const;

  return {
    url,
    store,
    agents,
    users,
    telemetry,
    recorded,
    get passwordChecks() {
      return passwordChecks;
    },
    async agent(ap_id: string, configuration: Record<string, unknown> = {}): Promise<string> {
      await agents.create({ ap_id, password, configuration }, system);
      return (await auth.login('agent', ap_id, password)).access_token;
    },
    async user(username: string): Promise<string> {
      await users.create({ username, password, roles: ['user'] }, system);
      return (await auth.login('user', username, password)).access_token;
    },
    async configurationOf(ap_id: string): Promise<Record<string, unknown>> {
      return (await agents.get(ap_id, admin)).configuration;
    },
    async post(path: string, headers: Record<string, string>, body: RequestInit['body']): Promise<Answer> {
      const response = await fetch(url + path, { method: 'POST', headers, body: body ?? null });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    },
    /** Everything stored of an agent: one object a moment, oldest first. */
    async rowsOf(ap_id: string): Promise<Record<string, number | string>[]> {
      return toRows(await store.rows(ap_id, { startMs: 0, endMs: Date.now() + day }, 100_000));
    },
    async stop(): Promise<void> {
      await server.close();
      await store.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function toRows({ ts, columns, texts }: Frame): Record<string, number | string>[] {
  return Array.from(ts, (moment, index) => {
    const fields: [string, number | string][] = [];
    for (const [name, values] of columns) if (!Number.isNaN(values[index])) fields.push([name, values[index]!]);
    for (const [name, values] of texts) if (values[index] !== undefined) fields.push([name, values[index]]);
    return Object.fromEntries([['ts', moment], ...fields]);
  });
}
