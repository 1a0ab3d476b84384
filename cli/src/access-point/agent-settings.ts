// The settings of an agent: from flags, the environment, or a settings file, in this order of precedence.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { nameRule, readApId } from '@weft/contract/ap-id';
import { parseObject } from '@weft/contract/is-object';
import type { CommandLine, CommandOption } from '../command.ts';
import { parseUrl } from '../connection.ts';
import { UsageError } from '../surroundings.ts';
import { type Allowance, parseAllowance } from './commands/allowance.ts';
import { parseAssignments } from './configuration.ts';
import { parseEnvironment } from './service/environment-file.ts';

export interface AgentSettings {
  url: string;
  ap_id: string;
  intervalSeconds: number;
  stateDir: string;
  allowance: Allowance;
  commandsDir: string;
  configuration: Record<string, unknown>;
  /** This is a device with several links, not an access point. */
  isLink: boolean;
  enrolmentToken: string | undefined;
  /** PEM. */
  trustedCertificate: string | undefined;
}

export const maxIntervalSeconds = 3600;
export const defaultCommandsDir = '/etc/weft-agent/commands';
const defaultIntervalSeconds = 5;

export const agentOptions = {
  url: { value: 'URL', about: 'address of Weft (WEFT_URL)' },
  'ap-id': { value: 'ID', about: 'the name of this access point (WEFT_AP_ID)' },
  interval: { value: 'SECONDS', about: 'report interval, 1 to 3600; default: 5 (WEFT_AGENT_INTERVAL)' },
  allow: {
    value: 'LIST',
    about:
      'allowed commands beside identify and set_report_interval: set_tx_power, set_channel, steer_device, sleep, wake, set_link_policy, restart_wifi, reboot, run:NAME, and settings or settings:FILE with hostapd’s configuration file (WEFT_AGENT_ALLOW)',
    isMany: true,
  },
  link: {
    about: 'speak for this device and its links (MPTCP) instead of an access point (WEFT_AGENT_LINK=true)',
  },
  'commands-dir': {
    value: 'DIR',
    about: `folder of the programs for run:NAME; default: ${defaultCommandsDir} (WEFT_AGENT_COMMANDS_DIR)`,
  },
  set: {
    value: 'KEY=VALUE',
    about: 'adds to the agent’s configuration, such as site=roof (WEFT_AGENT_CONFIGURATION, a JSON object)',
    isMany: true,
  },
  certificate: {
    value: 'FILE',
    about:
      'PEM of the one certificate to trust; default: the certificate authorities of the system (WEFT_AGENT_CERTIFICATE)',
  },
  'enrolment-token-file': {
    value: 'FILE',
    about: 'file with the enrolment token, - for standard input, instead of WEFT_ENROLMENT_TOKEN; needed once',
  },
} as const satisfies Record<string, CommandOption>;

type Env = Record<string, string | undefined>;

/** Throws UsageError. */
export function readAgentSettings(line: CommandLine, processEnv: Env): AgentSettings {
  const file = line.get('config');
  const env = { ...(file !== undefined && readConfigFile(file)), ...withoutEmpty(processEnv) };
  const given = (option: string, variable: string) => line.get(option) ?? env[variable];
  const certificate = given('certificate', 'WEFT_AGENT_CERTIFICATE');
  return {
    url: parseUrl(require(given('url', 'WEFT_URL'), '--url', 'WEFT_URL')),
    ap_id: parseApId(require(given('ap-id', 'WEFT_AP_ID'), '--ap-id', 'WEFT_AP_ID')),
    intervalSeconds: parseInterval(given('interval', 'WEFT_AGENT_INTERVAL')),
    stateDir: line.get('spool-dir') ?? env.WEFT_AGENT_SPOOL_DIR ?? defaultStateDir(env),
    allowance: usable(() => parseAllowance(line.has('allow') ? line.all('allow') : [env.WEFT_AGENT_ALLOW ?? ''])),
    // Absolute, because programs run in the root folder, and a service has another working folder than its installer.
    commandsDir: resolve(given('commands-dir', 'WEFT_AGENT_COMMANDS_DIR') ?? defaultCommandsDir),
    configuration: {
      ...parseConfiguration(env.WEFT_AGENT_CONFIGURATION),
      ...usable(() => parseAssignments(line.all('set'))),
    },
    isLink: line.has('link') || usable(() => parseSwitch('WEFT_AGENT_LINK', env.WEFT_AGENT_LINK)),
    enrolmentToken: readToken(line, env),
    trustedCertificate: certificate === undefined ? undefined : readText(certificate, '--certificate'),
  };
}

function defaultStateDir({ STATE_DIRECTORY, XDG_STATE_HOME, HOME }: Env): string {
  // systemd sets a list if there are several folders.
  const [given] = (STATE_DIRECTORY ?? '').split(':');
  return given || join(XDG_STATE_HOME || join(HOME || homedir(), '.local', 'state'), 'weft-agent');
}

/** Throws UsageError. */
export function parseInterval(text: string | undefined): number {
  if (text === undefined) return defaultIntervalSeconds;
  const seconds = Number(text);
  if (text.trim() !== '' && Number.isInteger(seconds) && seconds >= 1 && seconds <= maxIntervalSeconds) return seconds;
  throw new UsageError(`--interval must be a whole number of seconds from 1 to ${maxIntervalSeconds}.`);
}

function parseConfiguration(text: string | undefined): Record<string, unknown> {
  const found = text === undefined ? {} : parseObject(text);
  if (found) return found;
  throw new UsageError('WEFT_AGENT_CONFIGURATION must be a JSON object.');
}

function parseSwitch(variable: string, text = 'false'): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Error(`${variable} must be true or false`);
}

function readToken(line: CommandLine, env: Env): string | undefined {
  const path = line.get('enrolment-token-file') ?? env.WEFT_ENROLMENT_TOKEN_FILE;
  return path === undefined ? env.WEFT_ENROLMENT_TOKEN : readText(path, '--enrolment-token-file').trim();
}

function readConfigFile(path: string): Env {
  const text = readText(path, '--config');
  try {
    return withoutEmpty(parseEnvironment(text));
  } catch (error) {
    throw new UsageError(`${path}: ${(error as Error).message}.`);
  }
}

function readText(path: string, option: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new UsageError(`${option} cannot be read: ${(error as Error).message}.`);
  }
}

function require(value: string | undefined, option: string, variable: string): string {
  if (value !== undefined) return value;
  throw new UsageError(`${option} (or ${variable}) is required.`);
}

function usable<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`${(error as Error).message}.`);
  }
}

/** An empty variable counts as not set. */
function withoutEmpty(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
}

/** Throws UsageError. */
export function parseApId(text: string): string {
  const name = readApId(text);
  if (name !== undefined) return name;
  throw new UsageError(`${JSON.stringify(text)} is not a valid access point name: ${nameRule}.`);
}
