// The ways out of the telemetry path on a real server with real stores, for tests that need the store or the clock in
// their own hands. What TelemetryService does after a post, `record` does here.
import { requirePermission } from '../controller/src/auth/permissions.ts';
import { Validator } from '../controller/src/input/validator.ts';
import { LiveFeed } from '../controller/src/telemetry/live/live-feed.ts';
import { metricsStreamRoutes } from '../controller/src/telemetry/live/metrics-stream-routes.ts';
import { PresenceService } from '../controller/src/telemetry/presence/presence-service.ts';
import { createPresenceStore } from '../controller/src/telemetry/presence/presence-store.sql.ts';
import { metricsFormats } from '../controller/src/telemetry/query/metrics-formats.ts';
import { metricsRoutes } from '../controller/src/telemetry/query/metrics-routes.ts';
import { MetricsService } from '../controller/src/telemetry/query/metrics-service.ts';
import type { Sample } from '../controller/src/telemetry/store/telemetry-store.ts';
import { createAccounts } from './accounts.ts';
import { formats, listen } from './listening-server.ts';
import { openStores } from './stores.ts';

export function sampleOf(ts: number, metrics: Record<string, number>, texts: Record<string, string> = {}): Sample {
  return { ts, names: Object.keys(metrics), values: Object.values(metrics), texts: Object.entries(texts) };
}

export type MetricsServer = Awaited<ReturnType<typeof startMetricsServer>>;

export async function startMetricsServer(options: { recentBytes?: number; tokenTtlSeconds?: number } = {}) {
  const { database, telemetry, close } = await openStores('metrics');
  const accounts = createAccounts(database, { tokenTtlSeconds: options.tokenTtlSeconds });
  const { users, agents, apps, auth, user, agent, app } = accounts;
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
  await presence.start();
  const server = await listen({
    routes: [...metricsRoutes({ metrics, presence }), ...metricsStreamRoutes(feed)],
    authenticator: {
      authenticate: (token) => auth.authenticate(token),
      remembered: (token) => auth.remembered(token),
    },
    validator: new Validator({ ...formats, ...metricsFormats() }),
    beforeClose: () => feed.close(),
  });
  const { url } = server;
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
    user,
    agent,
    app,
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
        await close();
      })();
      return stopped;
    },
  };
}
