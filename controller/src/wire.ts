// The composition root: from configuration to backends, services and server. Everything is wired here, by hand, top to
// bottom.
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { UserCreate, UserUpdate } from '@weft/contract';
import type { FastifyInstance } from 'fastify';
import { agentRoutes } from './agents/agent-routes.ts';
import { AgentService, enrolmentTokenPrefix } from './agents/agent-service.ts';
import { createAgentStore } from './agents/agent-store.sql.ts';
import { createEnrolmentTokenStore } from './agents/enrolment-token-store.sql.ts';
import { AuthService } from './auth/auth-service.ts';
import { tokenRoutes } from './auth/token-routes.ts';
import type { CallerChanged } from './caller.ts';
import type { Config } from './config.ts';
import { TryLaterError } from './errors.ts';
import { createFormats } from './http/formats.ts';
import { createLogger, type Logger } from './http/log.ts';
import { createOpenApi } from './http/openapi.ts';
import { createServer, type Timeouts } from './http/server.ts';
import { ServiceMetrics } from './http/service-metrics.ts';
import { servicePages } from './http/service-pages.ts';
import { createNetworkCheck, createSetupCheck, isForwarded, isLoopback } from './http/setup-check.ts';
import { Validator } from './http/validator.ts';
import { createOutboxMailer } from './mail/mailer.outbox.ts';
import { createSmtpMailer } from './mail/mailer.smtp.ts';
import type { Mailer } from './mail/mailer.ts';
import { PasswordHasher } from './password-hasher.ts';
import { RateLimiter } from './rate-limiter.ts';
import { readOrCreateSecret } from './secret-file.ts';
import { Keyring } from './secrets.ts';
import { StartError } from './start-error.ts';
import { lockDataFolder, prepareDataFolder } from './storage/data-folder.ts';
import { openPostgres } from './storage/sql-database.postgres.ts';
import { openSqlite } from './storage/sql-database.sqlite.ts';
import type { SqlDatabase } from './storage/sql-database.ts';
import { thirdPartyAppRoutes } from './third-party-apps/third-party-app-routes.ts';
import { ThirdPartyAppService } from './third-party-apps/third-party-app-service.ts';
import { createThirdPartyAppStore } from './third-party-apps/third-party-app-store.sql.ts';
import { PasswordRecoveryService } from './users/password-recovery-service.ts';
import { createResetTokenStore } from './users/reset-token-store.sql.ts';
import { userRoutes } from './users/user-routes.ts';
import { UserService } from './users/user-service.ts';
import { createUserStore } from './users/user-store.sql.ts';

const minute = 60_000;
const databaseRetryMs = 1_000;

export interface RunningWeft {
  /** Where it listens. */
  url: string;
  firstAdminNeeded: boolean;
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
  const mailer = openMailer(config, (file) => log.info({ file }, 'no mail server is set: mail written to the outbox'));
  const services = createServices(config, database, keyring, mailer, () => config.publicUrl ?? url, log);
  const preparation = prepareDatabase(config, database, services, log, failed.reject);

