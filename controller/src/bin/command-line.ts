// Parses the arguments of a command: its own options, the flags of all settings, and the words. Rejects anything
// else and suggests the closest name; rejects secrets and says how to pass them.
import { parseArgs } from 'node:util';
import { UsageError } from '@weft/cli';
import { didYouMean } from '@weft/contract/closest-name';
import { type Setting, settingKeys, settings, settingsFileSetting } from '../core/base/settings.ts';

export interface CommandLine {
  words: string[];
  /** Options of the command itself; '' for an option without a value. */
  options: Map<string, string>;
  /** Settings by flag. */
  flags: Record<string, string>;
  /** --config. */
  settingsFile: string | undefined;
}

export interface CommandOptions {
  /** Options that take a value. */
  valued?: string[];
  /** Options that do not. */
  bare?: string[];
}

/** Throws UsageError. */
export function parseCommandLine(args: string[], own: CommandOptions = {}): CommandLine {
  const rows: Setting[] = settingKeys.map((key) => settings[key]);
  const settingFlags = rows.flatMap((row) => (row.flag === undefined ? [] : [row.flag]));
  const valued = new Set([...(own.valued ?? []), ...settingFlags, settingsFileSetting.flag]);
  const bare = new Set(own.bare ?? []);
  const { tokens } = parseArgs({
    args,
    strict: false,
    tokens: true,
    options: Object.fromEntries([...valued].map((name) => [name, { type: 'string' as const }])),
  });
  const result: CommandLine = { words: [], options: new Map(), flags: {}, settingsFile: undefined };
  const given = new Set<string>();
  for (const token of tokens) {
    if (token.kind === 'positional') result.words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName } = token;
    if (given.has(name)) throw new UsageError(`${rawName} was given twice.`);
    given.add(name);
    if (bare.has(name)) {
      if (token.value !== undefined) throw new UsageError(`${rawName} takes no value.`);
      result.options.set(name, '');
      continue;
    }
    if (!valued.has(name)) throw refusal(name, rawName, rows, [...valued, ...bare]);
    if (token.value === undefined) throw new UsageError(`${rawName} needs a value.`);
    if (own.valued?.includes(name)) result.options.set(name, token.value);
    else if (name === settingsFileSetting.flag) result.settingsFile = token.value;
    else result.flags[name] = token.value;
  }
  return result;
}

function refusal(name: string, rawName: string, rows: Setting[], known: string[]): UsageError {
  const secret = rows.find((row) => row.secret && flagLike(row) === name);
  if (secret !== undefined) {
    return new UsageError(
      `${rawName} is not accepted, because everybody on this machine can read a command line. ` +
        `Put the value into a file and set ${secret.name}_FILE to its path, or set ${secret.name}.`,
    );
  }
  if (name === 'password') {
    return new UsageError(
      `${rawName} is not accepted, because everybody on this machine can read a command line. ` +
        'Type the password at the prompt, or pass it on standard input with --password-stdin.',
    );
  }
  const guess = rawName.startsWith('--')
    ? didYouMean(
        rawName,
        known.map((option) => `--${option}`),
      )
    : '';
  return new UsageError(`There is no option ${rawName}.${guess}`);
}

function flagLike(setting: Setting): string {
  return setting.name.slice('WEFT_'.length).toLowerCase().replaceAll('_', '-');
}
