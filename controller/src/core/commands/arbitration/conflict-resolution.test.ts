// Every reason of a decision, one case at a time; conflict-properties.test.ts holds what is true of all of them.
import { describe, expect, test } from 'vitest';
import { ConflictWorld, intentOf, rulesWith, startMs } from '../../../../../test/pure/conflict-world.ts';
import { fingerprint } from '../grammar/requested-value.ts';
import type { DecisionState, Intent } from './conflict-intent.ts';
import { decide, stateAfter } from './conflict-resolution.ts';
import { defaultConflictRules } from './parameter-groups.ts';

const second = 1000;
const later = startMs + 5 * second;
const noState: DecisionState = { recent: [], frozen_until: null, blast: null };
const operator = { caller_kind: 'user', caller_id: 'u', caller_name: 'u@x.test', rank: 2 } as const;

describe('a parameter that nobody else holds', () => {
  test('is free, and held afterwards for as long as the group says', () => {
    const intent = intentOf();
    const decision = decide(intent, [], noState, defaultConflictRules, startMs);
    expect(decision).toMatchObject({ verdict: 'accepted', reason: 'free', supersedes: [], args: { dbm: 10 } });
    expect(decision.lease).toEqual({
      ap_id: 'ap-1',
      parameter: 'tx_power',
      parameter_group: 'wifi_coverage',
      command_id: intent.command_id,
      caller_kind: 'third_party_app',
      caller_id: 'a',
      caller_name: 'app-a',
      rank: 1,
      priority: 50,
      ...{ value: { name: 'set_tx_power', args: { dbm: 10 } }, since: startMs, until: startMs + 30 * second },
    });
  });

  test('is held for as long as the command says', () => {
    const decision = decide(intentOf({ hold_seconds: 120 }), [], noState, defaultConflictRules, startMs);
    expect(decision.lease?.until).toBe(startMs + 120 * second);
  });

  test('is not held with a hold of 0, which also ends the lease the caller had', () => {
    const world = new ConflictWorld(rulesWith({}));
    const first = world.send(intentOf(), startMs);
    const decision = world.send(intentOf({ hold_seconds: 0, args: { dbm: 20 } }), later);
    expect(decision).toMatchObject({ verdict: 'accepted', reason: 'own_lease', ends: first.lease });
    expect(decision.lease).toBeUndefined();
    expect(world.leases.size).toBe(0);
  });

  test('is free once the lease has ended', () => {
    const world = new ConflictWorld(rulesWith({}));
    world.send(intentOf(), startMs);
    const other = { caller_id: 'b', args: { dbm: 20 } };
    expect(world.send(intentOf(other), startMs + 30 * second - 1)).toMatchObject({ reason: 'held_by_other' });
    expect(world.send(intentOf(other), startMs + 30 * second)).toMatchObject({ verdict: 'accepted', reason: 'free' });
  });
});

test('a caller is never in conflict with itself', () => {
  const world = new ConflictWorld(rulesWith({ policy: 'first_wins' }));
  world.send(intentOf(), startMs);
  expect(world.send(intentOf({ args: { dbm: 20 } }), later)).toMatchObject({
    verdict: 'accepted',
    reason: 'own_lease',
  });
  const inGroup = { parameter: 'min_rssi', name: 'set_min_rssi' };
  expect(world.send(intentOf(inGroup), later)).toMatchObject({ verdict: 'accepted', reason: 'free' });
  expect(world.holders('ap-1', 'tx_power', later)).toMatchObject([{ value: { args: { dbm: 20 } } }]);
});

