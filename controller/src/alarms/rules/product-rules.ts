// The rules that come with Weft. Limits of metrics are chosen on emulated networks (research/truth/alarm-truth.ts, docs/alarms.md).
import type { AlarmRuleInput } from '@weft/contract';

const presence: Record<string, AlarmRuleInput> = {
  offline: {
    name: 'Offline',
    condition: { state: 'offline' },
    for_seconds: 30,
    clear: { for_seconds: 10 },
    severity: 'major',
    message: '{name} is offline',
  },
  late: {
    name: 'Late',
    condition: { state: 'late' },
    for_seconds: 60,
    clear: { for_seconds: 10 },
    severity: 'warning',
    message: '{name} has missed two reports',
  },
  flapping: {
    name: 'Flapping',
    condition: { state_changes: 6, within_seconds: 3600 },
    clear: { for_seconds: 600 },
    severity: 'minor',
    message: '{name} went away and came back {value} times within an hour',
  },
  site_away: {
    name: 'Site away',
    condition: { share_of_site: { state: 'offline', at_least: 3 }, op: '>', value: 0.5 },
    for_seconds: 10,
    clear: { value: 0.25, for_seconds: 30 },
    severity: 'critical',
    message: '{site}: {count} of {of} access points are offline',
  },
};

const cellular: Record<string, AlarmRuleInput> = {
  nr_sinr: {
    name: '5G: weak signal',
    selector: 'type:5G',
    condition: { metric: 'sinr_db', op: '<', value: 8, over_seconds: 60 },
    for_seconds: 60,
    clear: { value: 9.5 },
    severity: 'minor',
    message: '{name}: SINR is {value} dB, limit {limit}',
  },
  nr_load: {
    name: '5G: full',
    selector: 'type:5G',
    condition: { metric: 'prb_load_pct', op: '>', value: 90, over_seconds: 120 },
    for_seconds: 120,
    clear: { value: 80 },
    severity: 'warning',
    message: '{name}: {value} % of its resource blocks are in use',
  },
  nr_latency: {
    name: '5G: slow',
    selector: 'type:5G',
    condition: { metric: 'latency_ms', op: '>', value: 600, over_seconds: 60 },
    for_seconds: 60,
    clear: { value: 400 },
    severity: 'minor',
    message: '{name}: latency is {value} ms, limit {limit}',
  },
  handover_failures: {
    name: '5G: hand-overs fail',
    selector: 'type:5G',
    condition: {
      metric: 'handover_failures',
      op: '>',
      other_metric: 'handover_attempts',
      times: 0.3,
      value: 0.02,
      over_seconds: 600,
    },
    for_seconds: 60,
    clear: { value: 0 },
    severity: 'minor',
    message: '{name}: too many hand-overs fail',
  },
};

const wifi: Record<string, AlarmRuleInput> = {
  wifi_utilisation: {
    name: 'WiFi: channel full',
    selector: 'type:WiFi',
    condition: { metric: 'channel_utilisation_pct', op: '>', value: 60, over_seconds: 120 },
    for_seconds: 120,
    clear: { value: 50 },
    severity: 'warning',
    message: '{name}: its channel is busy {value} % of the time',
  },
  wifi_retries: {
    name: 'WiFi: retries',
    selector: 'type:WiFi',
    condition: { metric: 'tx_retries_pct', op: '>', value: 15, over_seconds: 60 },
    for_seconds: 60,
    clear: { value: 12 },
    severity: 'minor',
    message: '{name}: {value} % of its frames are sent again',
  },
  wifi_noise: {
    name: 'WiFi: interference',
    selector: 'type:WiFi',
    condition: { metric: 'noise_floor_dbm', op: '>', value: -85, over_seconds: 30 },
    for_seconds: 30,
    clear: { value: -87 },
    severity: 'minor',
    message: '{name}: noise of {value} dBm in its channel, limit {limit}',
  },
  wifi_unserved: {
    name: 'WiFi: devices without service',
    selector: 'type:WiFi',
    condition: {
      metric: 'served_devices',
      op: '<',
      other_metric: 'connected_devices',
      times: 0.7,
      value: -0.5,
      over_seconds: 60,
    },
    for_seconds: 30,
    clear: { value: 0 },
    severity: 'major',
    message: '{name}: devices are connected and get nothing',
  },
};

