// The table of all settings. The configuration, the help of the command line, `weft config print` and
// docs/configuration.md are all generated from it, so that they always agree. The order of the rows is that of the
// documentation.
import { accountSettings } from './settings/account-settings.ts';
import { addressSettings } from './settings/address-settings.ts';
import { dataSettings } from './settings/data-settings.ts';
import { limitSettings } from './settings/limit-settings.ts';
import { operationSettings } from './settings/operation-settings.ts';
import type { Setting, SettingGroup } from './settings/setting.ts';

export type { Setting } from './settings/setting.ts';

export const settings = {
  ...addressSettings,
  ...dataSettings,
  ...accountSettings,
  ...limitSettings,
  ...operationSettings,
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

export const settingRows: readonly Setting[] = settingKeys.map((key) => settings[key]);

export const settingGroups: readonly SettingGroup[] = ['Address', 'Data', 'Accounts', 'Mail', 'Limits', 'Operation'];

/** Settings of earlier versions that a start is refused with, and what to do: going on without them would lose something. */
export const removedSettings: Record<string, string> = {
  WEFT_INFLUX_URL:
    'telemetry is not stored in InfluxDB any more: export it with influx_inspect, start Weft without this setting, and ' +
    'read the export with weft import (docs/operations.md, Leaving InfluxDB)',
};

/** The path of the settings file. It is read before all other settings, so it is not in the table. */
export const settingsFileSetting = { name: 'WEFT_CONFIG', flag: 'config', default: 'weft.env' } as const;