describe('parameters that move the same thing', () => {
  const cell = (parameter: string, caller_id: string) =>
    intentOf({ technology: '5G', parameter, name: `set_${parameter}`, caller_id, caller_name: `app-${caller_id}` });

  test.each([
    ['tilt', 'handover_margin'],
    ['handover_margin', 'time_to_trigger'],
    ['power_state', 'prb_quota'],
  ])('%s and %s of two callers are accepted, and the second is told', (first, second) => {
    const world = new ConflictWorld(defaultConflictRules);
    expect(world.send(cell(first, 'a'), startMs)).toMatchObject({ verdict: 'accepted', reason: 'free' });
    const told = world.send(cell(second, 'b'), later);
    expect(told).toMatchObject({ verdict: 'accepted', reason: 'related', supersedes: [] });
    expect(told.rival).toMatchObject({ caller_name: 'app-a', parameter: first });
    expect(told.detail).toContain('app app-a holds');
    expect(world.holders('ap-1', first, later)).toHaveLength(1);
    expect(world.send(cell(second, 'a'), startMs + 20 * 1000).reason).not.toBe('related');
  });

  test('capacity at one place is one thing for all technologies, and who is near is told without a name', () => {
    const world = new ConflictWorld(defaultConflictRules, {
      neighboursOf: (_, metres) => (metres >= 400 ? ['cell', 'hall'] : []),
    });
    const [hall, quota] = [
      { ...cell('power_state', 'a'), ap_id: 'hall', technology: 'WiFi' as const },
      cell('prb_quota', 'b'),
    ];
    world.send(hall, startMs);
    const told = world.send({ ...quota, ap_id: 'cell' }, later);
    expect(told).toMatchObject({ verdict: 'accepted', reason: 'related', supersedes: [] });
    expect(told.rival).toMatchObject({ ap_id: 'hall', parameter: 'power_state' });
    expect(told.detail).toContain('another caller holds an access point nearby');
    // Two that sleep, and two quotas, are what each group says of its own.
    expect(world.send({ ...cell('power_state', 'c'), ap_id: 'square' }, later).reason).toBe('related');
    expect(world.send({ ...cell('tilt', 'c'), ap_id: 'square' }, later).reason).toBe('free');
  });

  test('on other access points they are not related, and groups that decide go first', () => {
    const world = new ConflictWorld(defaultConflictRules);
    world.send({ ...cell('tilt', 'a'), ap_id: 'ap-2' }, startMs);
    expect(world.send(cell('handover_margin', 'b'), later).reason).toBe('free');
    world.send(cell('tilt', 'a'), later);
    expect(world.send(cell('tx_power', 'b'), later)).toMatchObject({ verdict: 'rejected', reason: 'held_in_group' });
  });
});

test('the value that is held already is accepted, and the holder keeps its lease', () => {
  const world = new ConflictWorld(rulesWith({ policy: 'first_wins' }));
  world.send(intentOf({ args: { dbm: 10, unit: 'dBm' } }), startMs);
  const decision = world.send(intentOf({ caller_id: 'b', args: { unit: 'dBm', dbm: 10 } }), later);
  expect(decision).toMatchObject({ verdict: 'accepted', reason: 'same_value', supersedes: [] });
  expect(world.holders('ap-1', 'tx_power', later).map(({ caller_id }) => caller_id)).toEqual(['a', 'b']);
});

test('sleep and wake want different things', () => {
  const world = new ConflictWorld(rulesWith({}));
  world.send(intentOf({ technology: '5G', parameter: 'power_state', name: 'sleep', args: {} }), startMs);
  const wake = intentOf({ technology: '5G', parameter: 'power_state', name: 'wake', args: {}, caller_id: 'b' });
  expect(world.send(wake, later)).toMatchObject({ verdict: 'rejected', reason: 'held_by_other' });
});

