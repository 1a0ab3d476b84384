import { describe, expect, test } from 'vitest';
import { productRules } from '../../alarms/rules/product-rules.ts';
import { diagnose, type Facts, type Values } from './diagnose.ts';
import { endOf } from './diagnosis-service.ts';

const commands: Facts['commands'] = new Map(
  Object.entries({ set_channel: { channel: [36, 44, 100] }, set_prb_quota: {}, set_tx_power: {}, set_dimming: {} }).map(
    ([name, params]) => [name, { name, params: 'channel' in params ? { channel: { enum: params.channel } } : {} }],
  ) as never,
);

function facts(product: string | null, more: Partial<Facts> = {}): Facts {
  const alarm = { id: 'a', ap_id: 'ap-1', subject_kind: 'agent', message: 'x', value: 7, since: 3_600_000 };
  const nothing = { context: {}, now: {}, before: {}, neighbours: [], changes: [], commands };
  return { alarm, product, ...nothing, ...more };
}

test.each<[string, Partial<Facts>, string]>([
  [
    'nr_sinr',
    { now: { tx_power_dbm: 12 }, before: { tx_power_dbm: 33 } },
    'Its transmit power was lowered to 12 dBm by saver',
  ],
  [
    'energy_5g',
    { now: { power_w: 990 }, neighbours: [{ ap_id: 'ap-2', values: { power_w: 600 }, hasSame: false }] },
    'It draws more than others like it, as saver has set it',
  ],
])('%s says which program has set the power', (product, more, text) => {
  const context = { set: ['tx_power', 'saver'] as [string, string] };
  expect(diagnose(facts(product, { ...more, context })).text).toBe(text);
  expect(diagnose(facts(product, more)).text).not.toContain('saver');
});

const beside = (values: Values, hasSame = false) => [{ ap_id: 'ap-2', values, hasSame }];
const full = { channel: 36, channel_utilisation_pct: 80, connected_devices: 9 };
const dim = { now: { dimming_pct: 20, blocked_pct: 95 }, before: { dimming_pct: 100 } };

/** For each rule: what is known, and what that says. */
const known: [product: string, cause: string, more: Partial<Facts>, command?: string][] = [
  ['offline', 'backhaul', { context: { gap: 'filled' } }],
  ['offline', 'crash', { context: { gap: 'empty' }, now: { uptime_seconds: 12 } }],
  ['offline', 'site_away', { neighbours: beside({}, true) }],
  ['offline', 'unknown', { neighbours: beside({}) }],
  ['offline', 'failed_rollout', { context: { rollout: 'r' } }],
  // An outage is not what two programs do.
  ['offline', 'unknown', { context: { war: 'tx_power' } }],
  ['late', 'unknown', {}],
  ['flapping', 'unknown', {}],
  ['site_away', 'unknown', {}],
  ['nr_sinr', 'power', { now: { tx_power_dbm: 12 }, before: { tx_power_dbm: 33 } }, '{"dbm":33,"name":"set_tx_power"}'],
  ['nr_sinr', 'unknown', { now: { tx_power_dbm: 33 }, before: { tx_power_dbm: 33 } }],
  ['nr_load', 'overload', { now: { prb_load_pct: 97, connected_devices: 40 } }],
  ['nr_latency', 'overload', { now: { prb_load_pct: 97 } }],
  ['nr_latency', 'unknown', { now: { prb_load_pct: 30 } }],
  [
    'nr_latency',
    'overload',
    { now: { prb_quota_pct: 3 }, before: { prb_quota_pct: 100 } },
    '{"percent":100,"name":"set_prb_quota"}',
  ],
  ['nr_latency', 'conflict', { context: { war: 'prb_quota' } }],
  [
    'handover_failures',
    'power',
    { now: { tx_power_dbm: 12 }, before: { tx_power_dbm: 33 } },
    '{"dbm":33,"name":"set_tx_power"}',
  ],
  ['wifi_noise', 'jammed_channel', { now: { noise_floor_dbm: -40, channel: 36 } }],
  ['wifi_noise', 'unknown', { now: { noise_floor_dbm: -92, channel: 36 } }],
  ['wifi_noise', 'jammed_channel', { now: { noise_floor_dbm: -40 }, context: { rollout: 'r', war: 'tx_power' } }],
  ['wifi_noise', 'failed_rollout', { now: { noise_floor_dbm: -40 }, context: { rollout: 'r', moved: true } }],
  // It was there when the alarm fired, and nothing else explains that.
  ['wifi_utilisation', 'jammed_channel', { now: { noise_floor_dbm: -92 }, context: { war: 'tx_power', noisy: true } }],
  ['wifi_unserved', 'backhaul', { context: { gap: 'filled' } }],
  ['wifi_retries', 'failed_rollout', { now: { noise_floor_dbm: -92 }, context: { rollout: 'r' } }],
  ['wifi_utilisation', 'overload', { now: { ...full, airtime_pct: 70 } }],
  [
    'wifi_utilisation',
    'overload',
    { now: { ...full, airtime_pct: 5 }, neighbours: beside({ channel: 100, channel_utilisation_pct: 10 }) },
    '{"channel":100,"name":"set_channel"}',
  ],
  ['wifi_utilisation', 'unknown', { now: { ...full, channel_utilisation_pct: 20 } }],
  ['lifi_blockage', 'blocked', { now: { blocked_pct: 95 } }],
  ['lifi_blockage', 'power', dim, '{"percent":100,"name":"set_dimming"}'],
  ['lifi_illuminance', 'power', dim, '{"percent":100,"name":"set_dimming"}'],
  ['lifi_illuminance', 'unknown', { now: { blocked_pct: 10 } }],
  ['energy_5g', 'power', { now: { power_w: 990 }, neighbours: beside({ power_w: 600 }) }],
  ['energy_wifi', 'unknown', { now: { power_w: 26 }, neighbours: beside({ power_w: 25 }) }],
  // Whoever drifts was changed by somebody else, unless a roll-out came before.
  ['settings_drifted', 'unknown', {}],
  ['settings_drifted', 'failed_rollout', { context: { rollout: 'r' } }],
  ['clock_skew', 'clock', { context: { rollout: 'r' } }],
  ['report_budget', 'reports', {}],
  ['disk_reserve', 'weft', { alarm: { ...facts(null).alarm, ap_id: null, subject_kind: 'node' } }],
];

