// Validates the settings and creates the Config. Reports all problems at once. Does not read the
// process: the command line passes the environment, the settings file and the flags.
import { resolve } from 'node:path';
import { isBeyondLoopback } from './loopback.ts';
import { findSettings, isMountedSecret, readFile, type SettingSources } from './setting-sources.ts';
import { clearTextConnections, clearTextListening } from './settings/clear-text.ts';
import { type Setting, type SettingKey, type SettingValues, settingKeys, settings } from './settings.ts';

export type Role = 'api' | 'worker' | 'emulator';

/** Every setting by its key, and what is made of several of them. A new setting needs nothing here. */
export interface Config
  extends Omit<
    SettingValues,
    'dataDir' | 'roles' | 'signup' | 'previousSecrets' | 'adminUsername' | 'adminPassword' | 'tlsCert' | 'tlsKey'
  > {
  signup: 'open' | 'approve' | 'closed';
  /** Absolute. */
  dataDir: string;
  /** The roles of this process; at least one, without duplicates. */
  roles: readonly Role[];
  previousSecrets: string[];
  admin: { username: string; password: string } | undefined;
  /** Absolute paths of readable files. */
  tls: { certFile: string; keyFile: string } | undefined;
  passwordLength: { min: number; max: number };
  /** Passwords of users must not be easy to guess: others than this machine reach Weft. */
  strictPasswords: boolean;
  /** Warnings about valid but probably unintended settings. */
  warnings: string[];
}

/** Whether WEFT_TELEMETRY_URL names ClickHouse; else it is PostgreSQL. */
export function isClickHouse(telemetryUrl: string): boolean {
  return /^clickhouses?:/.test(telemetryUrl);
}

/** The settings are invalid; `problems` has one line for each problem. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: string[];
  constructor(problems: string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** Throws ConfigError with all problems. Flags take precedence over the environment, the environment over the file. */
export function loadConfig(sources: SettingSources): Config {
  const { found, unusable, problems, warnings } = findSettings(sources);
  const values: Partial<Record<SettingKey, unknown>> = {};
  for (const [key, { text, source }] of found) {
    const setting: Setting = settings[key];
    try {
      if (text === '' && !setting.mayBeEmpty) throw new Error('is empty: set a value or remove it');
      values[key] = setting.read(text);
    } catch (error) {
      unusable.add(key);
      const shown = setting.secret || text === '' ? '' : `, not ${JSON.stringify(text.slice(0, 100))}`;
      problems.push(`${setting.name} ${(error as Error).message}${shown} (${source})`);
    }
  }
  // Sound where it is used: what has no value of its type is in `unusable`, and left a problem that throws below.
  const checked = values as SettingValues;
  problems.push(...contradictions(checked, (key) => found.has(key) || unusable.has(key)));
  problems.push(...unreadableFiles(checked, sources.readFile ?? readFile));
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...assemble(checked), warnings: [...warnings, ...clearTextConnections(checked), ...weakChoices(checked)] };
}