describe('a direct conflict', () => {
  const decideAgainst = (holder: object, comer: object, group: object = {}) => {
    const world = new ConflictWorld(rulesWith(group));
    const held = world.send(intentOf(holder), startMs);
    return { held, world, decision: world.send(intentOf({ caller_id: 'b', args: { dbm: 20 }, ...comer }), later) };
  };

  test('is lost to whoever was first, of equals: told with who holds it and until when', () => {
    const { held, world, decision } = decideAgainst({}, {});
    expect(decision).toEqual({
      verdict: 'rejected',
      reason: 'held_by_other',
      detail: 'app app-a holds tx_power of ap-1 until 2026-01-01T00:00:30.000Z',
      rival: held.lease,
      supersedes: [],
      retry_at: startMs + 30 * second,
    });
    expect(world.leases.of('ap-1')).toEqual([held.lease]);
  });

  test.each([
    [{}, operator, {}, 'accepted', 'higher_rank'],
    [{}, operator, { policy: 'first_wins' }, 'accepted', 'higher_rank'],
    [{}, operator, { policy: 'merge', merge: 'min' }, 'accepted', 'higher_rank'],
    [operator, {}, {}, 'rejected', 'held_by_other'],
    [operator, { priority: 100 }, {}, 'rejected', 'held_by_other'],
    [operator, {}, { policy: 'last_wins' }, 'rejected', 'held_by_other'],
    [operator, {}, { policy: 'merge', merge: 'min' }, 'rejected', 'held_by_other'],
    [operator, { ...operator, caller_id: 'weft', caller_kind: 'weft', rank: 3 }, {}, 'accepted', 'higher_rank'],
    [{ priority: 50 }, { priority: 51 }, {}, 'accepted', 'higher_priority'],
    [{ priority: 50 }, { priority: 50 }, {}, 'rejected', 'held_by_other'],
    [{ priority: 50 }, { priority: 49 }, {}, 'rejected', 'held_by_other'],
    [{ priority: 0 }, { priority: 100 }, { policy: 'first_wins' }, 'rejected', 'held_by_other'],
    [{ priority: 100 }, { priority: 0 }, { policy: 'last_wins' }, 'accepted', 'last_wins'],
  ] as const)('%j, then %j, under %j: %s, %s', (holder, comer, group, verdict, reason) => {
    const { held, world, decision } = decideAgainst(holder, comer, group);
    expect(decision).toMatchObject({ verdict, reason, rival: held.lease });
    const holds = verdict === 'accepted' ? decision.lease : held.lease;
    expect(decision.supersedes).toEqual(verdict === 'accepted' ? [held.lease] : []);
    expect(world.holders('ap-1', 'tx_power', later)).toEqual([holds]);
  });

  test('waits where losers are queued and the lease ends in time', () => {
    const { decision } = decideAgainst({}, {}, { loser: 'queue' });
    expect(decision).toMatchObject({ verdict: 'queued', reason: 'waits_for_lease', deliver_after: startMs + 30_000 });
    expect(decision.lease ?? decision.args).toBeUndefined();
    const tooLong = decideAgainst({ hold_seconds: 3600 }, {}, { loser: 'queue' });
    expect(tooLong.decision).toMatchObject({ verdict: 'rejected', reason: 'held_by_other' });
  });
});

describe('a merge', () => {
  const merged = (merge: 'min' | 'max' | 'mean', wants: number[], declaration = {}) => {
    const world = new ConflictWorld(rulesWith({ policy: 'merge', merge }));
    const bounds = { name: 'set_tx_power', parameter: 'tx_power', params: { dbm: declaration } };
    const decisions = wants.map((dbm, index) => {
      return world.send(intentOf({ caller_id: `${index}`, args: { dbm }, declaration: bounds }), startMs + index);
    });
    return { world, last: decisions.at(-1)! };
  };

  test.each([
    ['min', [10, 20], 10, 'accepted_modified'],
    ['max', [10, 20], 20, 'accepted'],
    ['mean', [10, 20], 15, 'accepted_modified'],
    ['mean', [10, 20, 60], 30, 'accepted_modified'],
    ['min', [10, 20, 10], 10, 'accepted'],
  ] as const)('%s of %j is %i: %s', (merge, wants, dbm, verdict) => {
    const { world, last } = merged(merge, [...wants]);
    expect(last).toMatchObject({ verdict, reason: 'merged', args: { dbm }, supersedes: [] });
    expect(world.holders('ap-1', 'tx_power', startMs + 9).map(({ value }) => value.args.dbm)).toEqual(wants);
  });

  test('keeps to the steps of the agent', () => {
    expect(merged('mean', [10, 11], { type: 'integer' }).last.args).toEqual({ dbm: 11 });
    expect(merged('mean', [0.1, 0.4], { multipleOf: 0.1 }).last.args).toEqual({ dbm: 0.3 });
  });

  test('of what the agent does not take falls back to priority', () => {
    expect(merged('mean', [1, 11], { enum: [1, 11] }).last).toMatchObject({
      verdict: 'rejected',
      reason: 'held_by_other',
    });
  });

  test.each([
    ['other arguments', { args: { dbm: 20, ramp: 1 } }],
    ['another command', { name: 'boost' }],
    ['a text', { args: { dbm: 'high' } }],
  ])('of %s falls back to priority', (_, comer) => {
    const world = new ConflictWorld(rulesWith({ policy: 'merge', merge: 'min' }));
    world.send(intentOf(), startMs);
    expect(world.send(intentOf({ caller_id: 'b', ...comer }), later)).toMatchObject({ reason: 'held_by_other' });
    expect(world.send(intentOf({ caller_id: 'b', priority: 60, ...comer }), later)).toMatchObject({
      reason: 'higher_priority',
    });
  });

  test('is of one parameter: in the group priority decides', () => {
    const world = new ConflictWorld(rulesWith({ policy: 'merge', merge: 'min' }));
    world.send(intentOf(), startMs);
    const inGroup = intentOf({ caller_id: 'b', parameter: 'min_rssi', name: 'set_min_rssi' });
    expect(world.send(inGroup, later)).toMatchObject({ verdict: 'rejected', reason: 'held_in_group' });
  });
});

