// Reads the settings from their three sources: flags, environment and the settings file. The flags are options of every
// command that needs settings.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { CommandLine, CommandOption, Surroundings } from '@weft/cli';
import { type Config, ConfigError, loadConfig } from '../core/base/config.ts';
import type { SettingSources } from '../core/base/setting-sources.ts';
import { type Setting, settingRows, settingsFileSetting } from '../core/base/settings.ts';

/** Secrets among them, to say how they are passed. */
export const settingOptions: Readonly<Record<string, CommandOption>> = {
  ...Object.fromEntries(settingRows.map(optionOf)),
  [settingsFileSetting.flag]: { value: 'FILE' },
  password: { refusal: 'Type the password at the prompt, or pass it on standard input with --password-stdin.' },
};

function optionOf({ name, flag, placeholder }: Setting): [string, CommandOption] {
  if (flag !== undefined) return [flag, { value: placeholder }];
  const refusal = `Put the value into a file and set ${name}_FILE to its path, or set ${name}.`;
  return [name.slice('WEFT_'.length).toLowerCase().replaceAll('_', '-'), { refusal }];
}

/** By flag. */
function givenSettings(line: CommandLine): Record<string, string> {
  const flags = settingRows.flatMap(({ flag }) => (flag !== undefined && line.has(flag) ? [flag] : []));
  return Object.fromEntries(flags.map((flag) => [flag, line.get(flag)!]));
}

export interface GatheredSources extends SettingSources {
  /** Undefined if there is none. */
  settingsFile: string | undefined;
  warnings: string[];
}

/** Throws ConfigError if the settings file cannot be read. */
export function gatherSources(line: CommandLine, env: Surroundings['env']): GatheredSources {
  const asked = line.get(settingsFileSetting.flag) ?? env[settingsFileSetting.name];
  const isThere = asked !== undefined || existsSync(settingsFileSetting.default);
  const path = isThere ? (asked ?? settingsFileSetting.default) : undefined;
  const sources = { env, flags: givenSettings(line), settingsFile: path, warnings: [] };
  if (path === undefined) return sources;
  try {
    const file = parseEnv(readFileSync(path, 'utf8'));
    const isPublic = holdsSecrets(file) && (statSync(path).mode & 0o004) !== 0;
    const warning = `The settings file contains secrets and everybody can read it: chmod 600 ${path}`;
    return { ...sources, file, warnings: isPublic ? [warning] : [] };
  } catch (error) {
    throw new ConfigError([`The settings file cannot be read: ${(error as Error).message}`]);
  }
}

/** Throws ConfigError. Warnings are in the Config. */
export function readConfig(line: CommandLine, env: Surroundings['env']): Config {
  const sources = gatherSources(line, env);
  const config = loadConfig(sources);
  return { ...config, warnings: [...sources.warnings, ...config.warnings] };
}

function holdsSecrets(file: Record<string, string | undefined>): boolean {
  return settingRows.some(({ secret, name }) => secret && file[name] !== undefined);
}
