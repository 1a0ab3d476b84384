// Finds the text of each setting: flags first, then the environment, then the settings file, then the default. For unknown
// names it suggests the closest known name.
import { readFileSync, statSync } from 'node:fs';
import { didYouMean } from '@weft/contract/closest-name';
import {
  removedSettings,
  type Setting,
  type SettingKey,
  settingKeys,
  settingRows,
  settings,
  settingsFileSetting,
} from './settings.ts';

type Texts = Record<string, string | undefined>;

export interface SettingSources {
  /** The environment: settings by name. */
  env?: Texts;
  /** The parsed settings file: settings by name. */
  file?: Texts;
  /** The command line: settings by flag, without the dashes. */
  flags?: Texts;
  /** Reads the file of a NAME_FILE, or throws. Default: from disk. */
  readFile?: typeof readFile;
}

/** The text of a setting and its source. */
export interface FoundText {
  text: string;
  source: string;
}

export interface FoundSettings {
  /** Every setting with a text, including defaults; not validated yet. */
  found: Map<SettingKey, FoundText>;
  /** Settings that could not be read; each has a line in `problems`. */
  unusable: Set<SettingKey>;
  problems: string[];
  warnings: string[];
}

export function readFile(path: string): { text: string; everybodyCanRead: boolean } {
  return { text: readFileSync(path, 'utf8'), everybodyCanRead: (statSync(path).mode & 0o004) !== 0 };
}

export function findSettings(sources: SettingSources): FoundSettings {
  const { env = {}, file = {}, flags = {} } = sources;
  const result: FoundSettings = { found: new Map(), unusable: new Set(), ...unknownNames(env, file, flags) };
  for (const key of settingKeys) {
    const setting: Setting = settings[key];
    try {
      const read = (path: string) => readSecret(setting, path, sources.readFile ?? readFile, result.warnings);
      const text =
        fromFlag(setting, flags) ??
        fromName(setting, env, 'environment', read) ??
        fromName(setting, file, 'settings file', read) ??
        (setting.default === undefined ? undefined : { text: setting.default, source: 'default' });
      if (text !== undefined) result.found.set(key, text);
    } catch (error) {
      result.unusable.add(key);
      result.problems.push((error as Error).message);
    }
  }
  return result;
}

function fromFlag(setting: Setting, flags: Texts): FoundText | undefined {
  const text = setting.flag === undefined ? undefined : flags[setting.flag];
  return text === undefined ? undefined : { text: text.trim(), source: `--${setting.flag}` };
}

function fromName(
  setting: Setting,
  texts: Texts,
  source: string,
  read: (path: string) => string,
): FoundText | undefined {
  const text = texts[setting.name];
  if (!setting.secret) return text === undefined ? undefined : { text: text.trim(), source };
  const fileName = `${setting.name}_FILE`;
  const path = texts[fileName];
  if (path === undefined) return text === undefined ? undefined : { text, source };
  if (text !== undefined) throw new Error(`${setting.name} and ${fileName} are both set: keep one (${source})`);
  return { text: read(path), source: `${source}, ${fileName} ${path}` };
}

function readSecret(setting: Setting, path: string, read: typeof readFile, warnings: string[]): string {
  let content: ReturnType<typeof readFile>;
  try {
    content = read(path);
  } catch (error) {
    throw new Error(`${setting.name}_FILE names a file that cannot be read: ${(error as Error).message}`);
  }
  if (content.everybodyCanRead && !isMountedSecret(path)) {
    const sentence = `${setting.name}_FILE names a file that everybody can read: chmod 600 ${path}`;
    if (setting.keepFilePrivate) throw new Error(sentence);
    warnings.push(sentence);
  }
  return content.text.replace(/\r?\n$/, '');
}

/** Container runtimes set the mode of these files, and there are no other users in the container. */
export function isMountedSecret(path: string): boolean {
  return path.startsWith('/run/secrets/') || path.startsWith('/var/run/secrets/');
}

function unknownNames(env: Texts, file: Texts, flags: Texts): { problems: string[]; warnings: string[] } {
  const names = new Set(settingRows.flatMap((row) => (row.secret ? [row.name, `${row.name}_FILE`] : [row.name])));
  const flagNames = new Set(settingRows.flatMap((row) => (row.flag === undefined ? [] : [`--${row.flag}`])));
  const problems: string[] = [];
  for (const flag of Object.keys(flags).map((name) => `--${name}`)) {
    if (!flagNames.has(flag)) problems.push(`${flag} is not a setting.${didYouMean(flag, flagNames)}`);
  }
  const isRemoved = (name: string) => Object.hasOwn(removedSettings, name.replace(/_FILE$/, ''));
  for (const name of [...Object.keys(env), ...Object.keys(file)].filter(isRemoved)) {
    problems.push(`${name} is set, and ${removedSettings[name.replace(/_FILE$/, '')]}`);
  }
  for (const name of Object.keys(file)) {
    if (!names.has(name) && !isRemoved(name))
      problems.push(`${name} in the settings file is not a setting.${didYouMean(name, names)}`);
  }
  const isStray = (name: string) =>
    name.startsWith('WEFT_') &&
    !name.startsWith('WEFT_TEST_') &&
    name !== settingsFileSetting.name &&
    !names.has(name) &&
    !isRemoved(name);
  const warnings = Object.keys(env)
    .filter(isStray)
    .map((name) => `${name} in the environment is not a setting.${didYouMean(name, names)}`);
  return { problems, warnings };
}
