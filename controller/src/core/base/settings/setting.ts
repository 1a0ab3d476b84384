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

type Row<Value> = Omit<Setting<Value>, 'name' | 'group' | 'flag' | 'placeholder' | 'default' | 'secret'>;
type Name = Setting['name'];

/** Creates the rows of a group. The flag of a setting is its name in small letters: WEFT_DATA_DIR and --data-dir. */
export function settingsOf(group: SettingGroup) {
  const toRow = <Value, Default extends string | undefined>(
    name: Name,
    placeholder: string,
    defaultText: Default,
    row: Row<Value>,
  ): Setting<Value, Default> => {
    const flag = name.slice('WEFT_'.length).toLowerCase().replaceAll('_', '-');
    return { ...row, name, group, placeholder, flag, default: defaultText, secret: false };
  };
  return {
    withDefault: <Value>(name: Name, placeholder: string, defaultText: string, row: Row<Value>) =>
      toRow(name, placeholder, defaultText, row),
    optional: <Value>(name: Name, placeholder: string, row: Row<Value>) => toRow(name, placeholder, undefined, row),
    secret: <Value>(name: Name, placeholder: string, row: Row<Value>): Setting<Value, undefined> => ({
      ...toRow(name, placeholder, undefined, row),
      flag: undefined,
      secret: true,
    }),
    list: <Item = string>(name: Name, placeholder: string, defaultText: string, row: Omit<Row<Item>, 'mayBeEmpty'>) =>
      toRow(name, placeholder, defaultText, { ...row, mayBeEmpty: true, read: read.listOf(row.read) }),
    count: (name: Name, defaultText: string, { max, description }: { max: number; description: string }) =>
      toRow(name, 'N', defaultText, { read: read.wholeNumber(1, max), description }),
  };
}