describe('a diagnosis', () => {
  test.each(known)('of %s may be %s: %j', (product, cause, more, command) => {
    const { cause: found, evidence, proposals, text } = diagnose(facts(product, more));
    expect(found).toBe(cause);
    if (cause === 'unknown') expect(text).toContain('No cause found');
    else expect(evidence.length).toBeGreaterThan(0);
    expect(proposals.map((each) => each.command)).toEqual(command === undefined ? [] : [command]);
  });

  test('every rule that comes with Weft is looked at', () => {
    // About Weft itself: their messages are the cause.
    const ofWeft = ['writes_refused', 'clock_differs', 'clock_jumped', 'dead_letters', 'webhook_failing', 'backup_age'];
    const looked = new Set([...ofWeft, ...known.map(([product]) => product)]);
    expect([...productRules.keys()].filter((key) => !looked.has(key))).toEqual([]);
    const alarm = { ...facts(null).alarm, ap_id: null, subject_kind: 'node' };
    for (const key of ofWeft) expect(diagnose(facts(key, { alarm })).cause).toBe('weft');
  });

  test('of one that is over looks at when it fired, not at when what was wrong had gone away', () => {
    expect(endOf({ fired_at: 1_000, cleared_at: 9_000 }, 9_500)).toBe(1_000);
    expect(endOf({ fired_at: 1_000, cleared_at: null }, 9_500)).toBe(9_500);
  });

  test('says how many others have the same, and what was changed before; nothing is proposed to whoever declares no command', () => {
    const changes = [1, 2, 3].map((minutes) => ({ text: `change ${minutes}`, atMs: 3_600_000 - minutes * 60_000 }));
    const neighbours = [...beside({}, true), ...beside({})];
    const lowered = { now: { prb_quota_pct: 3 }, before: { prb_quota_pct: 100 } };
    const found = diagnose(facts('nr_latency', { ...lowered, neighbours, changes, commands: new Map() }));
    expect(found).toMatchObject({ scope: 'some', proposals: [] });
    expect(found.evidence.slice(-3)).toMatchObject([
      { value: 1 },
      { value: 1, unit: 'min' },
      { value: 2, unit: 'min' },
    ]);
    expect(diagnose(facts('nr_latency')).scope).toBe('unknown');
    expect(diagnose(facts('offline', { neighbours: beside({}, true) })).scope).toBe('all');
  });
});
