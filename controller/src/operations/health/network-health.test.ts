// Laws of health: nothing is counted twice or lost, an alarm more never makes anything better, order does not matter.
import type { AlarmSeverity } from '@weft/contract';
import type { NetworkHealth } from '@weft/contract/operations';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type HealthAgent, type HealthAlarm, networkHealth } from './network-health.ts';

const rank = { bad: 0, degraded: 1, unknown: 2, good: 3 };
const sites = ['uk/bristol/hall', 'uk/bristol', 'uk', 'fr/lyon', null];

const agentList = fc
  .array(
    fc.record({
      site: fc.constantFrom(...sites),
      devices_affected: fc.nat({ max: 3 }),
      state: fc.constantFrom('online', 'late', 'offline', 'never', 'ended') as fc.Arbitrary<HealthAgent['state']>,
    }),
    { maxLength: 30 },
  )
  .map((list) => list.map((agent, n): HealthAgent => ({ ...agent, ap_id: `ap-${n}`, display_name: null })));

const alarmFor = (agents: readonly HealthAgent[]): fc.Arbitrary<HealthAlarm> =>
  fc.record({
    id: fc.uuid(),
    ap_id: agents.length > 0 ? fc.constantFrom(null, ...agents.map(({ ap_id }) => ap_id)) : fc.constant(null),
    site: fc.constantFrom(...sites),
    subject_kind: fc.constant('agent'),
    product: fc.constantFrom(null, 'offline', 'wifi_noise', 'wifi_unserved'),
    severity: fc.constantFrom('critical', 'major', 'minor', 'warning') as fc.Arbitrary<AlarmSeverity>,
    state: fc.constantFrom('firing', 'acknowledged') as fc.Arbitrary<HealthAlarm['state']>,
    message: fc.string(),
    since: fc.integer({ min: 0, max: 1000 }),
    isMuted: fc.boolean(),
    isInhibited: fc.boolean(),
  });

const world = agentList.chain((agents) =>
  fc.record({
    agents: fc.constant(agents),
    alarms: fc.array(alarmFor(agents), { maxLength: 20 }),
    more: alarmFor(agents),
  }),
);

