// Every setting, once. This table drives the reading of the configuration, the help of the command line, `weft config
// print` and docs/configuration.md, so none of them can say something that another does not.
import * as read from './setting-values.ts';

export type SettingGroup = 'Address' | 'Data' | 'Accounts' | 'Mail' | 'Limits' | 'Operation';

export interface Setting<Value = unknown, Default extends string | undefined = string | undefined> {
  /** In the environment and in the settings file. A secret may also be given as NAME_FILE, the path of a file. */
  name: `WEFT_${string}`;
  group: SettingGroup;
  /** Undefined for secrets: a command line is visible to everyone on the machine. */
  flag: string | undefined;
  /** What to write for the value in help. */
  placeholder: string;
  /** As text, read like any other; undefined if the setting may stay unset. */
  default: Default;
  secret: boolean;
  /** The file of a NAME_FILE may not be readable by everybody. */
  keepFilePrivate?: boolean;
  /** An empty text is a value. */
  mayBeEmpty?: boolean;
  read: (text: string) => Value;
  description: string;
}

type Row<Value> = Omit<Setting<Value>, 'flag' | 'default' | 'secret'>;

function withDefault<Value>(flag: string, defaultText: string, row: Row<Value>): Setting<Value, string> {
  return { ...row, flag, default: defaultText, secret: false };
}

function optional<Value>(flag: string, row: Row<Value>): Setting<Value, undefined> {
  return { ...row, flag, default: undefined, secret: false };
}

function secret<Value>(row: Row<Value>): Setting<Value, undefined> {
  return { ...row, flag: undefined, default: undefined, secret: true };
}

function list<Item = string>(
  flag: string,
  defaultText: string,
  row: Omit<Row<Item>, 'mayBeEmpty'>,
): Setting<Item[], string> {
  return withDefault(flag, defaultText, { ...row, mayBeEmpty: true, read: read.listOf(row.read) });
}

function count(
  name: `WEFT_${string}`,
  flag: string,
  defaultText: string,
  max: number,
  description: string,
): Setting<number, string> {
  return withDefault(flag, defaultText, {
    name,
    group: 'Limits',
    placeholder: 'N',
    read: read.wholeNumber(1, max),
    description,
  });
}

