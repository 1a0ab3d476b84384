// The composition root: from configuration to backends, services and server. Everything is wired here, by hand, top to
// bottom.
import { resolve } from 'node:path';
import type { Broker } from '@weft/broker';
import { agentRoutes } from './agents/agent-routes.ts';
import { AgentService } from './agents/agent-service.ts';
import { createAgentStore } from './agents/agent-store.sql.ts';
import { EnrolmentService, enrolmentTokenPrefix } from './agents/enrolment-service.ts';
import { createEnrolmentTokenStore } from './agents/enrolment-token-store.sql.ts';
import { auditRoutes } from './audit/audit-routes.ts';
import { AuditService } from './audit/audit-service.ts';
import { createAuditLog } from './audit/audit-store.sql.ts';
import { AgentPassword } from './auth/agent-password.ts';
import { AuthService } from './auth/auth-service.ts';
import type { LoginFailures } from './auth/login-failures.ts';
import { requirePermission } from './auth/permissions.ts';
import { tokenRoutes } from './auth/token-routes.ts';
import { openBroker, openDatabase, openKeyring, openMailer, openTelemetry } from './backends.ts';
import { type CallerChanged, system } from './caller.ts';
import type { Config } from './config.ts';
import { openDashboard } from './http/pages/dashboard-pages.ts';
import { createOpenApi } from './http/pages/openapi.ts';
import { ServiceMetrics } from './http/pages/service-metrics.ts';
import { servicePages } from './http/pages/service-pages.ts';
import { createLogger, type Logger } from './http/request/log.ts';
import type { Route } from './http/request/route.ts';
import { createNetworkCheck, createSetupCheck, isForwarded, isLoopback } from './http/request/setup-check.ts';
import { listen } from './http/server/listen.ts';
import type { Timeouts } from './http/server/listener.ts';
import { createServer } from './http/server/server.ts';
import { createFormats } from './input/formats.ts';
import { Validator } from './input/validator.ts';
import { createAsyncApi } from './jobs/api/asyncapi.ts';
import { PasswordHasher } from './password-hasher.ts';
import { RateLimiter } from './rate-limiter.ts';
import type { Keyring } from './secrets.ts';
import { StartError } from './start-error.ts';
import { lockDataFolder, prepareDataFolder } from './storage/data-folder.ts';
import { type Preparation, prepareUntilDone } from './storage/preparation.ts';
import type { SqlDatabase } from './storage/sql-database.ts';
import { ingestRoutes } from './telemetry/ingest/ingest-routes.ts';
import { lineProtocolRoutes } from './telemetry/ingest/line-protocol-routes.ts';
import { TelemetryService } from './telemetry/ingest/telemetry-service.ts';
import { LiveFeed } from './telemetry/live/live-feed.ts';
import { metricsStreamRoutes } from './telemetry/live/metrics-stream-routes.ts';
import { PresenceService } from './telemetry/presence/presence-service.ts';
import { createPresenceStore } from './telemetry/presence/presence-store.sql.ts';
import { metricsFormats } from './telemetry/query/metrics-formats.ts';
import { metricsRoutes } from './telemetry/query/metrics-routes.ts';
import { MetricsService } from './telemetry/query/metrics-service.ts';
import { Retention } from './telemetry/store/retention.ts';
import type { TelemetryStore } from './telemetry/store/telemetry-store.ts';
import { thirdPartyAppRoutes } from './third-party-apps/third-party-app-routes.ts';
import { ThirdPartyAppService } from './third-party-apps/third-party-app-service.ts';
import { createThirdPartyAppStore } from './third-party-apps/third-party-app-store.sql.ts';
import { PasswordRecoveryService } from './users/password-recovery-service.ts';
import { createResetTokenStore } from './users/reset-token-store.sql.ts';
import { userRoutes } from './users/user-routes.ts';
import { UserService } from './users/user-service.ts';
import { createUserStore } from './users/user-store.sql.ts';
import { type CommandPath, createCommandPath } from './wire-commands.ts';
import { createEmulation, type Emulation } from './wire-emulator.ts';
import { createJobPath, type JobPath } from './wire-jobs.ts';
import { createWays, type Ways } from './wire-ways.ts';

export { checkBackends } from './backends.ts';

const minute = 60_000;
const dayMs = 86_400_000;
const dashboardFolder = resolve(import.meta.dirname, '..', '..', 'dashboard', 'dist');

