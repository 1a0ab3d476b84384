// The pages that Weft serves beside the interface: health, metrics, both interface documents, and the dashboard.
import { resolve } from 'node:path';
import { openDashboard } from './http/pages/dashboard-pages.ts';
import { createOpenApi } from './http/pages/openapi.ts';
import type { Page } from './http/pages/page.ts';
import type { ServiceMetrics } from './http/pages/service-metrics.ts';
import { servicePages } from './http/pages/service-pages.ts';
import type { Route } from './http/request/route.ts';
import { isSetupCodeNeeded } from './http/request/setup-check.ts';
import type { ServerOptions } from './http/server/server.ts';
import { createAsyncApi } from './jobs/api/asyncapi.ts';
import type { Platform } from './part.ts';

/** Where the build of the dashboard is. */
const defaultDashboard = resolve(import.meta.dirname, '..', '..', 'dashboard', 'dist');
/** Of a process without the role api. */
const healthPages = new Set(['/healthz', '/livez', '/readyz', '/metrics']);

interface PagesOptions {
  platform: Platform;
  routes: Route[];
  metrics: ServiceMetrics;
  isReady: () => boolean;
  hasAdmin: () => Promise<boolean>;
  dashboardFolder?: string | undefined;
}

export function createPages(options: PagesOptions): {
  pages: Page[];
  answerLost: ServerOptions['answerLost'];
} {
  const { platform, routes, metrics, isReady, hasAdmin, dashboardFolder = defaultDashboard } = options;
  const { config, database, telemetryStore, broker } = platform;
  const { passwordLength, agentPasswordMinLength, signup } = config;
  const own = servicePages({
    metrics,
    openApi: createOpenApi({ routes, passwordLength, agentPasswordMinLength }),
    asyncApi: createAsyncApi(),
    hasAdmin,
    setupCodeNeeded: isSetupCodeNeeded(config),
    signup,
    passwordLength,
    readiness: async () => [
      { name: 'database', ok: isReady() && (await isAvailable(database)) },
      { name: 'telemetry', ok: await isAvailable(telemetryStore) },
      { name: 'broker', ok: await isAvailable(broker) },
    ],
  });
  if (!config.roles.includes('api')) {
    return { pages: own.filter(({ url }) => healthPages.has(url)), answerLost: undefined };
  }
  const dashboard = openDashboard(dashboardFolder);
  const isReplaced = new Set(dashboard?.pages.map(({ url }) => url));
  return {
    pages: [...(dashboard?.pages ?? []), ...own.filter(({ url }) => !isReplaced.has(url))],
    answerLost: dashboard?.answerLost,
  };
}

async function isAvailable(backend: { check(): Promise<void> }): Promise<boolean> {
  try {
    await backend.check();
    return true;
  } catch {
    return false;
  }
}
