// Runs Weft: opens the platform, creates the parts, and folds over their list to prepare, serve, start and stop them.
// Which parts there are is said in parts.ts.
import { isatty } from 'node:tty';
import type { Config } from './core/base/config.ts';
import { createFormats } from './core/base/input/formats.ts';
import { Validator } from './core/base/input/validator.ts';
import { prepareUntilDone } from './core/base/storage/preparation.ts';
import { ReplicaRounds } from './core/base/storage/replica.ts';
import { createCoreParts } from './core/core-parts.ts';
import { createEvents, type Events } from './core/events.ts';
import { measuring, ServiceMetrics } from './core/http/pages/service-metrics.ts';
import type { Authenticator } from './core/http/request/guard.ts';
import { createLogger, type Logger } from './core/http/request/log.ts';
import { logMetrics } from './core/http/request/log-output.ts';
import { chooseLogFormat } from './core/http/request/log-text.ts';
import { type IdsOf, namingIds } from './core/http/request/named-agents.ts';
import { createNetworkCheck, isForwarded, isSetupCodeNeeded } from './core/http/request/setup-check.ts';
import { listen, type Timeouts } from './core/http/server/listener.ts';
import { createServer } from './core/http/server/server.ts';
import type { Part, Platform } from './core/part.ts';
import { refuseUnfinishedMigration } from './operations/moving/migration-state.ts';
import { createPages } from './pages.ts';
import { createParts, refuseDataOfTenants } from './parts.ts';
import { type OpenPlatform, openPlatform, type PlatformOptions } from './platform.ts';

export { checkBackends } from './backends.ts';

type PartList = Record<string, Part>;

export interface ServeOptions<Parts extends PartList> {
  log?: Logger;
  timeouts?: Partial<Timeouts>;
  /** Where the build of the dashboard is; default: beside the controller. */
  dashboardFolder?: string;
  /** Default: all parts of Weft. */
  createParts?: (platform: Platform, events: Events) => Parts;
  /** What counts the answers. Default: one of its own. */
  metrics?: ServiceMetrics;
  passwordCost?: PlatformOptions['passwordCost'];
}

export interface RunningWeft<Parts extends PartList = ReturnType<typeof createParts>> {
  /** Where it listens. */
  url: string;
  /** Undefined while the database is unreachable. */
  firstAdminNeeded: boolean | undefined;
  /** Set if the first administrator must be created with it. */
  setupCode: string | undefined;
  parts: Parts;
  platform: Platform;
  events: Events;
  /** Resolves once requests under way have been answered and everything is closed; stopping again changes nothing. */
  stop(): Promise<void>;
  /** Rejects if Weft cannot go on by itself. */
  failed: Promise<never>;
}

