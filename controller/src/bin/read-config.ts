// Reads the settings from their three sources: flags, environment and the settings file.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Surroundings } from '@weft/cli';
import { type Config, ConfigError, loadConfig } from '../core/base/config.ts';
import type { SettingSources } from '../core/base/setting-sources.ts';
import { type Setting, settingKeys, settings, settingsFileSetting } from '../core/base/settings.ts';
import type { CommandLine } from './command-line.ts';

export interface GatheredSources extends SettingSources {
  /** Undefined if there is none. */
  settingsFile: string | undefined;
  warnings: string[];
}

/** Throws ConfigError if the settings file cannot be read. */
export function gatherSources(line: CommandLine, env: Surroundings['env']): GatheredSources {
  const asked = line.settingsFile ?? env[settingsFileSetting.name];
  const isThere = asked !== undefined || existsSync(settingsFileSetting.default);
  const path = isThere ? (asked ?? settingsFileSetting.default) : undefined;
  const sources = { env, flags: line.flags, settingsFile: path, warnings: [] };
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
  return settingKeys.some((key) => {
    const setting: Setting = settings[key];
    return setting.secret && file[setting.name] !== undefined;
  });
}
