// One row of the table of settings, and functions that create rows.
import * as read from '../setting-values.ts';

export type SettingGroup = 'Address' | 'Data' | 'Accounts' | 'Mail' | 'Limits' | 'Operation';

export interface Setting<Value = unknown, Default extends string | undefined = string | undefined> {
  /** In the environment and in the settings file. A secret can also be read from a file: NAME_FILE is its path. */
  name: `WEFT_${string}`;
  group: SettingGroup;
  /** Undefined for secrets: everybody on the machine can read a command line. */
  flag: string | undefined;
  /** The placeholder of the value in the help. */
  placeholder: string;
  /** As text, parsed like any other value; undefined if the setting may be unset. */
  default: Default;
  secret: boolean;
  /** The file of NAME_FILE must not be readable by everybody. */
  keepFilePrivate?: boolean;
  /** An empty text is a valid value. */
  mayBeEmpty?: boolean;
  read: (text: string) => Value;
  description: string;
}

type Row<Value> = Omit<Setting<Value>, 'flag' | 'default' | 'secret'>;

export function withDefault<Value>(flag: string, defaultText: string, row: Row<Value>): Setting<Value, string> {
  return { ...row, flag, default: defaultText, secret: false };
}

export function optional<Value>(flag: string, row: Row<Value>): Setting<Value, undefined> {
  return { ...row, flag, default: undefined, secret: false };
}

export function secret<Value>(row: Row<Value>): Setting<Value, undefined> {
  return { ...row, flag: undefined, default: undefined, secret: true };
}

export function list<Item = string>(
  flag: string,
  defaultText: string,
  row: Omit<Row<Item>, 'mayBeEmpty'>,
): Setting<Item[], string> {
  return withDefault(flag, defaultText, { ...row, mayBeEmpty: true, read: read.listOf(row.read) });
}

export function count(
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