export const settings = {
  host: withDefault('host', '127.0.0.1', {
    name: 'WEFT_HOST',
    group: 'Address',
    placeholder: 'ADDRESS',
    read: read.hostName,
    description: 'Address to listen on. Beyond loopback, set WEFT_PUBLIC_URL and use TLS, here or in a proxy.',
  }),
  port: withDefault('port', '8000', {
    name: 'WEFT_PORT',
    group: 'Address',
    placeholder: 'PORT',
    read: read.wholeNumber(0, 65535),
    description: 'Port to listen on; 0 takes any free one.',
  }),
  publicUrl: optional('public-url', {
    name: 'WEFT_PUBLIC_URL',
    group: 'Address',
    placeholder: 'ORIGIN',
    read: read.origin,
    description: 'Where people reach this Weft, such as https://weft.example.org. Links in mails begin with it.',
  }),
  tlsCert: optional('tls-cert', {
    name: 'WEFT_TLS_CERT',
    group: 'Address',
    placeholder: 'FILE',
    read: read.text,
    description: 'Certificate chain (PEM). Together with WEFT_TLS_KEY it turns on HTTPS.',
  }),
  tlsKey: optional('tls-key', {
    name: 'WEFT_TLS_KEY',
    group: 'Address',
    placeholder: 'FILE',
    read: read.text,
    description: 'File with the private key (PEM) of WEFT_TLS_CERT.',
  }),
  trustedProxies: list('trusted-proxies', '', {
    name: 'WEFT_TRUSTED_PROXIES',
    group: 'Address',
    placeholder: 'NETWORKS',
    read: read.network,
    description: 'Proxies whose X-Forwarded-* headers are believed: addresses or networks, with commas between.',
  }),
  allowedHosts: list('allowed-hosts', '', {
    name: 'WEFT_ALLOWED_HOSTS',
    group: 'Address',
    placeholder: 'NAMES',
    read: read.hostName,
    description:
      'More names that requests may carry in Host, with commas between. The listening address, localhost and the name in WEFT_PUBLIC_URL are always allowed.',
  }),
  corsOrigins: list('cors-origins', '', {
    name: 'WEFT_CORS_ORIGINS',
    group: 'Address',
    placeholder: 'ORIGINS',
    read: read.origin,
    description: 'Origins of other web pages that may call Weft from a browser, with commas between.',
  }),

  dataDir: withDefault('data-dir', './data', {
    name: 'WEFT_DATA_DIR',
    group: 'Data',
    placeholder: 'FOLDER',
    read: read.text,
    description: 'Folder for everything that Weft keeps on this machine. Made if it is missing.',
  }),
  databaseUrl: secret({
    name: 'WEFT_DATABASE_URL',
    group: 'Data',
    placeholder: 'URL',
    read: read.urlWith('postgres', 'postgresql'),
    description: 'PostgreSQL to use instead of SQLite in the data folder: postgres://user@host/database.',
  }),
  influxUrl: secret({
    name: 'WEFT_INFLUX_URL',
    group: 'Data',
    placeholder: 'URL',
    read: read.urlWith('http', 'https'),
    description:
      'InfluxDB (v1 API) that keeps the telemetry instead of the data folder: http://user:password@host:8086?db=weft. The database is made if it is missing.',
  }),
  amqpUrl: secret({
    name: 'WEFT_AMQP_URL',
    group: 'Data',
    placeholder: 'URL',
    read: read.urlWith('amqp', 'amqps'),
    description:
      'RabbitMQ that carries jobs, and news between nodes, instead of a file in the data folder: amqp://user:password@host/vhost.',
  }),
  telemetryRetentionDays: withDefault('telemetry-retention-days', '30', {
    name: 'WEFT_TELEMETRY_RETENTION_DAYS',
    group: 'Data',
    placeholder: 'DAYS',
    read: read.wholeNumber(1, 3650),
    description: 'How long samples are kept as they came. Older ones are not taken.',
  }),
  rollupRetentionDays: withDefault('rollup-retention-days', '400', {
    name: 'WEFT_ROLLUP_RETENTION_DAYS',
    group: 'Data',
    placeholder: 'DAYS',
    read: read.wholeNumber(1, 3650),
    description:
      'How long minutes and hours of telemetry are kept, and the longest window. With WEFT_INFLUX_URL nothing is kept beyond WEFT_TELEMETRY_RETENTION_DAYS.',
  }),
  jobRetentionHours: withDefault('job-retention-hours', '24', {
    name: 'WEFT_JOB_RETENTION_HOURS',
    group: 'Data',
    placeholder: 'HOURS',
    read: read.wholeNumber(1, 8760),
    description: 'How long a job and its messages are kept once it has ended.',
  }),
  secret: secret({
    name: 'WEFT_SECRET',
    group: 'Data',
    placeholder: 'TEXT',
    keepFilePrivate: true,
    read: read.signingSecret,
    description:
      'Signs tokens and encrypts api keys: at least 32 random bytes, the same on every node. Required with WEFT_DATABASE_URL; without that one is made and kept in the data folder.',
  }),
  previousSecrets: secret({
    name: 'WEFT_SECRET_PREVIOUS',
    group: 'Data',
    placeholder: 'TEXTS',
    keepFilePrivate: true,
    read: read.listOf(read.signingSecret),
    description: 'Earlier values of WEFT_SECRET that still count while it is being changed, with commas between.',
  }),

  signup: withDefault('signup', 'open', {
    name: 'WEFT_SIGNUP',
    group: 'Accounts',
    placeholder: 'open|closed',
    read: read.oneOf('open', 'closed'),
    description: 'Whether people may create an account for themselves.',
  }),
  adminUsername: optional('admin-username', {
    name: 'WEFT_ADMIN_USERNAME',
    group: 'Accounts',
    placeholder: 'EMAIL',
    read: read.emailAddress,
    description: 'Creates the first administrator at start, with WEFT_ADMIN_PASSWORD, if there is none yet.',
  }),
  adminPassword: secret({
    name: 'WEFT_ADMIN_PASSWORD',
    group: 'Accounts',
    placeholder: 'TEXT',
    read: read.text,
    description: 'Password of the administrator that WEFT_ADMIN_USERNAME creates.',
  }),
  tokenTtlSeconds: withDefault('token-ttl-seconds', '3600', {
    name: 'WEFT_TOKEN_TTL_SECONDS',
    group: 'Accounts',
    placeholder: 'SECONDS',
    read: read.wholeNumber(60, 604_800),
    description: 'How long an access token lives.',
  }),
  passwordMinLength: withDefault('password-min-length', '8', {
    name: 'WEFT_PASSWORD_MIN_LENGTH',
    group: 'Accounts',
    placeholder: 'N',
    read: read.wholeNumber(8, 1024),
    description: 'Fewest characters of a password.',
  }),
  passwordMaxLength: withDefault('password-max-length', '128', {
    name: 'WEFT_PASSWORD_MAX_LENGTH',
    group: 'Accounts',
    placeholder: 'N',
    read: read.wholeNumber(8, 1024),
    description: 'Most characters of a password.',
  }),

  smtpUrl: secret({
    name: 'WEFT_SMTP_URL',
    group: 'Mail',
    placeholder: 'URL',
    read: read.urlWith('smtp', 'smtps'),
    description:
      'Mail server: smtps://user:password@host. Without one, mails become files in outbox/ of the data folder.',
  }),
  mailFrom: withDefault('mail-from', 'Weft <weft@localhost>', {
    name: 'WEFT_MAIL_FROM',
    group: 'Mail',
    placeholder: 'SENDER',
    read: read.mailSender,
    description: 'Sender of the mails.',
  }),

  loginFailuresPerAccount: count(
    'WEFT_LIMIT_LOGIN_FAILURES_PER_ACCOUNT',
    'limit-login-failures-per-account',
    '10',
    1_000_000,
    'Failed logins to one account from one address in 5 minutes.',
  ),
  loginFailuresPerAddress: count(
    'WEFT_LIMIT_LOGIN_FAILURES_PER_ADDRESS',
    'limit-login-failures-per-address',
    '100',
    1_000_000,
    'Failed logins from one address in 5 minutes.',
  ),
  signupsPerAddress: count(
    'WEFT_LIMIT_SIGNUPS_PER_ADDRESS',
    'limit-signups-per-address',
    '60',
    1_000_000,
    'Sign-ups from one address in 10 minutes.',
  ),
  recoveriesPerAddress: count(
    'WEFT_LIMIT_RECOVERIES_PER_ADDRESS',
    'limit-recoveries-per-address',
    '30',
    1_000_000,
    'Requests for a password mail from one address in 10 minutes.',
  ),
  resetsPerAddress: count(
    'WEFT_LIMIT_RESETS_PER_ADDRESS',
    'limit-resets-per-address',
    '30',
    1_000_000,
    'Attempts to set a password by mailed token from one address in 10 minutes.',
  ),
  commandsPerApp: count(
    'WEFT_LIMIT_COMMANDS_PER_APP',
    'limit-commands-per-app',
    '6000',
    100_000_000,
    'Commands of one third-party app in a minute.',
  ),
  maxUsers: count('WEFT_MAX_USERS', 'max-users', '100000', 100_000_000, 'Most user accounts.'),
  maxAgents: count('WEFT_MAX_AGENTS', 'max-agents', '100000', 100_000_000, 'Most agents.'),
  maxApps: count('WEFT_MAX_APPS', 'max-apps', '10000', 100_000_000, 'Most third-party apps.'),
  maxOpenJobs: count(
    'WEFT_MAX_OPEN_JOBS',
    'max-open-jobs',
    '1000',
    1_000_000,
    'Most jobs of one caller that have not ended.',
  ),
  maxWaitingJobs: count(
    'WEFT_MAX_WAITING_JOBS',
    'max-waiting-jobs',
    '10000',
    10_000_000,
    'Most jobs that wait for the broker while it is away; then requests are answered 503.',
  ),
  maxSocketsPerCaller: count(
    'WEFT_MAX_SOCKETS_PER_CALLER',
    'max-sockets-per-caller',
    '200',
    1_000_000,
    'Most WebSockets of one caller on one node.',
  ),
  emulatorMaxAccessPoints: count(
    'WEFT_EMULATOR_MAX_ACCESS_POINTS',
    'emulator-max-access-points',
    '10000',
    20_000,
    'Most emulated access points in one request.',
  ),
  emulatorMaxPerCaller: count(
    'WEFT_EMULATOR_MAX_PER_CALLER',
    'emulator-max-per-caller',
    '10000',
    1_000_000,
    'Most emulated access points of one caller at once.',
  ),
  emulatorMaxHours: count(
    'WEFT_EMULATOR_MAX_HOURS',
    'emulator-max-hours',
    '168',
    8760,
    'Longest life of an emulated network, in hours of its own time.',
  ),
  emulatorMaxRuns: withDefault('emulator-max-runs', '8', {
    name: 'WEFT_EMULATOR_MAX_RUNS',
    group: 'Limits',
    placeholder: 'N',
    read: read.wholeNumber(0, 1000),
    description: 'Most emulated networks that one process runs at once; more wait for their turn. 0: none.',
  }),
  maxConnections: count(
    'WEFT_MAX_CONNECTIONS',
    'max-connections',
    '20000',
    1_000_000,
    'Most connections open at once; more are closed at once.',
  ),

  roles: list('roles', 'api,worker,emulator', {
    name: 'WEFT_ROLES',
    group: 'Operation',
    placeholder: 'ROLES',
    read: read.oneOf('api', 'worker', 'emulator'),
    description:
      'What this process does, with commas between: api answers requests, worker works on jobs, emulator runs emulated networks. Fewer than all need WEFT_DATABASE_URL, WEFT_INFLUX_URL and WEFT_AMQP_URL.',
  }),
  callbackUrl: optional('callback-url', {
    name: 'WEFT_CALLBACK_URL',
    group: 'Operation',
    placeholder: 'ORIGIN',
    read: read.origin,
    description:
      'Where workers of this process post results; its own address unless told. Needed without the role api.',
  }),
  jobTimeoutMinutes: withDefault('job-timeout-minutes', '60', {
    name: 'WEFT_JOB_TIMEOUT_MINUTES',
    group: 'Operation',
    placeholder: 'MINUTES',
    read: read.wholeNumber(1, 10_080),
    description: 'How long a job may take before it expires; of a live subscription, after its end.',
  }),
  emulatorKeepHours: withDefault('emulator-keep-hours', '24', {
    name: 'WEFT_EMULATOR_KEEP_HOURS',
    group: 'Operation',
    placeholder: 'HOURS',
    read: read.wholeNumber(0, 8760),
    description: 'How long emulated agents and their telemetry are kept after their run.',
  }),
  logLevel: withDefault('log-level', 'info', {
    name: 'WEFT_LOG_LEVEL',
    group: 'Operation',
    placeholder: 'LEVEL',
    read: read.oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    description: 'Least level that is logged: trace, debug, info, warn, error or silent.',
  }),
  metricsAllow: list('metrics-allow', '127.0.0.0/8,::1/128', {
    name: 'WEFT_METRICS_ALLOW',
    group: 'Operation',
    placeholder: 'NETWORKS',
    read: read.network,
    description: 'Who may read /metrics without signing in: addresses or networks, with commas between.',
  }),
  pushAllow: list('push-allow', '', {
    name: 'WEFT_PUSH_ALLOW',
    group: 'Operation',
    placeholder: 'DESTINATIONS',
    read: read.pushDestination,
    description:
      'Where commands may be pushed to agents that name an `api_url`: host:port or network:port (10.1.0.0/16:8080), with commas between. Private and local addresses only where a network names them. Empty: nowhere.',
  }),
  shutdownSeconds: withDefault('shutdown-seconds', '25', {
    name: 'WEFT_SHUTDOWN_SECONDS',
    group: 'Operation',
    placeholder: 'SECONDS',
    read: read.wholeNumber(1, 3600),
    description: 'How long requests under way may take to finish once Weft is told to stop.',
  }),
} as const;

export type SettingKey = keyof typeof settings;

/** The value of each setting; those without a default may be undefined. */
export type SettingValues = {
  [Key in SettingKey]: (typeof settings)[Key] extends Setting<infer Value, infer Default>
    ? Default extends string
      ? Value
      : Value | undefined
    : never;
};

export const settingKeys = Object.keys(settings) as SettingKey[];

export const settingGroups: readonly SettingGroup[] = ['Address', 'Data', 'Accounts', 'Mail', 'Limits', 'Operation'];

/** Says where the settings file is; understood before all others, so it has no row of its own. */
export const settingsFileSetting = { name: 'WEFT_CONFIG', flag: 'config', default: 'weft.env' } as const;