function contradictions(values: SettingValues, isGiven: (key: SettingKey) => boolean): string[] {
  const problems: string[] = [];
  const needs = (key: SettingKey, other: SettingKey, why: string) => {
    if (isGiven(key) && !isGiven(other)) problems.push(`${settings[other].name} is missing: ${why}`);
  };
  needs('databaseUrl', 'secret', 'with WEFT_DATABASE_URL it must be given, the same on every node');
  needs('adminUsername', 'adminPassword', 'WEFT_ADMIN_USERNAME is given and needs a password (or _FILE)');
  needs('adminPassword', 'adminUsername', 'WEFT_ADMIN_PASSWORD is given and needs the e-mail address it belongs to');
  needs('tlsCert', 'tlsKey', 'WEFT_TLS_CERT is given and needs its private key');
  needs('tlsKey', 'tlsCert', 'WEFT_TLS_KEY is given and needs its certificate');
  problems.push(...roleProblems(values, isGiven));
  const clearText = clearTextListening(values, isGiven);
  if (clearText !== undefined) problems.push(clearText);
  const { passwordMinLength: min, passwordMaxLength: max, adminPassword } = values;
  if (min > max) problems.push(`WEFT_PASSWORD_MIN_LENGTH (${min}) must not be above WEFT_PASSWORD_MAX_LENGTH (${max})`);
  const { agentPasswordMinLength: agentMin = 1 } = values;
  if (agentMin > max) {
    problems.push(`WEFT_AGENT_PASSWORD_MIN_LENGTH (${agentMin}) must not be above WEFT_PASSWORD_MAX_LENGTH (${max})`);
  }
  const { telemetryRetentionDays: rawDays, rollupRetentionDays: rollupDays } = values;
  if (rawDays > rollupDays) {
    problems.push(
      `WEFT_TELEMETRY_RETENTION_DAYS (${rawDays}) must not be above WEFT_ROLLUP_RETENTION_DAYS (${rollupDays})`,
    );
  }
  const length = adminPassword === undefined ? min : [...adminPassword].length;
  if (min <= max && (length < min || length > max)) {
    problems.push(`WEFT_ADMIN_PASSWORD must have ${min} to ${max} characters`);
  }
  return problems;
}

function weakChoices({ agentPasswordMinLength: min }: SettingValues): string[] {
  if (min === undefined || min >= 8) return [];
  return [`WEFT_AGENT_PASSWORD_MIN_LENGTH is ${min}: passwords of agents with fewer than 8 characters can be guessed`];
}

/** Processes that share the work must share the data. */
function roleProblems({ roles }: SettingValues, isGiven: (key: SettingKey) => boolean): string[] {
  if (roles === undefined) return [];
  if (roles.length === 0) return ['WEFT_ROLES is empty: name api, worker or emulator'];
  if ((['api', 'worker', 'emulator'] as const).every((role) => roles.includes(role))) return [];
  const shared = (['databaseUrl', 'telemetryUrl', 'amqpUrl'] as const).filter((key) => !isGiven(key));
  const problems = shared.map(
    (key) =>
      `${settings[key].name} is missing: with WEFT_ROLES=${roles.join()} other processes do the rest, and share it`,
  );
  if (roles.includes('emulator') && !roles.includes('api') && !isGiven('callbackUrl')) {
    problems.push('WEFT_CALLBACK_URL is missing: an emulator without the role api must know where results go');
  }
  return problems;
}

function unreadableFiles(values: SettingValues, read: typeof readFile): string[] {
  const problems: string[] = [];
  for (const key of ['tlsCert', 'tlsKey'] as const) {
    const path = values[key];
    if (path === undefined) continue;
    try {
      const { everybodyCanRead } = read(resolve(path));
      if (key === 'tlsKey' && everybodyCanRead && !isMountedSecret(resolve(path))) {
        problems.push(
          `WEFT_TLS_KEY names a private key that everybody can read: chmod 600 ${path} (or 640 with a group)`,
        );
      }
    } catch (error) {
      problems.push(`${settings[key].name} names a file that cannot be read: ${(error as Error).message}`);
    }
  }
  return problems;
}

function assemble(values: SettingValues): Omit<Config, 'warnings'> {
  const { tlsCert, tlsKey, adminUsername, adminPassword, ...others } = Object.fromEntries(
    settingKeys.map((key) => [key, values[key]]),
  ) as SettingValues;
  const isTls = tlsCert !== undefined && tlsKey !== undefined;
  const hasAdmin = adminUsername !== undefined && adminPassword !== undefined;
  return {
    ...others,
    signup: values.signup ?? (isBeyondLoopback(values) ? 'approve' : 'open'),
    dataDir: resolve(values.dataDir),
    roles: [...new Set(values.roles as Role[])],
    previousSecrets: values.previousSecrets ?? [],
    admin: hasAdmin ? { username: adminUsername, password: adminPassword } : undefined,
    tls: isTls ? { certFile: resolve(tlsCert), keyFile: resolve(tlsKey) } : undefined,
    passwordLength: { min: values.passwordMinLength, max: values.passwordMaxLength },
    strictPasswords: isBeyondLoopback(values),
  };
}
