// The commands that each kind of access point declares, in the form its configuration carries.
import type { DeclaredArgument as Argument, DeclaredCommand as Command } from '@weft/contract/declared-commands';
import type { DeclaredSetting } from '@weft/contract/declared-settings';
import type { NrScenario } from '../radio/nr.ts';
import { type AccessPointType, accessPointTypes, linkModes, maxReportIntervalSeconds } from '../world/world-spec.ts';
import {
  beamRange,
  lifiChannels,
  marginRange,
  powerRanges,
  type Settings,
  tiltRange,
  triggerRange,
  wifiChannels,
  wifiWidths,
} from './settings.ts';

/** As the contract has it; here the values to choose from are numbers or texts, and every command names its arguments. */
export interface DeclaredArgument extends Argument {
  enum?: readonly (number | string)[];
}

export interface DeclaredCommand extends Command {
  params: Record<string, DeclaredArgument>;
}

/** Commands that do nothing but set one thing: their argument, and what it sets. */
export const setters: Record<string, { argument: string; setting: keyof Settings }> = {
  set_tx_power: { argument: 'dbm', setting: 'tx_power_dbm' },
  set_tilt: { argument: 'degrees', setting: 'tilt_degrees' },
  set_prb_quota: { argument: 'percent', setting: 'prb_quota_pct' },
  set_channel: { argument: 'channel', setting: 'channel' },
  set_dimming: { argument: 'percent', setting: 'dimming_pct' },
  set_channel_width: { argument: 'mhz', setting: 'channel_width_mhz' },
  set_handover_margin: { argument: 'db', setting: 'handover_margin_db' },
  set_time_to_trigger: { argument: 'seconds', setting: 'time_to_trigger_s' },
  set_beam_angle: { argument: 'degrees', setting: 'beam_angle_degrees' },
};

/** What keeps the radio off the air for a moment. */
export const retuned: ReadonlySet<keyof Settings> = new Set(['channel', 'channel_width_mhz']);

const percent: DeclaredArgument = { type: 'integer', minimum: 0, maximum: 100, unit: '%' };

const shared: DeclaredCommand[] = [
  { name: 'sleep', parameter: 'power_state', params: {} },
  { name: 'wake', parameter: 'power_state', params: {} },
  {
    name: 'steer_device',
    parameter: 'steering',
    params: {
      device: { type: 'string', optional: true },
      target: { type: 'string' },
      timeout_seconds: { type: 'integer', minimum: 1, maximum: 300, unit: 's', optional: true },
      force: { type: 'boolean', optional: true },
    },
  },
  {
    name: 'set_link_policy',
    parameter: 'link_policy',
    params: {
      device: { type: 'string' },
      mode: { type: 'string', enum: linkModes },
      primary: { type: 'string', enum: accessPointTypes, optional: true },
      // An object with numbers by technology: there is no type for it.
      weights: { optional: true },
    },
  },
  {
    name: 'set_report_interval',
    parameter: 'report_interval',
    params: { seconds: { type: 'integer', minimum: 1, maximum: maxReportIntervalSeconds, unit: 's' } },
  },
  { name: 'reboot', parameter: 'reboot', params: {} },
];

export function commandsOf(type: AccessPointType, scenario: NrScenario): DeclaredCommand[] {
  return [...own(type, scenario), ...shared];
}

/** What it can be set to for good: all that a command sets, by the name of the setting. */
export function settingsOf(
  type: AccessPointType,
  scenario: NrScenario,
): Partial<Record<keyof Settings, DeclaredSetting>> {
  return Object.fromEntries(
    own(type, scenario).flatMap(({ name, parameter = name, params }) => {
      const setter = setters[name];
      if (!setter) return [];
      const { argument, setting } = setter;
      const restart = retuned.has(setting) ? 'radio' : 'none';
      return [[setting, { ...params[argument], parameter, restart }]];
    }),
  );
}

/** As the access point declares a command that sets one thing. */
function declared(name: keyof typeof setters, bounds: DeclaredArgument): DeclaredCommand {
  return { name, parameter: name.replace('set_', ''), params: { [setters[name]!.argument]: bounds } };
}

function own(type: AccessPointType, scenario: NrScenario): DeclaredCommand[] {
  if (type === 'LiFi') {
    return [
      declared('set_dimming', percent),
      declared('set_beam_angle', { type: 'number', ...beamRange, unit: '°' }),
      declared('set_channel', { type: 'integer', enum: lifiChannels }),
    ];
  }
  const { minimum, maximum } = powerRanges[type === '5G' ? scenario : 'WiFi'];
  const power = declared('set_tx_power', { type: 'number', minimum, maximum, unit: 'dBm' });
  if (type === 'WiFi') {
    return [
      power,
      declared('set_channel', { type: 'integer', enum: wifiChannels }),
      declared('set_channel_width', { type: 'integer', enum: wifiWidths, unit: 'MHz' }),
    ];
  }
  return [
    power,
    // An antenna under the ceiling looks straight down.
    ...(scenario === 'InH' ? [] : [declared('set_tilt', { type: 'number', ...tiltRange, unit: '°' })]),
    declared('set_prb_quota', percent),
    declared('set_handover_margin', { type: 'number', ...marginRange, unit: 'dB' }),
    declared('set_time_to_trigger', { type: 'integer', ...triggerRange, unit: 's' }),
    { name: 'doze', parameter: 'power_state', params: {} },
  ];
}