describe('an indirect conflict', () => {
  test('is about another parameter of the group on the same agent', () => {
    const world = new ConflictWorld(rulesWith({}));
    const held = world.send(intentOf(), startMs);
    const inGroup = { caller_id: 'b', parameter: 'min_rssi', name: 'set_min_rssi' };
    expect(world.send(intentOf(inGroup), later)).toMatchObject({
      verdict: 'rejected',
      reason: 'held_in_group',
      rival: held.lease,
      retry_at: startMs + 30 * second,
      detail: expect.stringContaining('wifi_coverage'),
    });
    expect(world.send(intentOf({ ...inGroup, ap_id: 'ap-2' }), later)).toMatchObject({ reason: 'free' });
    expect(world.send(intentOf({ ...inGroup, parameter: 'reboot' }), later)).toMatchObject({ reason: 'free' });
    const stronger = world.send(intentOf({ ...inGroup, ...operator }), later);
    expect(stronger).toMatchObject({ reason: 'higher_rank', supersedes: [held.lease] });
  });

  test('is about neighbours, the same value or not, where the scope says so', () => {
    const neighboursOf = (_: string, metres: number) => (metres === 60 ? ['ap-2'] : []);
    const channel = { parameter: 'channel', name: 'set_channel', args: { channel: 36 } };
    const world = new ConflictWorld(rulesWith({ scope: 'neighbours' }), { neighboursOf });
    const held = world.send(intentOf({ ...channel, ap_id: 'ap-2' }), startMs);
    world.send(intentOf({ ...channel, ap_id: 'ap-3' }), startMs);
    expect(world.send(intentOf({ ...channel, caller_id: 'b' }), later)).toMatchObject({
      verdict: 'rejected',
      reason: 'held_in_group',
      rival: held.lease,
    });
    const alone = new ConflictWorld(rulesWith({ scope: 'agent' }), { neighboursOf });
    alone.send(intentOf({ ...channel, ap_id: 'ap-2' }), startMs);
    expect(alone.send(intentOf({ ...channel, caller_id: 'b' }), later)).toMatchObject({ reason: 'free' });
  });

  test('is none between technologies that call their parameters alike', () => {
    const rules = rulesWith({ scope: 'neighbours' });
    const cell = decide(intentOf({ ap_id: 'cell', technology: '5G' }), [], noState, rules, startMs).lease!;
    expect(decide(intentOf({ caller_id: 'b' }), [cell], noState, rules, later)).toMatchObject({ reason: 'free' });
    const lamp = { ...cell, parameter_group: 'wifi_coverage' };
    expect(decide(intentOf({ caller_id: 'b' }), [lamp], noState, rules, later)).toMatchObject({
      reason: 'held_in_group',
    });
  });

  test('that is lost beside a direct one is told as the direct one', () => {
    const rules = rulesWith({});
    const direct = decide(intentOf(), [], noState, rules, startMs).lease!;
    const other = { ...direct, parameter: 'min_rssi', caller_id: 'c', rank: 2 };
    for (const leases of [
      [direct, other],
      [other, direct],
    ]) {
      const decision = decide(intentOf({ caller_id: 'b', args: { dbm: 20 } }), leases, noState, rules, later);
      expect(decision).toMatchObject({ reason: 'held_by_other', rival: direct });
    }
  });
});

