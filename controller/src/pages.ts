// The pages that Weft serves beside the interface: health, metrics, both interface documents, and the dashboard.
import { resolve } from 'node:path';
import { BrokerUnavailable } from '@weft/broker';
import packageJson from '../package.json' with { type: 'json' };
import type { Config } from './core/base/config.ts';
import { TryLaterError, WeftError } from './core/base/errors.ts';
import type { FenceReason } from './core/base/node-fence.ts';
import { probeDatabase, probeFolder } from './core/base/storage/write-probe.ts';
import { manualPages, openDashboard } from './core/http/pages/dashboard-pages.ts';
import { installChecksumsPage } from './core/http/pages/install-checksums.ts';
import { createOpenApi } from './core/http/pages/openapi.ts';
import type { Page } from './core/http/pages/page.ts';
import type { Gauges, ServiceMetrics } from './core/http/pages/service-metrics.ts';
import { type PartState, type ServicePagesOptions, servicePages } from './core/http/pages/service-pages.ts';
import type { Route } from './core/http/request/route.ts';
import { isSetupCodeNeeded } from './core/http/request/setup-check.ts';
import type { ServerOptions } from './core/http/server/server.ts';
import { createAsyncApi } from './core/jobs/api/asyncapi.ts';
import type { Part, Platform } from './core/part.ts';

/** Where the build of the dashboard is. */
const defaultDashboard = resolve(import.meta.dirname, '..', '..', 'dashboard', 'dist');
const manualFolder = resolve(import.meta.dirname, '..', '..', 'dist', 'manual');
/** Of a process without the role api. */
const healthPages = new Set(['/healthz', '/livez', '/readyz', '/metrics']);

/** More than a probe takes to say that the disk is slow. */
const patienceMs = 6_000;

interface PagesOptions {
  platform: Platform;
  routes: Route[];
  metrics: ServiceMetrics;
  isReady: () => boolean;
  isStopping: () => boolean;
  partsReadiness: () => ReturnType<NonNullable<Part['readiness']>>[];
  partsWarnings: () => string[];
  hasAdmin: () => Promise<boolean>;
  dashboardFolder?: string | undefined;
}

export function createPages(options: PagesOptions): {
  pages: Page[];
  answerLost: ServerOptions['answerLost'];
} {
  const { platform, routes, metrics, partsReadiness, hasAdmin, dashboardFolder = defaultDashboard } = options;
  const { config, database, telemetryStore, broker, writes } = platform;
  const { passwordLength, signup, tileUrl, tileAttribution } = config;
  const writeFolder = probeFolder(config.dataDir);
  const writeDatabase = probeDatabase(database);
  /** What another node would do better. */
  const traffic = async () => {
    if (options.isStopping()) throw new TryLaterError(503, 'stopping', 'Weft is stopping', 2);
    if (platform.isCutOff()) throw cutOff(platform.fenceReason());
    if (!options.isReady()) throw notPrepared();
  };
  const readiness: ServicePagesOptions['readiness'] = async (wanted) => {
    const checks: Record<string, () => Promise<PartState>> = {
      disk: () => stateOf('disk', writeFolder),
      database: () =>
        stateOf('database', async () => {
          await traffic();
          await database.check();
          await writeDatabase();
        }),
      telemetry: () => stateOf('telemetry', () => telemetryStore.check()),
      broker: () => stateOf('broker', () => broker.check()),
      writes: async () => {
        const { refusal } = writes;
        return refusal ? { name: 'writes', ok: false, reason: refusal.code } : { name: 'writes', ok: true };
      },
    };
    if (wanted?.[0] === 'traffic') return { parts: [await stateOf('traffic', traffic)], warnings: [] };
    for (const state of partsReadiness()) checks[state.name] = async () => state;
    const names = wanted ?? Object.keys(checks);
    // Not repeated: it is whatever somebody has sent.
    const unknown: PartState = { name: 'unknown', ok: false, reason: 'unknown_part' };
    return {
      parts: await Promise.all(names.map((name) => (Object.hasOwn(checks, name) ? checks[name]!() : unknown))),
      warnings: [
        ...(platform.diskSpace.isLow ? ['disk_space_low'] : []),
        ...(telemetryStore.warnings?.() ?? []),
        ...options.partsWarnings(),
      ],
    };
  };
  metrics.add(readinessGauges(readiness, platform));
  const own = servicePages({
    metrics,
    documents: () => createDocuments(config, routes),
    hasAdmin,
    setupCodeNeeded: isSetupCodeNeeded(config),
    signup,
    passwordLength,
    mapTiles: tileUrl === undefined ? null : { url: tileUrl, attribution: tileAttribution },
    readiness,
  });
  if (!config.roles.includes('api')) {
    return { pages: own.filter(({ url }) => healthPages.has(url)), answerLost: undefined };
  }
  const checksums = installChecksumsPage(dashboardFolder, config.tls?.certFile);
  const dashboard = openDashboard(dashboardFolder, tileUrl);
  const isReplaced = new Set(dashboard?.pages.map(({ url }) => url));
  return {
    pages: [
      ...(dashboard?.pages ?? []),
      ...manualPages(manualFolder),
      checksums,
      ...own.filter(({ url }) => !isReplaced.has(url)),
    ],
    answerLost: dashboard?.answerLost,
  };
}

