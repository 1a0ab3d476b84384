// `weft config print`: every setting, its value, and its source; never secrets.

import { type CommandLine, exitCode, type Surroundings, toInterfaceJson } from '@weft/cli';
import { ConfigError, loadConfig } from '../core/base/config.ts';
import { findSettings } from '../core/base/setting-sources.ts';
import { type Setting, settingKeys, settings } from '../core/base/settings.ts';
import { gatherSources } from './read-config.ts';

interface ShownSetting {
  name: string;
  /** Null if the setting has no value. */
  value: string | null;
  source: string;
}

/** Prints invalid settings too, because that is when they are needed. */
export async function configCommand(line: CommandLine, around: Surroundings): Promise<number> {
  const sources = gatherSources(line, around.env);
  const { found } = findSettings(sources);
  const shown = settingKeys.map((key): ShownSetting => {
    const setting: Setting = settings[key];
    const { text, source } = found.get(key) ?? {};
    if (text === undefined || source === undefined) return { name: setting.name, value: null, source: 'not set' };
    return { name: setting.name, value: setting.secret ? '***' : text, source };
  });
  around.stdout.write(line.has('json') ? `${toInterfaceJson(shown, 2)}\n` : toText(shown));
  if (sources.settingsFile !== undefined) around.stderr.write(`Settings file: ${sources.settingsFile}\n`);
  try {
    const { warnings } = loadConfig(sources);
    for (const warning of [...sources.warnings, ...warnings]) around.stderr.write(`weft: warning: ${warning}\n`);
    return exitCode.ok;
  } catch (error) {
    if (error instanceof ConfigError) around.stderr.write(`\nThese settings are invalid:\n`);
    throw error;
  }
}

function toText(shown: ShownSetting[]): string {
  const entries = shown.map(({ name, value, source }) => [value === null ? `# ${name}` : `${name}=${value}`, source]);
  const width = Math.min(60, Math.max(...entries.map(([entry]) => entry!.length)));
  return entries.map(([entry, source]) => `${entry!.padEnd(width)}  # ${source}\n`).join('');
}
