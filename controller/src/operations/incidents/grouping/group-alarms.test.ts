import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeIncident } from './describe-incident.ts';
import { groupAlarms } from './group-alarms.ts';
import type { GroupedAlarm } from './grouped-alarm.ts';

const products = [
  'offline',
  'offline',
  'late',
  'wifi_noise',
  'wifi_retries',
  'wifi_unserved',
  'nr_load',
  'clock_skew',
  null,
];
const s = 1_000;

function alarm(id: string, product: string | null, ap_id: string, atS: number, more: Partial<GroupedAlarm> = {}) {
  const since = atS * s;
  const times = { since, fired_at: since + 30 * s, cleared_at: null };
  const whose = { subject_kind: 'agent', subject: ap_id, ap_id, site: 'uk/hall', context: {} };
  return { id, product, rule_id: `rule ${product}`, ...whose, ...times, ...more } satisfies GroupedAlarm;
}

const anyAlarm = fc
  .record({
    product: fc.constantFrom(...products),
    ap: fc.integer({ min: 1, max: 4 }),
    // Close together or not: relations are of minutes.
    atS: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 4_000 })),
    firesS: fc.integer({ min: 0, max: 300 }),
    lastsS: fc.option(fc.integer({ min: 1, max: 1_500 })),
    site: fc.constantFrom('uk/hall', 'uk/roof', null),
    context: fc.record(
      {
        rollout: fc.constantFrom('r1', 'r2'),
        war: fc.constantFrom('tx_power', 'channel'),
        sides: fc.constantFrom('a,b', 'a,c'),
        channel: fc.constantFrom<[number, number]>([36, 40], [44, 40], [52, 20]),
        moved: fc.constant(true),
        noisy: fc.constant(true),
        place: fc.constantFrom<[number, number]>([51.45, -2.59], [51.451, -2.5905], [51.5, -2.59]),
        lowered: fc.constant('prb_quota_pct' as const),
      },
      { requiredKeys: [] },
    ),
    isOfSite: fc.boolean(),
  })
  .map(({ product, ap, atS, firesS, lastsS, site, context, isOfSite }) => (n: number): GroupedAlarm => {
    const fired_at = (atS + firesS) * s;
    const cleared_at = lastsS === null ? null : fired_at + lastsS * s;
    const whole = { site, context, fired_at, cleared_at };
    const about = { subject_kind: 'site', subject: 'uk', ap_id: null, site: 'uk' };
    if (product === 'offline' && isOfSite) return alarm(`a${n}`, 'site_away', 'x', atS, { ...whole, ...about });
    return alarm(`a${n}`, product, `ap-${ap}`, atS, whole);
  });
const anyAlarms = fc.array(anyAlarm, { maxLength: 40 }).map((makers) => makers.map((make, n) => make(n)));

const ids = (groups: readonly (readonly GroupedAlarm[])[]) => groups.map((group) => group.map(({ id }) => id));
const sorted = (alarms: readonly GroupedAlarm[]) =>
  [...alarms].sort((a, b) => a.fired_at - b.fired_at || (a.id < b.id ? -1 : 1));

const townHall = new Map([['uk/hall', 'Town hall']]);

