// The rules that come with Weft. Limits of metrics are chosen on emulated networks (research/truth/alarm-truth.ts, docs/alarms.md).
import type { Technology } from '@weft/contract';
import type { AlarmRuleInput } from '@weft/contract/operations';

type Severity = AlarmRuleInput['severity'];
type When = Pick<AlarmRuleInput, 'condition' | 'for_seconds' | 'clear'>;

function rule(severity: Severity, name: string, message: string, when: When): AlarmRuleInput {
  return { name, ...when, severity, message };
}

/** Rules for access points of one type, with which their names begin. */
function rulesOn(type: Technology) {
  return (severity: Severity, name: string, message: string, when: When): AlarmRuleInput => {
    return { name: `${type}: ${name}`, selector: `type:${type}`, ...when, severity, message };
  };
}

const on5G = rulesOn('5G');
const onWifi = rulesOn('WiFi');
const onLifi = rulesOn('LiFi');

const presence = {
  offline: rule('major', 'Offline', '{name} is offline', {
    condition: { state: 'offline' },
    for_seconds: 30,
    clear: { for_seconds: 10 },
  }),
  late: rule('warning', 'Late', '{name} has missed two reports', {
    condition: { state: 'late' },
    for_seconds: 60,
    clear: { for_seconds: 10 },
  }),
  flapping: rule('minor', 'Flapping', '{name} went away and came back {value} times within an hour', {
    condition: { state_changes: 6, within_seconds: 3600 },
    clear: { for_seconds: 600 },
  }),
  site_away: rule('critical', 'Site away', '{site}: {count} of {of} access points are offline', {
    condition: { share_of_site: { state: 'offline', at_least: 3 }, op: '>', value: 0.5 },
    for_seconds: 10,
    clear: { value: 0.25, for_seconds: 30 },
  }),
};

const cellular = {
  nr_sinr: on5G('minor', 'weak signal', '{name}: SINR is {value} dB, limit {limit}', {
    condition: { metric: 'sinr_db', op: '<', value: 8, over_seconds: 60 },
    for_seconds: 60,
    clear: { value: 9.5 },
  }),
  nr_load: on5G('warning', 'full', '{name}: {value} % of its resource blocks are in use', {
    condition: { metric: 'prb_load_pct', op: '>', value: 90, over_seconds: 120 },
    for_seconds: 120,
    clear: { value: 80 },
  }),
  nr_latency: on5G('minor', 'slow', '{name}: latency is {value} ms, limit {limit}', {
    condition: { metric: 'latency_ms', op: '>', value: 600, over_seconds: 60 },
    for_seconds: 60,
    clear: { value: 400 },
  }),
  handover_failures: on5G('minor', 'hand-overs fail', '{name}: too many hand-overs fail', {
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
  }),
};

const wifi = {
  wifi_utilisation: onWifi('warning', 'channel full', '{name}: its channel is busy {value} % of the time', {
    condition: { metric: 'channel_utilisation_pct', op: '>', value: 60, over_seconds: 120 },
    for_seconds: 120,
    clear: { value: 50 },
  }),
  wifi_retries: onWifi('minor', 'retries', '{name}: {value} % of its frames are sent again', {
    condition: { metric: 'tx_retries_pct', op: '>', value: 15, over_seconds: 60 },
    for_seconds: 60,
    clear: { value: 12 },
  }),
  wifi_noise: onWifi('minor', 'interference', '{name} is jammed: noise of {value} dBm in its channel, limit {limit}', {
    condition: { metric: 'noise_floor_dbm', op: '>', value: -85, over_seconds: 30 },
    for_seconds: 30,
    clear: { value: -87 },
  }),
  wifi_unserved: onWifi('major', 'devices without service', '{name}: devices are connected and get nothing', {
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
  }),
};

const lifi = {
  lifi_blockage: onLifi('warning', 'blocked', '{name}: the light to {value} % of its devices is blocked', {
    condition: { metric: 'blocked_pct', op: '>', value: 90, over_seconds: 120 },
    for_seconds: 120,
    clear: { value: 70 },
  }),
  lifi_illuminance: onLifi('minor', 'dark', '{name}: {value} lx on the desk, limit {limit}', {
    condition: { metric: 'illuminance_lx', op: '<', value: 150, over_seconds: 30 },
    for_seconds: 60,
    clear: { value: 180 },
  }),
};

const energy = {
  energy_5g: on5G('warning', 'energy above expectation', '{name} draws {value} W, expected are at most {limit}', {
    condition: { metric: 'power_w', op: '>', value: 950, over_seconds: 600 },
    for_seconds: 60,
    clear: { value: 920 },
  }),
  energy_wifi: onWifi('warning', 'energy above expectation', '{name} draws {value} W, expected are at most {limit}', {
    condition: { metric: 'power_w', op: '>', value: 25, over_seconds: 600 },
    for_seconds: 60,
    clear: { value: 24 },
  }),
};

const weft = {
  clock_skew: rule('minor', 'Clock ahead', 'The clock of {name} is {value} s ahead', {
    condition: { weft: 'clock_ahead_seconds', op: '>', value: 5 },
    for_seconds: 15,
    clear: { value: 2, for_seconds: 15 },
  }),
  report_budget: rule('minor', 'Report budget used up', '{name} reports more than it may: its reports are refused', {
    condition: { weft: 'report_budget_left', op: '<', value: 0.05 },
    clear: { value: 0.2 },
  }),
  disk_reserve: rule(
    'critical',
    'Disk nearly full',
    'The disk of {name} is nearly full: {value} MiB above the reserve',
    {
      condition: { weft: 'disk_above_reserve_mib', op: '<', value: 0 },
      for_seconds: 20,
      clear: { value: 64 },
    },
  ),
  writes_refused: rule('critical', 'Weft refuses writes', '{name}: storage refuses {value} % of all writes', {
    condition: { weft: 'writes_refused_pct', op: '>', value: 20 },
  }),
  clock_differs: rule('major', 'Clock of a node differs', 'The clock of {name} is {value} s off that of the database', {
    condition: { weft: 'node_clock_off_seconds', op: '>', value: 2 },
    for_seconds: 10,
    clear: { value: 1 },
  }),
  clock_jumped: rule(
    'major',
    'Clock jumped',
    'The clock has jumped: nothing is removed until it has been steady for an hour',
    {
      condition: { weft: 'retention_paused', op: '>', value: 0 },
    },
  ),
  dead_letters: rule('minor', 'Dead letters', '{value} messages within an hour that no worker could do anything with', {
    condition: { weft: 'dead_letters_in_an_hour', op: '>', value: 0 },
  }),
  webhook_failing: rule('major', 'Notification fails', 'Nothing could be delivered to {name} for {value} minutes', {
    condition: { weft: 'notification_failing_minutes', op: '>', value: 60 },
  }),
  backup_age: rule('warning', 'Backup too old', 'The last backup of {name} is {value} hours old', {
    condition: { weft: 'backup_age_hours', op: '>', value: 48 },
  }),
};

const settings = {
  settings_drifted: rule('minor', 'Settings drifted', '{name} runs other settings than it shall', {
    condition: { weft: 'settings_drifted', op: '>', value: 0 },
    // A command that lies over settings may be known a moment after its effect.
    for_seconds: 10,
  }),
};

/** By key. They are given out once; what administrators change or remove stays so. */
export const productRules: ReadonlyMap<string, AlarmRuleInput> = new Map(
  Object.entries({ ...presence, ...cellular, ...wifi, ...lifi, ...energy, ...settings, ...weft }),
);
