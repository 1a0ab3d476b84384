// The ways out of the telemetry path on a real server with real stores, for tests that need the store or the clock in
// their own hands. What TelemetryService does after a post, `record` does here.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoginType } from '../contract/src/index.ts';
import { AgentService } from '../controller/src/agents/agent-service.ts';
import { createAgentStore } from '../controller/src/agents/agent-store.sql.ts';
import { AuditService } from '../controller/src/audit/audit-service.ts';
import { createAuditLog } from '../controller/src/audit/audit-store.sql.ts';
import { AuthService } from '../controller/src/auth/auth-service.ts';
import { requirePermission } from '../controller/src/auth/permissions.ts';
import { system } from '../controller/src/caller.ts';
import { createFormats } from '../controller/src/http/formats.ts';
import { createLogger } from '../controller/src/http/log.ts';
import { createServer } from '../controller/src/http/server.ts';
import { ServiceMetrics } from '../controller/src/http/service-metrics.ts';
import { Validator } from '../controller/src/http/validator.ts';
import { PasswordHasher } from '../controller/src/password-hasher.ts';
import { Keyring } from '../controller/src/secrets.ts';
import { openSqlite } from '../controller/src/storage/sql-database.sqlite.ts';
import { LiveFeed } from '../controller/src/telemetry/live-feed.ts';
import { metricsFormats } from '../controller/src/telemetry/metrics-formats.ts';
import { metricsRoutes } from '../controller/src/telemetry/metrics-routes.ts';
import { MetricsService } from '../controller/src/telemetry/metrics-service.ts';
import { metricsStreamRoutes } from '../controller/src/telemetry/metrics-stream-routes.ts';
import { PresenceService } from '../controller/src/telemetry/presence-service.ts';
import { createPresenceStore } from '../controller/src/telemetry/presence-store.sql.ts';
import { openSqliteTelemetry } from '../controller/src/telemetry/telemetry-store.sqlite.ts';
import type { Sample } from '../controller/src/telemetry/telemetry-store.ts';
import { ThirdPartyAppService } from '../controller/src/third-party-apps/third-party-app-service.ts';
import { createThirdPartyAppStore } from '../controller/src/third-party-apps/third-party-app-store.sql.ts';
import { UserService } from '../controller/src/users/user-service.ts';
import { createUserStore } from '../controller/src/users/user-store.sql.ts';
import { password } from './weft.ts';

const day = 86_400_000;

export function sampleOf(ts: number, metrics: Record<string, number>, texts: Record<string, string> = {}): Sample {
  return { ts, names: Object.keys(metrics), values: Object.values(metrics), texts: Object.entries(texts) };
}

export type MetricsServer = Awaited<ReturnType<typeof startMetricsServer>>;

export async function startMetricsServer(options: { recentBytes?: number; tokenTtlSeconds?: number } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'weft-metrics-'));
  const database = openSqlite(join(folder, 'weft.db'));
  await database.migrate();
  const telemetry = await openSqliteTelemetry({
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
  const callerChanged = (kind: LoginType, name: string) => auth.forget(kind, name);
  const audit = new AuditService(createAuditLog(database));
  const users = new UserService({
    users: createUserStore(database),
    hasher,
    callerChanged,
    audit,
    signup: 'open',
    maxUsers: 1e6,
  });
  const agents = new AgentService({
    agents: createAgentStore(database),
    hasher,
    callerChanged,
    audit,
    maxAgents: 1e6,
  });
  const apps = new ThirdPartyAppService({
    apps: createThirdPartyAppStore(database),
    keyring,
    callerChanged,
    audit,
    maxApps: 1e6,
  });
  const auth = new AuthService({
    sources: { user: users, agent: agents, third_party_app: apps },
    keyring,
    tokenTtlSeconds: options.tokenTtlSeconds ?? 3600,
    freshMs: 500,
  });
  const onError = (error: unknown) => {
    throw error;
  };
  const presence = new PresenceService({ presence: createPresenceStore(database), agents, telemetry, onError });
  const metrics = new MetricsService({ agents, telemetry, presence });
  const feed = new LiveFeed({
    ...options,
    authorize: async (token) => {
      const caller = await auth.authenticate(token);
      requirePermission('metrics_stream', caller);
      return caller;
    },
  });
  const server = createServer({
    routes: [...metricsRoutes({ metrics, presence }), ...metricsStreamRoutes(feed)],
    pages: [],
    doorkeeper: {
      authenticate: (token: string) => auth.authenticate(token),
      remembered: (token: string) => auth.remembered(token),
      hasAdmin: () => users.hasAdmin(),
      isEnrolmentToken: () => false,
      requireEnrolment: async () => {},
      mayReadServiceMetrics: () => false,
    } as unknown as Parameters<typeof createServer>[0]['doorkeeper'],
    validator: new Validator({
      ...createFormats({ passwordLength: { min: 8, max: 128 } }),
      ...metricsFormats(),
    }),
    metrics: new ServiceMetrics({}),
    log: createLogger('silent'),
    isReady: () => true,
    host: '127.0.0.1',
    publicUrl: undefined,
    allowedHosts: [],
    corsOrigins: [],
    trustedProxies: [],
    tls: undefined,
    maxConnections: 10_000,
  });
  server.addHook('preClose', (done) => {
    feed.close();
    done();
  });
  await presence.start();
  await server.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const tokenOf = async (kind: LoginType, name: string) => (await auth.login(kind, name, password)).access_token;
  let stopped: Promise<void> | undefined;

  return {
    url,
    telemetry,
    agents,
    apps,
    users,
    presence,
    metrics,
    feed,
    async user(username: string, roles = ['user']) {
      await users.create({ username, password, roles }, system);
      return tokenOf('user', username);
    },
    async agent(ap_id: string, configuration: Record<string, unknown> = {}) {
      await agents.create({ ap_id, password, configuration }, system);
      return tokenOf('agent', ap_id);
    },
    async app(app_name: string, permissions: Record<string, unknown>) {
      await apps.create({ app_name, api_key: password, permissions }, system);
      return tokenOf('third_party_app', app_name);
    },
    async record(ap_id: string, samples: Sample[], receivedMs = Date.now()) {
      await telemetry.append(ap_id, samples);
      metrics.recorded(ap_id);
      presence.seen(ap_id, receivedMs);
      feed.publish(ap_id, samples, receivedMs);
    },
    async get(path: string, token: string, headers: Record<string, string> = {}) {
      const response = await fetch(`${url}/api/v1/metrics/${path}`, {
        headers: { authorization: `Bearer ${token}`, ...headers },
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : text };
    },
    stop() {
      stopped ??= (async () => {
        await server.close();
        await presence.stop();
        await telemetry.close();
        await database.close();
        await rm(folder, { recursive: true, force: true });
      })();
      return stopped;
    },
  };
}