const lifi: Record<string, AlarmRuleInput> = {
  lifi_blockage: {
    name: 'LiFi: blocked',
    selector: 'type:LiFi',
    condition: { metric: 'blocked_pct', op: '>', value: 90, over_seconds: 120 },
    for_seconds: 120,
    clear: { value: 70 },
    severity: 'warning',
    message: '{name}: the light to {value} % of its devices is blocked',
  },
  lifi_illuminance: {
    name: 'LiFi: dark',
    selector: 'type:LiFi',
    condition: { metric: 'illuminance_lx', op: '<', value: 150, over_seconds: 30 },
    for_seconds: 60,
    clear: { value: 180 },
    severity: 'minor',
    message: '{name}: {value} lx on the desk, limit {limit}',
  },
};

const energy: Record<string, AlarmRuleInput> = {
  energy_5g: {
    name: '5G: energy above expectation',
    selector: 'type:5G',
    condition: { metric: 'power_w', op: '>', value: 950, over_seconds: 600 },
    for_seconds: 60,
    clear: { value: 920 },
    severity: 'warning',
    message: '{name} draws {value} W, expected are at most {limit}',
  },
  energy_wifi: {
    name: 'WiFi: energy above expectation',
    selector: 'type:WiFi',
    condition: { metric: 'power_w', op: '>', value: 25, over_seconds: 600 },
    for_seconds: 60,
    clear: { value: 24 },
    severity: 'warning',
    message: '{name} draws {value} W, expected are at most {limit}',
  },
};

const weft: Record<string, AlarmRuleInput> = {
  clock_skew: {
    name: 'Clock ahead',
    condition: { weft: 'clock_ahead_seconds', op: '>', value: 5 },
    for_seconds: 15,
    clear: { value: 2, for_seconds: 15 },
    severity: 'minor',
    message: 'The clock of {name} is {value} s ahead',
  },
  report_budget: {
    name: 'Report budget used up',
    condition: { weft: 'report_budget_left', op: '<', value: 0.05 },
    clear: { value: 0.2 },
    severity: 'minor',
    message: '{name} reports more than it may: its reports are refused',
  },
  disk_reserve: {
    name: 'Disk nearly full',
    condition: { weft: 'disk_above_reserve_mib', op: '<', value: 0 },
    for_seconds: 20,
    clear: { value: 64 },
    severity: 'critical',
    message: 'The disk of {name} is nearly full: {value} MiB above the reserve',
  },
  clock_jumped: {
    name: 'Clock jumped',
    condition: { weft: 'retention_paused', op: '>', value: 0 },
    severity: 'major',
    message: 'The clock has jumped: nothing is removed until it has been steady for an hour',
  },
  dead_letters: {
    name: 'Dead letters',
    condition: { weft: 'dead_letters_in_an_hour', op: '>', value: 0 },
    severity: 'minor',
    message: '{value} messages within an hour that no worker could do anything with',
  },
  webhook_failing: {
    name: 'Notification fails',
    condition: { weft: 'notification_failing_minutes', op: '>', value: 60 },
    severity: 'major',
    message: 'Nothing could be delivered to {name} for {value} minutes',
  },
  backup_age: {
    name: 'Backup too old',
    condition: { weft: 'backup_age_hours', op: '>', value: 48 },
    severity: 'warning',
    message: 'The last backup of {name} is {value} hours old',
  },
};

/** By key. They are given out once; what administrators change or remove stays so. */
export const productRules: ReadonlyMap<string, AlarmRuleInput> = new Map(
  Object.entries({ ...presence, ...cellular, ...wifi, ...lifi, ...energy, ...weft }),
);