/** Throws StartError if it cannot start. While PostgreSQL is unreachable it starts all the same and answers 503. */
export async function serve<Parts extends PartList = ReturnType<typeof createParts>>(
  config: Config,
  options: ServeOptions<Parts> = {},
): Promise<RunningWeft<Parts>> {
  const { log = createLogger(config.logLevel, chooseLogFormat(config.logFormat, isatty(2))) } = options;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let url = '';
  const events = createEvents();
  const { passwordCost } = options;
  const onFatal = failed.reject;
  const platform = await openPlatform({ config, log, events, ownUrl: () => url, onFatal, passwordCost });
  const onStopError = (err: unknown) => log.error({ err }, 'a part could not be stopped in order');
  const state = { isStopping: false };
  const { named, authenticator, preparation, replicas, server } = await orClose(platform, () =>
    build(platform, events, options, state, failed.reject),
  );
  const parts: Part[] = Object.values(named);

  /** To its end, whatever a part throws on the way: the data folder must be free afterwards. */
  const stopOnce = async () => {
    state.isStopping = true;
    preparation.cancel();
    const deadline = setTimeout(() => server.closeAllConnections(), config.shutdownSeconds * 1000);
    // Those who work first, while their results still find somebody.
    await Promise.all(parts.map((part) => attempt(() => part.drain?.(), onStopError)));
    const closing = parts.map((part) => attempt(() => part.sockets?.close(), onStopError));
    await Promise.all([...closing, attempt(() => server.close(), onStopError)]);
    clearTimeout(deadline);
    await replicas.stop();
    for (const part of parts.toReversed()) await attempt(() => part.stop?.(), onStopError);
    await platform.close();
  };
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopOnce();
    return stopped;
  };
  const startParts = async () => {
    replicas.start(events);
    platform.watchOthers();
    for (const part of parts) await part.start?.();
  };
  try {
    await preparation.firstTry;
    url = await listen(server, config);
    const firstAdminNeeded = preparation.isDone ? !(await authenticator.hasAdmin()) : undefined;
    // Without tables there is nothing to start: what a part would say about it is said once, by the preparation.
    if (preparation.isDone) await startParts();
    else void preparation.done.then(startParts).catch(failed.reject);
    return {
      url,
      firstAdminNeeded,
      setupCode: isSetupCodeNeeded(config) ? platform.keyring.setupCode : undefined,
      parts: named,
      platform,
      events,
      stop,
      failed: failed.promise,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Everything that is created before it starts. */
function build<Parts extends PartList>(
  platform: OpenPlatform,
  events: Events,
  options: ServeOptions<Parts>,
  state: { readonly isStopping: boolean },
  onPreparationFailed: (error: Error) => void,
) {
  const { config, log } = platform;
  const { timeouts, dashboardFolder, metrics = new ServiceMetrics() } = options;
  const all = config.parts === 'core' ? createCoreParts : createParts;
  const create = options.createParts ?? (all as unknown as NonNullable<typeof options.createParts>);
  const named = create(platform, events);
  const parts: Part[] = Object.values(named);
  const isApi = config.roles.includes('api');

  for (const part of parts) metrics.add(part.metrics ?? {});
  const replicas = new ReplicaRounds(Object.assign({}, ...parts.map((part) => part.replicas)), platform.onChange);
  metrics.add(replicas.metrics);
  metrics.add(logMetrics);
  measuring.onFirst = (err) => log.error({ err }, 'a measurement of this process failed; such are left out');
  metrics.add({
    weft_data_disk_free_bytes: {
      help: 'Free space on the disk of the data folder',
      value: () => platform.diskSpace.freeBytes,
    },
    weft_writes_refused_total: {
      help: 'Writes that database or telemetry storage refused',
      value: () => platform.writes.refusedTotal,
    },
    weft_measurement_failures_total: {
      help: 'Measurements of this process that failed and were left out',
      value: () => measuring.failures,
    },
    weft_recovered_failures_total: {
      help: 'Failures that Weft recovers from by itself',
      value: () => platform.recoveredFailures,
    },
  });
  const authenticator = createAuthenticator(config, parts);
  const preparation = prepareUntilDone(
    async () => {
      await platform.database.migrate();
      await refuseUnfinishedMigration(platform.database);
      if (config.parts === 'core') await refuseDataOfTenants(platform.database);
      await platform.telemetryStore.prepare?.();
      for (const part of parts) await part.prepare?.();
    },
    (reason) => log.warn({ reason }, 'the database is unavailable; trying again'),
    onPreparationFailed,
  );
  const isReady = () => preparation.isDone;
  const idsOf: IdsOf = async (...named) => parts.find((part) => part.idsOf)?.idsOf?.(...named) ?? [];
  const routes = parts.flatMap((part) => part.routes ?? []).map((route) => namingIds(route, idsOf));
  const { hasAdmin } = authenticator;
  const partsReadiness = () => parts.flatMap((part) => part.readiness?.() ?? []);
  const { pages, answerLost } = createPages({
    platform,
    routes,
    metrics,
    isReady,
    isStopping: () => state.isStopping,
    partsReadiness,
    partsWarnings: () => parts.flatMap((part) => part.warnings?.() ?? []),
    hasAdmin,
    dashboardFolder,
  });
  const server = createServer({
    ...config,
    routes: isApi ? routes : [],
    sockets: isApi ? parts.flatMap((part) => part.sockets?.routes ?? []) : [],
    pages,
    answerLost,
    log,
    shares: platform.shares,
    timeouts,
    metrics,
    validator: new Validator(Object.assign(createFormats(config), ...parts.map((part) => part.formats))),
    isReady,
    isCutOff: platform.isCutOff,
    clock: platform.database.dialect === 'postgres' ? platform.now : undefined,
    authenticator,
  });
  // Last: all who share something have said so.
  metrics.add(platform.shares.metrics);
  return { named, authenticator, preparation, replicas, server };
}

/** What `work` creates; if it throws, the platform is closed. */
async function orClose<T>(platform: OpenPlatform, work: () => T): Promise<T> {
  try {
    return work();
  } catch (error) {
    await platform.close();
    throw error;
  }
}

/** Never rejects. */
async function attempt(work: () => unknown, onError: (error: unknown) => void): Promise<void> {
  try {
    await work();
  } catch (error) {
    onError(error);
  }
}

/** What the guard asks: each part knows some callers. */
function createAuthenticator(config: Config, parts: Part[]): Authenticator {
  const mayReadMetrics = createNetworkCheck(config.metricsAllow);
  return Object.assign(
    {
      schemes: parts.flatMap(({ schemes = [] }) => schemes),
      hasAdmin: async () => true,
      // What a proxy passes on without a trusted word about its sender may come from anywhere.
      mayReadServiceMetrics: (request) =>
        mayReadMetrics(request.ip) && !(isForwarded(request.headers) && request.ip === request.socket.remoteAddress),
    } satisfies Authenticator,
    ...parts.map((part) => part.authenticator),
  );
}