/** What describes the interface, for machines. */
export function createDocuments(config: Config, routes: readonly Route[]) {
  const { passwordLength, agentPasswordMinLength, appKeyMinLength, publicUrl } = config;
  const productVersion = packageJson.version;
  const maxima = { emulator_max_seconds: config.emulatorMaxHours * 3600 };
  return {
    openApi: createOpenApi({
      routes,
      passwordLength,
      agentPasswordMinLength,
      appKeyMinLength,
      maxima,
      productVersion,
    }),
    asyncApi: createAsyncApi({ productVersion, publicUrl }),
  };
}

/** Of what a load balancer and an operator ask, for alarms: they see a silent database as well as one that refuses. */
function readinessGauges(readiness: ServicePagesOptions['readiness'], { now }: Platform): Gauges {
  return {
    weft_ready: {
      help: 'Whether a part works, as /readyz says; 0 with the reason',
      labels: ['part', 'reason'],
      values: async () => {
        const [all, traffic] = await Promise.all([readiness(undefined), readiness(['traffic'])]);
        return [...all.parts, ...traffic.parts].map(({ name, ok, reason = '' }) => ({
          labels: { part: name, reason },
          value: Number(ok),
        }));
      },
    },
    weft_clock_difference_seconds: {
      help: 'By how much the clock of this node is ahead of that of the database that nodes share',
      value: () => Math.round(Date.now() - now()) / 1000,
    },
  };
}

/** With a reason where there is a better one than that it does not work; never later than Prometheus waits. */
async function stateOf(name: string, check: () => Promise<void>): Promise<PartState> {
  const end = Promise.withResolvers<PartState>();
  const timer = setTimeout(() => end.resolve({ name, ok: false, reason: 'no_answer' }), patienceMs);
  try {
    return await Promise.race([end.promise, check().then(() => ({ name, ok: true }))]);
  } catch (error) {
    return { name, ok: false, reason: hasCode(error) ? error.code : 'failing' };
  } finally {
    clearTimeout(timer);
  }
}

function notPrepared(): TryLaterError {
  return new TryLaterError(503, 'database_unavailable', 'The tables have not been prepared yet', 1);
}

function cutOff(reason: FenceReason = 'cut_off'): TryLaterError {
  return new TryLaterError(503, reason, 'Other nodes serve better than this one', 1);
}

/** An error of ours, whose code says nothing about machines or accounts. */
function hasCode(error: unknown): error is WeftError | BrokerUnavailable {
  return error instanceof WeftError || error instanceof BrokerUnavailable;
}
