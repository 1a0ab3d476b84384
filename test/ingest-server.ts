// The doors of the telemetry path on a real server with real stores, for tests that look behind them.
import { AgentPassword } from '../controller/src/auth/agent-password.ts';
import { tokenRoutes } from '../controller/src/auth/token-routes.ts';
import type { Logger } from '../controller/src/http/request/log.ts';
import { RateLimiter } from '../controller/src/rate-limiter.ts';
import { ingestRoutes } from '../controller/src/telemetry/ingest/ingest-routes.ts';
import { lineProtocolRoutes } from '../controller/src/telemetry/ingest/line-protocol-routes.ts';
import { TelemetryService } from '../controller/src/telemetry/ingest/telemetry-service.ts';
import type { Sample } from '../controller/src/telemetry/store/telemetry-store.ts';
import { createAccounts } from './accounts.ts';
import { listen } from './listening-server.ts';
import { openStores } from './stores.ts';
import type { Answer } from './weft.ts';

export type IngestServer = Awaited<ReturnType<typeof startIngestServer>>;

export async function startIngestServer(options: { maxFailures?: number; log?: Logger } = {}) {
  const { database, telemetry: store, rowsOf, close } = await openStores('ingest');
  let passwordChecks = 0;
  const accounts = createAccounts(database, {
    onPasswordCheck: (kind) => {
      if (kind === 'agent') passwordChecks += 1;
    },
  });
  const { users, agents, auth } = accounts;
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
  const server = await listen({
    routes: [
      ...tokenRoutes({ auth, failures }),
      ...ingestRoutes(telemetry),
      ...lineProtocolRoutes(telemetry, { telemetry, agents }),
    ],
    authenticator: {
      authenticate: (token) => auth.authenticate(token),
      remembered: (token) => auth.remembered(token),
      authenticateAgent: (credentials, address) => agentPassword.authenticate(credentials, address),
    },
    ...(options.log && { log: options.log }),
  });
  const { url } = server;
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
    agent: accounts.agent,
    user: (username: string) => accounts.user(username),
    async configurationOf(ap_id: string): Promise<Record<string, unknown>> {
      return (await agents.get(ap_id, admin)).configuration;
    },
    async post(path: string, headers: Record<string, string>, body: RequestInit['body']): Promise<Answer> {
      const response = await fetch(url + path, { method: 'POST', headers, body: body ?? null });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    },
    rowsOf,
    async stop(): Promise<void> {
      await server.close();
      await close();
    },
  };
}