  const setupCodeNeeded =
    !isLoopback(config.host) || config.publicUrl !== undefined || config.trustedProxies.length > 0;
  const { routes, pages } = createRoutes(config, keyring, database, services, preparation, setupCodeNeeded);
  const mayReadMetrics = createNetworkCheck(config.metricsAllow);
  const server = createServer({
    ...config,
    routes,
    pages,
    log,
    timeouts,
    metrics: services.metrics,
    validator: new Validator(createFormats({ passwordLength: config.passwordLength })),
    isReady: () => preparation.isDone,
    doorkeeper: {
      authenticate: (token) => services.auth.authenticate(token),
      hasAdmin: () => services.users.hasAdmin(),
      isEnrolmentToken: (token) => token.startsWith(enrolmentTokenPrefix),
      requireEnrolment: (token) => services.agents.requireEnrolment(token),
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
    const deadline = setTimeout(() => server.server.closeAllConnections(), config.shutdownSeconds * 1000);
    await server.close();
    clearTimeout(deadline);
    await services.recovery.stop();
    await database.close();
    lock?.release();
  };
  try {
    await preparation.firstTry;
    url = await listen(server, config);
    const firstAdminNeeded = preparation.isDone && !(await services.users.hasAdmin());
    services.recovery.start();
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

/** For the command line: the accounts without a server. */
export async function openAccounts(config: Config) {
  prepareDataFolder(config.dataDir);
  const database = openDatabase(config);
  await database.migrate();
  const hasher = new PasswordHasher();
  const store = createUserStore(database);
  const { signup, quotas } = config;
  const users = new UserService({ users: store, hasher, callerChanged: () => {}, signup, maxUsers: quotas.users });
  const validator = new Validator(createFormats({ passwordLength: config.passwordLength }));
  return {
    users: {
      list: async () =>
        (await store.list()).map(({ username, roles, created_at }) => ({ username, roles: roles.join(), created_at })),
      create: (input: UserCreate) => users.create(validator.require(UserCreate, input)),
      setPassword: (username: string, password: string) =>
        users.update(username, validator.require(UserUpdate, { password })),
    },
    close: () => database.close(),
  };
}

/** For the doctor: every part that lives outside of this process. */
export async function checkBackends(config: Config): Promise<BackendReport[]> {
  const database = config.databaseUrl === undefined ? 'SQLite database' : 'PostgreSQL database';
  return [
    await report(database, 'answers', 'See the settings WEFT_DATABASE_URL and WEFT_DATA_DIR', async () => {
      prepareDataFolder(config.dataDir);
      const opened = openDatabase(config);
      try {
        await opened.check();
      } finally {
        await opened.close();
      }
    }),
    await report(
      'Mail',
      config.smtpUrl === undefined
        ? `no mail server set: mail goes to ${join(config.dataDir, 'outbox')}`
        : 'the mail server answers',
      'See the setting WEFT_SMTP_URL',
      () => openMailer(config, () => {}).check(),
    ),
  ];
}

interface BackendReport {
  name: string;
  ok: boolean;
  detail: string;
  advice?: string;
}

async function report(name: string, good: string, advice: string, check: () => Promise<void>): Promise<BackendReport> {
  try {
    await check();
    return { name, ok: true, detail: good };
  } catch (error) {
    return { name, ok: false, detail: (error as Error).message, advice };
  }
}

function openKeyring(config: Config): Keyring {
  return new Keyring(config.secret ?? readOrCreateSecret(config.dataDir), config.previousSecrets);
}

function openDatabase(config: Config): SqlDatabase {
  return config.databaseUrl === undefined
    ? openSqlite(join(config.dataDir, 'weft.db'))
    : openPostgres(config.databaseUrl);
}

function openMailer(config: Config, onWritten: (file: string) => void): Mailer {
  return config.smtpUrl === undefined
    ? createOutboxMailer(join(config.dataDir, 'outbox'), config.mailFrom, onWritten)
    : createSmtpMailer(config.smtpUrl, config.mailFrom);
}

type Services = ReturnType<typeof createServices>;

function createServices(
  config: Config,
  database: SqlDatabase,
  keyring: Keyring,
  mailer: Mailer,
  publicUrl: () => string,
  log: Logger,
) {
  const hasher = new PasswordHasher();
  const userStore = createUserStore(database);
  const callerChanged: CallerChanged = (kind, name) => auth.forget(kind, name);
  const { quotas, signup, tokenTtlSeconds } = config;
  const users = new UserService({ users: userStore, hasher, callerChanged, signup, maxUsers: quotas.users });
  const agents = new AgentService({
    agents: createAgentStore(database),
    enrolmentTokens: createEnrolmentTokenStore(database),
    hasher,
    callerChanged,
    maxAgents: quotas.agents,
  });
  const apps = new ThirdPartyAppService({
    apps: createThirdPartyAppStore(database),
    keyring,
    callerChanged,
    maxApps: quotas.apps,
  });
  const auth = new AuthService({
    sources: { user: users, agent: agents, third_party_app: apps },
    keyring,
    tokenTtlSeconds,
  });
  const recovery = new PasswordRecoveryService({
    users: userStore,
    resetTokens: createResetTokenStore(database),
    mailer,
    hasher,
    callerChanged,
    publicUrl,
    onError: (err, message) => log.warn({ err }, message),
  });
  const metrics = new ServiceMetrics({
    weft_password_checks_queued: { help: 'Logins that wait for a free core', value: () => hasher.queued },
  });
  return { users, agents, apps, auth, recovery, metrics };
}

function createRoutes(
  config: Config,
  keyring: Keyring,
  database: SqlDatabase,
  services: Services,
  preparation: DatabasePreparation,
  setupCodeNeeded: boolean,
) {
  const { limits, passwordLength } = config;
  const perMinutes = (code: string, max: number, minutes: number) =>
    new RateLimiter(code, { max, windowMs: minutes * minute });
  const routes = [
    ...tokenRoutes({
      auth: services.auth,
      failures: {
        perAccount: perMinutes('too_many_failed_logins', limits.loginFailuresPerAccount, 5),
        perAddress: perMinutes('too_many_failed_logins', limits.loginFailuresPerAddress, 5),
      },
    }),
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
    ...agentRoutes(services.agents),
    ...thirdPartyAppRoutes(services.apps),
  ];
  const pages = servicePages({
    metrics: services.metrics,
    openApi: createOpenApi({ routes, passwordLength }),
    hasAdmin: () => services.users.hasAdmin(),
    setupCodeNeeded,
    readiness: async () => [{ name: 'database', ok: preparation.isDone && (await isWell(database)) }],
  });
  return { routes, pages };
}

async function isWell(database: SqlDatabase): Promise<boolean> {
  try {
    await database.check();
    return true;
  } catch {
    return false;
  }
}

interface DatabasePreparation {
  readonly isDone: boolean;
  /** Resolves after the first attempt, whether the database was there or not; rejects if it can never be used. */
  firstTry: Promise<void>;
  cancel(): void;
}

/** Migrations, the administrator from the settings, and keys to be encrypted anew; tried until the database is there. */
function prepareDatabase(
  config: Config,
  database: SqlDatabase,
  { users, apps }: Services,
  log: Logger,
  fail: (error: Error) => void,
): DatabasePreparation {
  let isDone = false;
  let timer: NodeJS.Timeout | undefined;
  const attempt = async (): Promise<void> => {
    try {
      await database.migrate();
      await apps.reencrypt();
      if (config.admin && !(await users.hasAdmin()))
        await users.createFirstAdmin({ ...config.admin, roles: ['admin'] });
      isDone = true;
    } catch (error) {
      if (!(error instanceof TryLaterError)) throw new StartError((error as Error).message, { cause: error });
      log.warn({ err: error }, 'the database cannot be reached; trying again');
      timer = setTimeout(() => attempt().catch(fail), databaseRetryMs);
    }
  };
  return {
    get isDone() {
      return isDone;
    },
    firstTry: attempt(),
    cancel: () => clearTimeout(timer),
  };
}

async function listen(server: FastifyInstance, { host, port, tls }: Config): Promise<string> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new StartError(`port ${port} on ${host} is taken: stop what uses it, or choose another with WEFT_PORT`);
    if (code === 'EACCES') throw new StartError(`port ${port} needs more rights: choose one above 1023 with WEFT_PORT`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartError(`this machine has no address ${host}: see WEFT_HOST`);
    throw error;
  }
  const { port: actualPort } = server.server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${tls ? 'https' : 'http'}://${name}:${actualPort}`;
}
