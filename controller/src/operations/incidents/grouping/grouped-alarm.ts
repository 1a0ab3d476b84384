// An alarm as grouping sees it: what it is about, when, and what was known to have changed just before. Pure.
import type { AlarmRecord } from '../../alarms/store/alarm-store.ts';

/** What the event log, the roll-outs and the telemetry say of the time before an alarm, and of that of an outage. */
export interface AlarmContext {
  /** The roll-out that had given its access point new settings. */
  rollout?: string | undefined;
  /** The parameter that two programs set against each other, and which these were. */
  war?: string | undefined;
  sides?: string | undefined;
  /** Of WiFi: the channel that it was on, and how wide that is in MHz. */
  channel?: Channel | undefined;
  /** That was another one some minutes before. */
  moved?: boolean | undefined;
  /** There was more noise in it than the rule that comes with Weft takes. */
  noisy?: boolean | undefined;
  /** Of WiFi: where it stood. */
  place?: [latitude: number, longitude: number] | undefined;
  /** The setting that had been lowered. */
  lowered?: LoweredSetting | undefined;
  /** The last command about its power before the alarm: what it sets, and who sent it. */
  set?: PowerCommand | undefined;
  /** Of an outage that is over: whether reports of that time came afterwards. */
  gap?: 'filled' | 'empty' | undefined;
}

export type Channel = [number: number, widthMhz: number];
export type PowerCommand = [parameter: string, by: string];
export type LoweredSetting = 'prb_quota_pct' | 'tx_power_dbm' | 'dimming_pct';

type ItsAlarm = Pick<
  AlarmRecord,
  'id' | 'rule_id' | 'subject_kind' | 'subject' | 'ap_id' | 'site' | 'since' | 'fired_at' | 'cleared_at'
>;

export interface GroupedAlarm extends ItsAlarm {
  /** The key of the rule that comes with Weft; null for one of somebody else. */
  product: string | null;
  context: AlarmContext;
}

export type Family =
  | 'away'
  | 'wifi'
  | 'cell'
  | 'light'
  | 'energy'
  | 'clock'
  | 'reports'
  | 'weft'
  | 'settings'
  | 'other';

const families: Record<string, Family> = {
  offline: 'away',
  late: 'away',
  flapping: 'away',
  site_away: 'away',
  nr_sinr: 'cell',
  nr_load: 'cell',
  nr_latency: 'cell',
  handover_failures: 'cell',
  wifi_utilisation: 'wifi',
  wifi_retries: 'wifi',
  wifi_noise: 'wifi',
  wifi_unserved: 'wifi',
  lifi_blockage: 'light',
  lifi_illuminance: 'light',
  energy_5g: 'energy',
  energy_wifi: 'energy',
  clock_skew: 'clock',
  report_budget: 'reports',
  settings_drifted: 'settings',
};

export function familyOf({ product, subject_kind }: Pick<GroupedAlarm, 'product' | 'subject_kind'>): Family {
  if (product === null) return 'other';
  return families[product] ?? (subject_kind === 'agent' ? 'other' : 'weft');
}

/** What commands call the settings of which alarms say that they were lowered. */
export const parameterOf: Record<LoweredSetting, string> = {
  prb_quota_pct: 'prb_quota',
  tx_power_dbm: 'tx_power',
  dimming_pct: 'dimming',
};

/** Who has set the power as it is, if a command has. */
export function whoSetPower({ set, lowered }: AlarmContext): string | undefined {
  return set && (lowered === undefined || parameterOf[lowered] === set[0]) ? set[1] : undefined;
}

/** Whether settings can be the reason: they turn no clock, and make no noise where they do not change the channel. */
export function canBeOfSettings({ product, context }: Pick<GroupedAlarm, 'product' | 'context'>): boolean {
  return product !== 'clock_skew' && (context.moved === true || (product !== 'wifi_noise' && !context.noisy));
}

const channelStepMhz = 5;

/** Whether one noise may be in both channels: they overlap, or are side by side. */
export function isBeside([one, width]: Channel, [other, otherWidth]: Channel): boolean {
  return Math.abs(one - other) * channelStepMhz <= Math.max(width, otherWidth);
}

/** Whether a site is another one, or lies below it. */
export function isWithin(site: string | null, path: string): boolean {
  return site !== null && (site === path || site.startsWith(`${path}/`));
}

/** The first alarm, of all that are one: by its time, then by its id. */
export function byTime(a: GroupedAlarm, b: GroupedAlarm): number {
  return a.fired_at - b.fired_at || (a.id < b.id ? -1 : Number(a.id > b.id));
}
