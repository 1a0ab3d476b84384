import { defaultParameter } from '@weft/contract/declared-commands';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ValidationError } from '../../base/errors.ts';
import { parseConflictRules } from './conflict-rules.ts';
import { defaultConflictRules, groupOf, interferenceRange } from './parameter-groups.ts';

const { LiFi: _, ...ranges } = defaultConflictRules.interference_range_m;
const withGroups = (...groups: unknown[]) => ({ ...defaultConflictRules, groups });

function problemsOf(input: unknown): string[] {
  try {
    parseConflictRules(input);
  } catch (error) {
    return (error as ValidationError).problems.map(({ loc, type }) => `${loc.join('.')} ${type}`);
  }
  return [];
}

describe('the rules that ship', () => {
  test('are good rules', () => {
    expect(parseConflictRules(structuredClone(defaultConflictRules))).toEqual(defaultConflictRules);
  });

  test.each([
    ['5G', 'set_tx_power', '5g_coverage', 30],
    ['5G', 'set_tilt', '5g_coverage', 30],
    ['5G', 'set_beam_angle', '5g_coverage', 30],
    ['5G', 'set_prb_quota', '5g_capacity', 30],
    ['5G', 'sleep', '5g_energy', 30],
    ['5G', 'set_channel', '5g_mobility', 300],
    ['WiFi', 'set_channel', 'wifi_channel', 300],
    ['WiFi', 'set_tx_power', 'wifi_coverage', 30],
    ['WiFi', 'wake', 'parameter:power_state', 30],
    ['LiFi', 'set_dimming', 'lifi_light', 30],
    ['LiFi', 'set_beam_angle', 'lifi_light', 30],
    ['LiFi', 'set_channel', 'lifi_cell', 300],
    ['LiFi', 'sleep', 'lifi_cell', 300],
    ['WiFi', 'steer_device', 'steering', 30],
    ['5G', 'steer_device', 'steering', 30],
    [null, 'steer_device', 'steering', 30],
    [null, 'set_tx_power', 'parameter:tx_power', 30],
    ['LiFi', 'set_report_interval', 'parameter:report_interval', 30],
    ['5G', 'reboot', 'parameter:reboot', 30],
    ['5G', 'constructor', 'parameter:constructor', 30],
  ] as const)('put %s %s into %s', (technology, command, name, hold_s) => {
    const group = groupOf(defaultConflictRules, technology, defaultParameter(command));
    expect(group).toMatchObject({ name, hold_s, policy: 'priority', loser: 'reject', min_interval_ms: 1000 });
  });

  test('know how far each technology reaches', () => {
    expect(
      (['5G', 'WiFi', 'LiFi', null] as const).map((each) => interferenceRange(defaultConflictRules, each)),
    ).toEqual([500, 60, 8, 0]);
  });
});

test('a group of the technology comes before one of none', () => {
  const rules = parseConflictRules(
    withGroups(
      { name: 'any', parameters: ['tx_power', 'x'], policy: 'last_wins' },
      { name: 'mine', technology: 'WiFi', parameters: ['tx_power'], policy: 'first_wins' },
    ),
  );
  expect(groupOf(rules, 'WiFi', 'tx_power').name).toBe('mine');
  expect(groupOf(rules, 'WiFi', 'x').name).toBe('any');
  expect(groupOf(rules, '5G', 'tx_power').name).toBe('any');
});

test('what is left out has its default', () => {
  expect(parseConflictRules(withGroups({ name: 'g', parameters: ['a'], policy: 'priority' })).groups).toEqual([
    {
      name: 'g',
      technology: null,
      parameters: ['a'],
      scope: 'agent',
      policy: 'priority',
      loser: 'reject',
      hold_s: 30,
      min_interval_ms: 1000,
    },
  ]);
});

describe('refuses', () => {
  const group = { name: 'g', parameters: ['a'], policy: 'priority' };
  test.each<[unknown, string[]]>([
    [null, ['body model_attributes_type']],
    [
      {},
      [
        'body.groups missing',
        'body.interference_range_m missing',
        'body.oscillation missing',
        'body.blast_radius missing',
      ],
    ],
    [withGroups({ ...group, parameters: [] }), ['body.groups.0.parameters too_short']],
    [withGroups({ ...group, policy: 'qacm' }), ['body.groups.0.policy literal_error']],
    [withGroups({ ...group, technology: '6G' }), ['body.groups.0.technology literal_error']],
    [withGroups({ ...group, policy: 'merge' }), ['body.groups.0.merge value_error']],
    [withGroups({ ...group, merge: 'min' }), ['body.groups.0.merge value_error']],
    [withGroups({ ...group, hold_s: 3601 }), ['body.groups.0.hold_s less_than_equal']],
    [withGroups({ ...group, name: 'parameter:a' }), ['body.groups.0.name string_pattern_mismatch']],
    [withGroups({ ...group, parameters: ['a', 'a'] }), ['body.groups.0.parameters.1 value_error']],
    [withGroups(group, { ...group, name: 'h' }), ['body.groups.1.parameters.0 value_error']],
    [withGroups(group, { ...group, technology: '5G' }), ['body.groups.1.name value_error']],
    [
      withGroups({ ...group, hold_s: -1 }, { ...group, scope: 'world' }),
      [
        'body.groups.0.hold_s greater_than_equal',
        'body.groups.1.scope literal_error',
        'body.groups.1.name value_error',
        'body.groups.1.parameters.0 value_error',
      ],
    ],
    [
      { ...defaultConflictRules, oscillation: { reversals: 7, window_s: 0, freeze_s: 1 } },
      ['body.oscillation.reversals less_than_equal', 'body.oscillation.window_s greater_than'],
    ],
    [
      { ...defaultConflictRules, interference_range_m: { ...ranges, '5G': 1e9 } },
      ['body.interference_range_m.5G less_than_equal', 'body.interference_range_m.LiFi missing'],
    ],
    [
      { ...defaultConflictRules, blast_radius: { fraction: 2, minimum: 0, window_s: 1 } },
      ['body.blast_radius.fraction less_than_equal', 'body.blast_radius.minimum greater_than_equal'],
    ],
  ])('%.80j', (input, problems) => {
    expect(problemsOf(input)).toEqual(problems);
  });

  test('the same parameter in two technologies is no problem', () => {
    expect(problemsOf(withGroups({ ...group, technology: '5G' }, { ...group, name: 'h', technology: 'WiFi' }))).toEqual(
      [],
    );
  });

  test('anything, without a crash', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void problemsOf(value)));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.jsonValue(), fc.record({ name: fc.jsonValue(), parameters: fc.array(fc.jsonValue()) }))),
        (groups) => {
          problemsOf(withGroups(...groups));
        },
      ),
    );
  });
});