describe('S3 too soon', () => {
  const rules = rulesWith({ min_interval_ms: 1000 });

  test('is a second command of another caller within the interval', () => {
    const world = new ConflictWorld(rules);
    expect(world.send(intentOf({ hold_seconds: 0 }), startMs).verdict).toBe('accepted');
    const other = { caller_id: 'b', priority: 99 };
    for (let n = 0; n < 99; n++) {
      const decision = world.send(intentOf({ ...other, args: { dbm: n } }), startMs + n * 10);
      expect(decision).toMatchObject({
        verdict: 'rejected',
        reason: 'too_soon',
        retry_at: startMs + 1000,
        supersedes: [],
      });
    }
    expect(world.send(intentOf(other), startMs + 999)).toMatchObject({ reason: 'too_soon' });
    expect(world.send(intentOf({ args: { dbm: 7 } }), startMs + 999).verdict).toBe('accepted');
    expect(world.send(intentOf(other), startMs + 1999).verdict).toBe('accepted');
  });

  test('is nothing that a caller sends after its own, whose lease it replaces unless it is an action', () => {
    const world = new ConflictWorld(rules);
    const first = world.send(intentOf(), startMs).lease;
    const second = world.send(intentOf({ args: { dbm: 1 } }), startMs + 1);
    expect(second).toMatchObject({ reason: 'own_lease', replaces: first });
    const action = world.send(intentOf({ args: { dbm: 2 }, is_action: true }), startMs + 2);
    expect([action.verdict, action.replaces]).toEqual(['accepted', undefined]);
  });

  test('is not for those who stand above the last sender, nor for Weft', () => {
    const world = new ConflictWorld(rules);
    world.send(intentOf(), startMs);
    expect(world.send(intentOf({ ...operator, args: { dbm: 1 } }), startMs + 1)).toMatchObject({
      reason: 'higher_rank',
    });
    const second = intentOf({ ...operator, caller_id: 'second', args: { dbm: 1 } });
    expect(world.send(second, startMs + 2)).toMatchObject({ reason: 'too_soon' });
    const weft = { caller_kind: 'weft', caller_id: 'weft', rank: 3 } as const;
    expect(world.send(intentOf({ ...weft, args: { dbm: 3 } }), startMs + 3)).toMatchObject({ reason: 'higher_rank' });
    expect(world.send(intentOf({ ...weft, args: { dbm: 4 } }), startMs + 4)).toMatchObject({ reason: 'own_lease' });
  });

  test('holds between clocks that differ a little, and ends when a clock was set back', () => {
    const recent = (at: number) => ({ ...noState, recent: [{ value: '', caller_id: 'b', rank: 1, at }] });
    expect(decide(intentOf(), [], recent(startMs + 500), rules, startMs)).toMatchObject({ reason: 'too_soon' });
    expect(decide(intentOf(), [], recent(startMs + 3_600_000), rules, startMs)).toMatchObject({ reason: 'free' });
  });
});