describe('groups', () => {
  test('each alarm is in exactly one, in whatever order alarms come', () => {
    fc.assert(
      fc.property(anyAlarms, fc.integer(), (alarms, seed) => {
        const groups = ids(groupAlarms(alarms));
        expect(groups.flat().sort()).toEqual(alarms.map(({ id }) => id).sort());
        const shuffled = [...alarms].sort((a, b) => hash(a.id, seed) - hash(b.id, seed));
        expect(ids(groupAlarms(shuffled))).toEqual(groups);
      }),
    );
  });

  test('looking in pieces, with what is known of the past, gives the same as looking once at all of the log', () => {
    fc.assert(
      fc.property(anyAlarms, fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1 }), (alarms, sizes) => {
        const order = sorted(alarms);
        const incidents = new Map<string, string>();
        for (let from = 0, n = 0; from < order.length; n++) {
          const upTo = from + sizes[n % sizes.length]!;
          const nowMs = order[Math.min(upTo, order.length) - 1]!.fired_at;
          // What has not happened yet is not known.
          const seen = order
            .slice(0, upTo)
            .map((each) => ({ ...each, cleared_at: (each.cleared_at ?? Infinity) > nowMs ? null : each.cleared_at }));
          for (const group of groupAlarms(seen, (id) => incidents.get(id) ?? null))
            for (const { id } of group) incidents.set(id, group[0]!.id);
          from = upTo;
        }
        for (const group of groupAlarms(alarms))
          for (const { id } of group) expect(incidents.get(id)).toBe(group[0]!.id);
      }),
    );
  });

  test('an outage of a site is one, whatever fired first; what happens elsewhere is another', () => {
    const away = alarm('site', 'site_away', '', 20, { subject_kind: 'site', subject: 'uk/hall', ap_id: null });
    const list = [
      alarm('1', 'offline', 'ap-1', 0),
      away,
      alarm('2', 'offline', 'ap-2', 80),
      alarm('3', 'offline', 'ap-9', 10, { site: 'uk/roof' }),
      alarm('4', 'clock_skew', 'ap-1', 0),
    ];
    const groups = groupAlarms(list);
    expect(ids(groups).map((group) => group.sort())).toEqual([['1', '2', 'site'], ['4'], ['3']]);
    expect(describeIncident(groups[0]!, String)).toMatchObject({
      cause: 'site_away',
      site: 'uk/hall',
      title: 'uk/hall is away',
    });
    expect(describeIncident(groups[0]!, String, townHall).title).toBe('Town hall is away');
  });

  test('a jammer is one for all who hear it, with what follows from it; a second one later is another', () => {
    const first = [
      alarm('1', 'wifi_noise', 'ap-1', 0, { cleared_at: 400 * s }),
      alarm('2', 'wifi_noise', 'ap-2', 20, { cleared_at: 400 * s }),
      alarm('3', 'wifi_unserved', 'ap-1', 25, { cleared_at: 420 * s }),
      alarm('4', 'wifi_utilisation', 'ap-2', 200, { fired_at: 230 * s, cleared_at: 420 * s }),
    ];
    const groups = groupAlarms([...first, alarm('5', 'wifi_noise', 'ap-1', 900)]);
    expect(ids(groups)).toEqual([['1', '2', '3', '4'], ['5']]);
    expect(describeIncident(groups[0]!, String)).toMatchObject({
      cause: 'jammed_channel',
      confidence: 0.95,
      title: '2 access points at uk/hall are jammed on their channels',
    });
    const { title } = describeIncident(groups[0]!, String, townHall);
    expect(title).toBe('2 access points at Town hall are jammed on their channels');
  });

  const onChannel = (number: number, more: Partial<GroupedAlarm['context']> = {}): Partial<GroupedAlarm> => ({
    context: { channel: [number, 40], ...more },
  });

  test('noise is one on overlapping and on neighbouring channels; on others it is another, and so is what follows from it', () => {
    const list = [
      alarm('1', 'wifi_noise', 'ap-1', 0, onChannel(36, { noisy: true })),
      alarm('2', 'wifi_noise', 'ap-2', 10, onChannel(44, { noisy: true })),
      alarm('3', 'wifi_noise', 'ap-3', 20, onChannel(60, { noisy: true })),
      // It hears too little of it to say so.
      alarm('4', 'wifi_retries', 'ap-4', 40, onChannel(68)),
      // It has a noise of its own: which one, says its alarm about that.
      alarm('5', 'wifi_retries', 'ap-5', 40, onChannel(52, { noisy: true })),
      alarm('6', 'wifi_utilisation', 'ap-1', 100, onChannel(36, { noisy: true })),
      alarm('7', 'wifi_utilisation', 'ap-3', 110, onChannel(60, { noisy: true })),
    ];
    expect(ids(groupAlarms(list))).toEqual([['1', '2', '6'], ['3', '4', '7'], ['5']]);
  });

  test('noise is one for those of two sites that stand beside each other, wherever lines are drawn; far away it is another', () => {
    const at = (id: string, site: string | null, latitude: number, channel: number) =>
      alarm(id, 'wifi_noise', `ap-${id}`, 0, { site, ...onChannel(channel, { place: [latitude, -2.59] }) });
    fc.assert(
      fc.property(fc.double({ min: -80, max: 80, noNaN: true }), (latitude) => {
        const list = [
          at('1', 'uk/hall', latitude, 36),
          at('2', 'uk/roof', latitude + 0.0015, 36),
          at('3', 'uk/roof', latitude + 0.0015, 100),
          at('4', 'uk/port', latitude + 0.01, 36),
          alarm('5', 'wifi_noise', 'ap-5', 0, { site: 'uk/dock', ...onChannel(36) }),
          // Without a site it is where it stands that counts.
          at('6', null, latitude + 0.02, 36),
          at('7', null, latitude + 0.0215, 36),
          at('8', null, latitude + 0.5, 36),
        ];
        expect(ids(groupAlarms(list))).toEqual([['1', '2'], ['3'], ['4'], ['5'], ['6', '7'], ['8']]);
      }),
    );
  });

  test('load is one for a site, unless something else explains it: settings that were lowered, or programs at war', () => {
    const of = (id: string, context: GroupedAlarm['context']) => alarm(id, 'nr_latency', `ap-${id}`, 0, { context });
    const war = { war: 'prb_quota' };
    const list = [
      of('1', {}),
      of('2', { lowered: 'prb_quota_pct' }),
      of('3', { ...war, sides: 'a,b' }),
      of('4', { ...war, sides: 'a,c' }),
      of('5', { ...war, sides: 'a,b' }),
      of('6', {}),
    ];
    const groups = groupAlarms(list);
    expect(ids(groups)).toEqual([['1', '6'], ['2'], ['3', '5'], ['4']]);
    const causes = groups.map((group) => describeIncident(group, String).cause);
    expect(causes).toEqual(['overload', 'overload', 'conflict', 'conflict']);
  });

  const rolled = { rollout: 'r' };
  const noisy = onChannel(36, { ...rolled, noisy: true });
  test.each<[string, string, string, Partial<GroupedAlarm>]>([
    ['clock', 'turns no clock', 'clock_skew', { context: rolled }],
    ['jammed_channel', 'makes no noise', 'wifi_noise', noisy],
    ['failed_rollout', 'moves to a channel with noise', 'wifi_noise', onChannel(36, { ...rolled, moved: true })],
    ['failed_rollout', 'may make retries', 'wifi_retries', onChannel(36, rolled)],
    ['power', '(none) of a power that was lowered', 'nr_sinr', { context: { lowered: 'tx_power_dbm' } }],
    ['power', '(none) of a light that was lowered', 'lifi_blockage', { context: { lowered: 'dimming_pct' } }],
  ])('%s: a roll-out %s', (cause, _why, product, more) => {
    expect(describeIncident([alarm('1', product, 'ap-1', 0, more)], String).cause).toBe(cause);
  });

  test.each<[string, Partial<GroupedAlarm>[], boolean]>([
    ['saver has set the power of ap-0', [{ context: { lowered: 'tx_power_dbm', set: ['tx_power', 'saver'] } }], true],
    [
      'A command has set the power of ap-0',
      [{ context: { lowered: 'tx_power_dbm', set: ['tx_power', 'saver'] } }],
      false,
    ],
    // Another setting than the one that was lowered.
    [
      'ap-0 does not draw or give the power it should',
      [{ context: { lowered: 'tx_power_dbm', set: ['dimming', 'x'] } }],
      true,
    ],
    ['ap-0 does not draw or give the power it should', [{ context: { lowered: 'tx_power_dbm' } }], true],
    [
      'saver has set the power of 2 access points at uk/hall',
      [1, 2].map(() => ({ context: { lowered: 'dimming_pct', set: ['dimming', 'saver'] } })),
      true,
    ],
    [
      'A command has set the power of 2 access points at uk/hall',
      ['a', 'b'].map((by) => ({ context: { lowered: 'dimming_pct', set: ['dimming', by] } })),
      true,
    ],
  ])('the title says who set the power: %s', (title, list, isWhoKnown) => {
    const alarms = list.map((more, n) => alarm(`${n}`, 'nr_sinr', `ap-${n}`, 0, more));
    expect(describeIncident(alarms, String, new Map(), isWhoKnown)).toMatchObject({ cause: 'power', title });
  });

  test('what follows from a noise at an access point of a roll-out does not make it one of the roll-out', () => {
    const list = [
      alarm('1', 'wifi_noise', 'ap-1', 0, noisy),
      alarm('2', 'wifi_retries', 'ap-1', 5, { context: rolled }),
    ];
    expect(describeIncident(list, String).cause).toBe('jammed_channel');
    // Nor does one that is of the roll-out, if it is only one.
    const ofRollout = alarm('3', 'nr_sinr', 'ap-2', 200, { context: rolled });
    expect(describeIncident([...list, ofRollout], String).cause).toBe('jammed_channel');
  });

  test.each([
    [[{ context: { gap: 'filled' } }], 'backhaul'],
    [[{ context: { gap: 'empty' } }], 'crash'],
    [[{ context: { gap: 'empty' } }, { context: { gap: 'filled' } }], 'access_point_away'],
    [[{}], 'access_point_away'],
    [[{ context: { rollout: 'r' } }], 'failed_rollout'],
  ] as const)('an outage with %j is: %s', (list, cause) => {
    const alarms = list.map((more, n) => alarm(`${n}`, 'offline', `ap-${n}`, 0, more));
    expect(describeIncident(groupAlarms(alarms)[0]!, String).cause).toBe(cause);
  });

  test('rules of others are like nothing but themselves: no cause is claimed', () => {
    const list = [alarm('1', null, 'ap-1', 0), alarm('2', null, 'ap-1', 500, { rule_id: 'another' })];
    expect(ids(groupAlarms(list))).toEqual([['1'], ['2']]);
    expect(describeIncident([list[0]!], () => 'Lobby')).toMatchObject({
      cause: 'unknown',
      confidence: 0,
      title: 'Alarms on Lobby',
    });
  });
});

function hash(text: string, seed: number): number {
  let value = seed | 0;
  for (const letter of text) value = Math.imul(value ^ letter.charCodeAt(0), 0x9e3779b1);
  return value;
}