export interface RunningWeft {
  /** Where it listens. */
  url: string;
  /** Undefined while the database is out of reach. */
  firstAdminNeeded: boolean | undefined;
  /** Set if the first administrator must be created with it. */
  setupCode: string | undefined;
  /** Resolves once requests under way have been answered and everything is closed; stopping again changes nothing. */
  stop(): Promise<void>;
  /** Rejects if Weft cannot go on by itself. */
  failed: Promise<never>;
}

/** Throws StartError if it cannot start. While PostgreSQL is out of reach it starts all the same and answers 503. */
export async function serve(
  config: Config,
  log: Logger = createLogger(config.logLevel),
  timeouts?: Partial<Timeouts>,
): Promise<RunningWeft> {
  prepareDataFolder(config.dataDir);
  const lock = config.databaseUrl === undefined ? lockDataFolder(config.dataDir) : undefined;
  const keyring = openKeyring(config);
  const database = openDatabase(config);
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let url = '';
  const telemetryStore = await openTelemetry(config, log, failed.reject).catch((error) => {
    lock?.release();
    throw new StartError(`the telemetry in ${config.dataDir} cannot be opened: ${error.message}`, { cause: error });
  });
  const broker = openBroker(config, keyring, log, (queue) => jobPath.queueLost(queue));
  const services = createServices(config, database, telemetryStore, keyring, () => config.publicUrl ?? url, log, {
    agentRemoved: async (ap_id) => {
      await ways.agentRemoved(ap_id);
      await commandPath.agentRemoved(ap_id);
      await jobPath.agentRemoved(ap_id);
      await emulation.agentRemoved(ap_id);
    },
    configured: (agent) => commandPath.configured(agent),
    commandTransports: (ap_id, configuration) => ways.commandTransports(ap_id, configuration),
    recorded: (ap_id, samples) => {
      jobPath.recorded(ap_id, samples);
      commandPath.recorded(ap_id, samples);
    },
  });
  const { auth, agents, principals } = services;
  const jobPath: JobPath = createJobPath({
    config,
    database,
    broker,
    telemetry: telemetryStore,
    keyring,
    auth,
    principals,
    agents,
    cancelOther: async (caller, job) =>
      (await commandPath.cancelJob(caller, job)) || (await emulation.cancelJob(caller, job)),
    log,
  });
  const commandPath: CommandPath = createCommandPath({
    config,
    database,
    broker,
    principals,
    agents,
    jobParts: jobPath.parts,
    log,
  });
  const ways: Ways = createWays({
    config,
    database,
    broker,
    keyring,
    auth,
    agents,
    audit: services.audit,
    telemetry: services.telemetry,
    delivery: commandPath.delivery,
    log,
  });
  const emulation: Emulation = createEmulation({
    config,
    database,
    broker,
    agents,
    audit: services.audit,
    callerChanged: services.callerChanged,
    jobParts: jobPath.parts,
    ownUrl: () => url,
    log,
  });
  services.metrics.add(jobPath.metrics);
  services.metrics.add(commandPath.metrics);
  services.metrics.add(ways.metrics);
  services.metrics.add(emulation.metrics);
  const stopWatching = database.watchOthers?.(() => {
    services.auth.forgetAll();
    agents.forgetAll();
  });
  const { users, apps, presence } = services;
  const preparation = prepareUntilDone(
    async () => {
      await database.migrate();
      await apps.reencrypt();
      if (config.admin && !(await users.hasAdmin())) {
        await users.createFirstAdmin({ ...config.admin, roles: ['admin'] }, system);
      }
      await presence.start();
      await jobPath.prepare();
      await commandPath.prepare();
    },
    (err) => log.warn({ err }, 'the database cannot be reached; trying again'),
    failed.reject,
  );

  const setupCodeNeeded =
    !isLoopback(config.host) || config.publicUrl !== undefined || config.trustedProxies.length > 0;
  const { routes, pages, dashboard } = createRoutes(
    config,
    keyring,
    { database, telemetryStore, broker },
    services,
    [...jobPath.routes, ...commandPath.routes, ...ways.routes, ...emulation.routes],
    preparation,
    setupCodeNeeded,
  );
  const mayReadMetrics = createNetworkCheck(config.metricsAllow);
  const server = createServer({
    ...config,
    routes,
    sockets: config.roles.includes('api') ? [...jobPath.sockets, ...ways.sockets] : [],
    pages,
    answerLost: dashboard?.answerLost,
    log,
    timeouts,
    metrics: services.metrics,
    validator: new Validator({
      ...createFormats({ passwordLength: config.passwordLength }),
      ...metricsFormats(config.retention.rollupDays * dayMs),
    }),
    isReady: () => preparation.isDone,
    authenticator: {
      authenticate: (token) => services.auth.authenticate(token),
      remembered: (token) => services.auth.remembered(token),
      authenticateAgent: (credentials, address) => services.agentPassword.authenticate(credentials, address),
      hasAdmin: () => services.users.hasAdmin(),
      isEnrolmentToken: (token) => token.startsWith(enrolmentTokenPrefix),
      requireEnrolment: (token) => services.enrolment.require(token),
      callbackJob: jobPath.callbackJob,
      // What a proxy passes on without a trusted word about its sender may come from anywhere.
      mayReadServiceMetrics: (request) =>
        mayReadMetrics(request.ip) && !(isForwarded(request.headers) && request.ip === request.socket.remoteAddress),
    },
  });

  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopOnce();
    return stopped;
  };
  const stopOnce = async () => {
    preparation.cancel();
    stopWatching?.();
    const deadline = setTimeout(() => server.server.closeAllConnections(), config.shutdownSeconds * 1000);
    services.feed.close();
    // Those who work first, while their results still find somebody.
    await Promise.all([emulation.stopWorker(), jobPath.stopWorker()]);
    await emulation.stop();
    await Promise.all([jobPath.stopSockets(), ways.stopSockets(), server.close()]);
    clearTimeout(deadline);
    await commandPath.stop();
    await jobPath.stop();
    await Promise.all([services.recovery.stop(), services.presence.stop(), services.retention.stop()]);
    await broker.close();
    await telemetryStore.close();
    await database.close();
    lock?.release();
  };
  try {
    await preparation.firstTry;
    url = await listen(server, config);
    const firstAdminNeeded = preparation.isDone ? !(await services.users.hasAdmin()) : undefined;
    if (config.roles.includes('api')) {
      services.recovery.start();
      services.retention.start();
    }
    await jobPath.start();
    await commandPath.start();
    await ways.start();
    await emulation.start();
    return {
      url,
      firstAdminNeeded,
      setupCode: setupCodeNeeded ? keyring.setupCode : undefined,
      stop,
      failed: failed.promise,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Services = ReturnType<typeof createServices>;

function createServices(
  config: Config,
  database: SqlDatabase,
  telemetryStore: TelemetryStore,
  keyring: Keyring,
  publicUrl: () => string,
  log: Logger,
  later: Pick<CommandPath, 'agentRemoved' | 'configured' | 'recorded'> & Pick<Ways, 'commandTransports'>,
) {
  const onError = (err: unknown, message: string) => log.warn({ err }, message);
  const hasher = new PasswordHasher();
  const userStore = createUserStore(database);
  const callerChanged: CallerChanged = (kind, name) => auth.forget(kind, name);
  const { quotas, signup, tokenTtlSeconds } = config;
  // How long a record that others may change is trusted unseen.
  const freshMs = database.watchOthers ? minute : 500;
  const audit = new AuditService(createAuditLog(database));
  const users = new UserService({ users: userStore, hasher, callerChanged, audit, signup, maxUsers: quotas.users });
  const agents = new AgentService({
    agents: createAgentStore(database),
    hasher,
    callerChanged,
    audit,
    maxAgents: quotas.agents,
    freshMs,
    onConfigured: (agent) => later.configured(agent),
    // Whoever gets the name next must not find what another has left behind.
    forgetData: async (ap_id) => {
      await telemetryStore.remove(ap_id);
      await presence.remove(ap_id);
      metricsService.recorded(ap_id);
      await later.agentRemoved(ap_id);
    },
  });
  const enrolment = new EnrolmentService({ agents, tokens: createEnrolmentTokenStore(database), audit });
  const apps = new ThirdPartyAppService({
    apps: createThirdPartyAppStore(database),
    keyring,
    callerChanged,
    audit,
    maxApps: quotas.apps,
  });
  const principals = { user: users, agent: agents, third_party_app: apps };
  const auth = new AuthService({
    sources: principals,
    keyring,
    tokenTtlSeconds,
    freshMs,
  });
  const recovery = new PasswordRecoveryService({
    users: userStore,
    resetTokens: createResetTokenStore(database),
    mailer: openMailer(config, (file) => log.info({ file }, 'no mail server is set: mail written to the outbox')),
    hasher,
    callerChanged,
    audit,
    publicUrl,
    onError,
  });
  const failures: LoginFailures = {
    perAccount: perMinutes('too_many_failed_logins', config.limits.loginFailuresPerAccount, 5),
    perAddress: perMinutes('too_many_failed_logins', config.limits.loginFailuresPerAddress, 5),
  };
  const agentPassword = new AgentPassword({ auth, agents, failures });
  const presence = new PresenceService({
    presence: createPresenceStore(database),
    agents,
    telemetry: telemetryStore,
    commandTransports: (ap_id, configuration) => later.commandTransports(ap_id, configuration),
    onError,
  });
  const metricsService = new MetricsService({ agents, telemetry: telemetryStore, presence });
  const feed = new LiveFeed({
    authorize: async (token) => {
      const caller = await auth.authenticate(token);
      requirePermission('metrics_stream', caller);
      return caller;
    },
  });
  const telemetry = new TelemetryService({
    store: telemetryStore,
    agents,
    retentionDays: config.retention.rawDays,
    onRecorded: (ap_id, samples, receivedMs) => {
      presence.seen(ap_id, receivedMs);
      metricsService.recorded(ap_id);
      feed.publish(ap_id, samples, receivedMs);
      later.recorded(ap_id, samples);
    },
  });
  // Of history only the answers that were made of what is stored must know.
  const history = new TelemetryService({
    store: telemetryStore,
    agents,
    retentionDays: config.retention.rawDays,
    onRecorded: (ap_id) => metricsService.recorded(ap_id),
  });
  const retention = new Retention(telemetryStore, onError);
  const metrics = new ServiceMetrics({
    weft_password_checks_queued: { help: 'Logins that wait for a free core', value: () => hasher.queued },
    weft_live_streams: { help: 'Open streams of live values', value: () => feed.openStreams },
    weft_live_streams_cut_off: { help: 'Streams whose readers were too slow', value: () => feed.cutOff },
  });
  return {
    users,
    agents,
    enrolment,
    apps,
    principals,
    audit,
    auth,
    callerChanged,
    agentPassword,
    failures,
    recovery,
    telemetry,
    metricsService,
    presence,
    feed,
    retention,
    history,
    metrics,
  };
}

function createRoutes(
  config: Config,
  keyring: Keyring,
  { database, telemetryStore, broker }: { database: SqlDatabase; telemetryStore: TelemetryStore; broker: Broker },
  services: Services,
  pathRoutes: Route[],
  preparation: Preparation,
  setupCodeNeeded: boolean,
) {
  const { limits, passwordLength } = config;
  const routes = [
    ...tokenRoutes(services),
    ...userRoutes({
      users: services.users,
      recovery: services.recovery,
      requireSetupRight: createSetupCheck({
        code: keyring.setupCode,
        always: setupCodeNeeded,
        attempts: perMinutes('too_many_setup_codes', 10, 10),
      }),
      limits: {
        signups: perMinutes('too_many_signups', limits.signupsPerAddress, 10),
        recoveries: perMinutes('too_many_recoveries', limits.recoveriesPerAddress, 10),
        resets: perMinutes('too_many_resets', limits.resetsPerAddress, 10),
      },
    }),
    ...agentRoutes(services),
    ...thirdPartyAppRoutes(services.apps),
    ...auditRoutes(services.audit),
    ...ingestRoutes(services.telemetry),
    ...lineProtocolRoutes(services.telemetry, { telemetry: services.history, agents: services.agents }),
    ...metricsRoutes({ metrics: services.metricsService, presence: services.presence }),
    ...metricsStreamRoutes(services.feed),
    ...pathRoutes,
  ];
  const ownPages = servicePages({
    metrics: services.metrics,
    openApi: createOpenApi({ routes, passwordLength }),
    asyncApi: createAsyncApi(),
    hasAdmin: () => services.users.hasAdmin(),
    setupCodeNeeded,
    signup: config.signup,
    passwordLength,
    readiness: async () => [
      { name: 'database', ok: preparation.isDone && (await isWell(database)) },
      { name: 'telemetry', ok: await isWell(telemetryStore) },
      { name: 'broker', ok: await isWell(broker) },
    ],
  });
  const dashboard = openDashboard(dashboardFolder);
  const isReplaced = new Set(dashboard?.pages.map(({ url }) => url));
  const pages = [...(dashboard?.pages ?? []), ...ownPages.filter(({ url }) => !isReplaced.has(url))];
  if (config.roles.includes('api')) return { routes, pages, dashboard };
  // Of a process that only works, its keepers still want to know how it is.
  const kept = new Set(['/healthz', '/livez', '/readyz', '/metrics']);
  return { routes: [], pages: ownPages.filter(({ url }) => kept.has(url)), dashboard: undefined };
}

function perMinutes(code: string, max: number, minutes: number): RateLimiter {
  return new RateLimiter(code, { max, windowMs: minutes * minute });
}

async function isWell(backend: { check(): Promise<void> }): Promise<boolean> {
  try {
    await backend.check();
    return true;
  } catch {
    return false;
  }
}