describe('a parameter that goes back and forth', () => {
  const rules = rulesWith({ policy: 'last_wins' });
  const swing = (world: ConflictWorld, times: number, callers = ['a', 'b']) =>
    Array.from({ length: times }, (_, n) => {
      const caller_id = callers[n % callers.length]!;
      return world.send(intentOf({ caller_id, args: { dbm: n % 2 } }), startMs + n * second);
    });

  test('is frozen with the third reversal, for apps', () => {
    const world = new ConflictWorld(rules);
    const decisions = swing(world, 5);
    expect(decisions.map(({ frozen_until }) => frozen_until)).toEqual([
      ...[undefined, undefined, undefined, undefined],
      startMs + 4 * second + 600 * second,
    ]);
    const frozen = world.send(intentOf({ priority: 100 }), startMs + 5 * second);
    expect(frozen).toMatchObject({ verdict: 'rejected', reason: 'frozen', retry_at: startMs + 604 * second });
    expect(world.send(intentOf({ ap_id: 'ap-2' }), startMs + 5 * second).verdict).toBe('accepted');
    expect(world.send(intentOf(), startMs + 604 * second)).toMatchObject({ verdict: 'accepted' });
  });

  test('thaws when an operator commands it', () => {
    const world = new ConflictWorld(rules);
    swing(world, 5);
    const thaw = world.send(intentOf({ ...operator, hold_seconds: 0 }), startMs + 6 * second);
    expect(thaw).toMatchObject({ verdict: 'accepted', frozen_until: null });
    const after = world.send(intentOf(), startMs + 7 * second);
    expect(after.verdict).toBe('accepted');
    expect(after.frozen_until).toBeUndefined();
  });

  test('is left alone when one caller does it, or the rules say so', () => {
    expect(swing(new ConflictWorld(rules), 12, ['a']).every(({ verdict }) => verdict === 'accepted')).toBe(true);
    const never = { ...rules, oscillation: { ...rules.oscillation, freeze_s: 0 } };
    expect(swing(new ConflictWorld(never), 12).every(({ verdict }) => verdict === 'accepted')).toBe(true);
  });

  test('is not frozen by a value that is there already, or a new one', () => {
    const [one, two] = [intentOf(), intentOf({ args: { dbm: 20 } })];
    const recent = [one, two, one, two, one].map((intent, n) => {
      return { value: fingerprint(intent), caller_id: 'ab'[n % 2]!, rank: 1, at: startMs + n };
    });
    const frozenBy = (intent: Intent) => decide(intent, [], { ...noState, recent }, rules, later).frozen_until;
    expect(frozenBy(one)).toBeUndefined();
    expect(frozenBy(intentOf({ args: { dbm: 30 } }))).toBeUndefined();
    expect(frozenBy(two)).toBe(later + 600 * second);
    expect(frozenBy({ ...two, ...operator })).toBeUndefined();
  });

  test('is not moved by what is rejected', () => {
    const intent = intentOf();
    const state = { recent: [], frozen_until: startMs + 1000 };
    const decision = decide(intent, [], { ...state, blast: null }, rules, startMs);
    expect(stateAfter(intent, decision, state, startMs)).toEqual(state);
  });
});

describe('the blast radius', () => {
  test('is at most a tenth of a site, at least 20 agents, for apps', () => {
    for (const [siteSize, allowed] of [
      [5, 20],
      [14, 20],
      [200, 20],
      [300, 30],
    ] as const) {
      const world = new ConflictWorld(rulesWith({}), { siteSize });
      const verdicts = Array.from({ length: allowed + 5 }, (_, n) =>
        world.send(intentOf({ ap_id: `ap-${n}` }), startMs + n),
      );
      expect(verdicts.filter(({ verdict }) => verdict === 'accepted')).toHaveLength(allowed);
      expect(verdicts.at(-1)).toMatchObject({
        verdict: 'rejected',
        reason: 'blast_radius',
        retry_at: startMs + 60_000,
      });
      expect(world.send(intentOf({ ap_id: 'ap-0' }), startMs + 500).verdict).toBe('accepted');
      expect(world.send(intentOf({ ap_id: 'ap-x', site: 'else' }), startMs + 500).verdict).toBe('accepted');
      expect(world.send(intentOf({ ...operator, ap_id: 'ap-x' }), startMs + 500).verdict).toBe('accepted');
      expect(world.send(intentOf({ ap_id: 'ap-y' }), startMs + 60_001).verdict).toBe('accepted');
    }
  });
});