function of(agents: readonly HealthAgent[], alarms: readonly HealthAlarm[]): NetworkHealth {
  for (const steps = networkHealth(agents, alarms, new Map()); ; ) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

const agent = (ap_id: string, display_name: string | null = null): HealthAgent => {
  return { ap_id, display_name, site: null, devices_affected: 0, state: 'offline' };
};

describe('health', () => {
  test('counts each access point once, in the network and in each site above it', () => {
    fc.assert(
      fc.property(world, ({ agents, alarms }) => {
        const { access_points, sites: found, alarms: severities, unacknowledged, worst } = of(agents, alarms);
        const living = agents.filter(({ state }) => state !== 'ended');
        const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0);
        expect(sum(access_points)).toBe(living.length);
        const counted = alarms.filter(({ isMuted, isInhibited }) => !isMuted && !isInhibited);
        expect(sum(severities)).toBe(counted.length);
        expect(unacknowledged).toBe(counted.filter(({ state }) => state === 'firing').length);
        for (const { path, access_points: counts } of found) {
          const below = living.filter(({ site }) => site === path || site?.startsWith(`${path}/`));
          expect(sum(counts)).toBe(below.length);
        }
        expect(worst.length).toBe(Math.min(10, living.length - access_points.good));
      }),
    );
  });

  test('never gets better by an alarm more, and not worse by one that is muted', () => {
    fc.assert(
      fc.property(world, ({ agents, alarms, more }) => {
        const before = of(agents, alarms);
        const after = of(agents, [...alarms, more]);
        expect(rank[after.health]).toBeLessThanOrEqual(rank[before.health]);
        expect(after.access_points.good).toBeLessThanOrEqual(before.access_points.good);
        expect(of(agents, [...alarms, { ...more, isMuted: true }])).toEqual(before);
      }),
    );
  });

  test('does not depend on the order of access points and alarms', () => {
    fc.assert(
      fc.property(world, ({ agents, alarms }) => {
        const unique = [...new Map(alarms.map((alarm) => [alarm.id, alarm])).values()];
        expect(of([...agents].reverse(), [...unique].reverse())).toEqual(of(agents, unique));
      }),
    );
  });

  test('of those that are as bad, lists them as people look for them', () => {
    const { worst } = of([agent('ap-10'), agent('ap-9'), agent('emu', 'ap-2')], []);
    expect(worst.map(({ ap_id }) => ap_id)).toEqual(['emu', 'ap-9', 'ap-10']);
  });

  test('lists first by whom most devices lost service, however bad its alarm is', () => {
    const jammed = { ...agent('jammed'), state: 'online' as const, devices_affected: 2 };
    const gone = { ...agent('gone'), devices_affected: 40 };
    const alarm: HealthAlarm = {
      ...{ id: '1', ap_id: 'jammed', site: null, subject_kind: 'agent', severity: 'critical', state: 'firing' },
      ...{ product: null, message: 'Noise', since: 0, isMuted: false, isInhibited: false },
    };
    const { worst } = of([agent('empty'), jammed, gone], [alarm]);
    expect(worst.map(({ ap_id, devices_affected }) => [ap_id, devices_affected])).toEqual([
      ['gone', 40],
      ['jammed', 2],
      ['empty', 0],
    ]);
  });

  test('says the cause in words: the alarm, or what is known before there is one', () => {
    const agents: HealthAgent[] = [
      { ...agent('a', 'Hall'), site: 'uk' },
      { ...agent('b'), site: 'uk', state: 'online' },
    ];
    const alarm: HealthAlarm = {
      ...{ id: '1', ap_id: 'b', site: 'uk', subject_kind: 'agent', severity: 'minor', state: 'firing' },
      ...{ product: null, message: 'Retries at 31 %', since: 0, isMuted: false, isInhibited: false },
    };
    const { health, causes, worst, unacknowledged } = of(agents, [alarm]);
    expect({ health, unacknowledged }).toEqual({ health: 'bad', unacknowledged: 1 });
    expect(causes).toEqual([
      '1 of 2 access points are offline',
      '1 of 2 access points have a minor alarm or a warning',
    ]);
    expect(worst.map(({ ap_id, causes: why }) => [ap_id, why])).toEqual([
      ['a', ['Offline']],
      ['b', ['Retries at 31 %']],
    ]);
  });

  test('says the cause before what follows from it, and not before the worse of somebody else', () => {
    const jammed = { ...agent('jammed'), state: 'online' as const };
    const alarms = (['critical', 'major', 'minor', 'minor'] as const).map((severity, n): HealthAlarm => {
      const message = ['Fire', 'Devices get nothing', 'Frames are sent again', 'Noise'][n]!;
      const product = [null, 'wifi_unserved', 'wifi_retries', 'wifi_noise'][n]!;
      const about = { id: String(n), ap_id: 'jammed', site: null, subject_kind: 'agent', product, severity };
      return { ...about, state: 'firing', message, since: n, isMuted: false, isInhibited: false };
    });
    expect(of([jammed], alarms).worst[0]?.causes).toEqual([
      'Fire',
      'Noise',
      'Devices get nothing',
      'Frames are sent again',
    ]);
    expect(of([jammed], alarms.slice(1)).worst[0]).toMatchObject({ severity: 'major', causes: { 0: 'Noise' } });
  });

  test('does not call offline or slow what only has an alarm: rules are about anything', () => {
    const ids = ['a', 'b', 'c', 'd'];
    const agents = ids.map((ap_id): HealthAgent => ({ ...agent(ap_id), site: 'uk', state: 'online' }));
    const alarms = ids.map((ap_id): HealthAlarm => {
      const about = { id: ap_id, ap_id, site: 'uk', subject_kind: 'agent', product: null, severity: 'major' as const };
      return { ...about, state: 'firing', message: 'Power at 9 W', since: 0, isMuted: false, isInhibited: false };
    });
    const { health, causes, sites } = of(agents, alarms);
    expect(health).toBe('bad');
    expect(causes).toEqual(['4 of 4 access points have a critical or major alarm']);
    expect(sites[0]!.causes).toEqual(causes);
    agents[0]!.state = 'offline';
    agents[1]!.state = 'late';
    expect(of(agents, alarms).causes).toEqual([
      '1 of 4 access points are offline',
      '3 of 4 access points have a critical or major alarm',
    ]);
    expect(of(agents, alarms.slice(3)).causes).toEqual([
      '1 of 4 access points are offline',
      '1 of 4 access points have a critical or major alarm',
      '1 of 4 access points report late',
    ]);
  });
});
