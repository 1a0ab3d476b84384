// What is true of every decision, whatever the callers want, in whatever order they come, under any rules that validate.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyPolicy, anyRules, anyStep, neighboursOf } from '../../../../../test/pure/conflict-arbitraries.ts';
import { ConflictWorld, intentOf, rulesWith, startMs } from '../../../../../test/pure/conflict-world.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { isSameWant } from '../grammar/requested-value.ts';
import type { DecisionState, Lease } from './conflict-intent.ts';
import { decide } from './conflict-resolution.ts';
import { defaultConflictRules } from './parameter-groups.ts';

test('different callers hold one parameter only with the same value, or under a merge', () => {
  fc.assert(
    fc.property(anyRules, fc.array(anyStep, { maxLength: 40 }), (rules, steps) => {
      const world = new ConflictWorld(rules, { neighboursOf, siteSize: 3 });
      let at = startMs;
      for (const { intent, waitMs } of steps) {
        at += waitMs;
        const whole = intentOf({ ...intent, expires_at: at + 600_000 });
        const { reason, lease } = world.send(whole, at);
        if (!lease || reason === 'merged') continue;
        for (const other of world.holders(whole.ap_id, whole.parameter, at)) {
          if (other.caller_id !== whole.caller_id) expect(isSameWant(other.value, lease.value)).toBe(true);
        }
      }
    }),
    { numRuns: rounds(300) },
  );
});

test('under priority a higher rank never loses a conflict, and never to a lower one under any policy', () => {
  fc.assert(
    fc.property(anyRules, fc.array(anyStep, { maxLength: 40 }), (rules, steps) => {
      const world = new ConflictWorld(rules, { neighboursOf });
      let at = startMs;
      for (const { intent, waitMs } of steps) {
        at += waitMs;
        const whole = intentOf({ ...intent, expires_at: at + 600_000 });
        const { reason, rival, supersedes } = world.send(whole, at);
        if (['held_by_other', 'held_in_group', 'waits_for_lease'].includes(reason)) {
          expect(rival!.rank).toBeGreaterThanOrEqual(whole.rank);
        }
        for (const { rank } of supersedes) expect(rank).toBeLessThanOrEqual(whole.rank);
      }
    }),
    { numRuns: rounds(300) },
  );
});

test('of unequal ranks the same one holds in the end, in whatever order they come', () => {
  const three = [1, 2, 3].map((rank) => ({ rank, caller_id: `${rank}`, args: { dbm: rank } }));
  fc.assert(
    fc.property(anyPolicy, fc.shuffledSubarray(three, { minLength: 2 }), (group, order) => {
      const world = new ConflictWorld(rulesWith(group));
      for (const [index, intent] of order.entries()) world.send(intentOf(intent), startMs + index);
      const highest = Math.max(...order.map(({ rank }) => rank));
      expect(world.holders('ap-1', 'tx_power', startMs + 9)).toMatchObject([{ rank: highest }]);
    }),
  );
});

test('of unequal priorities under priority, too', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 100 }), { minLength: 2, maxLength: 6 }), (priorities) => {
      const world = new ConflictWorld(rulesWith({ policy: 'priority' }));
      for (const [index, priority] of priorities.entries()) {
        world.send(intentOf({ priority, caller_id: `${priority}`, args: { dbm: priority } }), startMs + index);
      }
      expect(world.holders('ap-1', 'tx_power', startMs + 9)).toMatchObject([{ priority: Math.max(...priorities) }]);
    }),
  );
});

test('what a merge sends lies between the lowest and the highest want', () => {
  const number = fc.oneof(fc.integer({ min: -50, max: 50 }), fc.double({ noNaN: true, noDefaultInfinity: true }));
  const declared = fc.constantFrom({}, { type: 'integer' as const }, { multipleOf: 0.1 }, { multipleOf: 7 });
  fc.assert(
    fc.property(
      fc.constantFrom('min', 'max', 'mean'),
      fc.array(number, { minLength: 2, maxLength: 8 }),
      declared,
      (merge, wants, bounds) => {
        const world = new ConflictWorld(rulesWith({ policy: 'merge', merge }));
        const declaration = { name: 'set_tx_power', parameter: 'tx_power', params: { dbm: bounds } };
        const live: number[] = [];
        for (const [index, dbm] of wants.entries()) {
          const intent = intentOf({ caller_id: `${index}`, args: { dbm }, declaration });
          const { args } = world.send(intent, startMs + index);
          if (!args) continue;
          live.push(dbm);
          expect(args.dbm).toBeGreaterThanOrEqual(Math.min(...live));
          expect(args.dbm).toBeLessThanOrEqual(Math.max(...live));
        }
      },
    ),
    { numRuns: rounds(300) },
  );
});

test('a decision changes nothing it is given, is the same when made again, and is always one', () => {
  const lease: fc.Arbitrary<Partial<Lease>> = fc.record({
    ap_id: fc.constantFrom('ap-1', 'ap-2'),
    parameter: fc.constantFrom('tx_power', 'channel', 'other'),
    parameter_group: fc.constantFrom('g0', 'g1', 'gone'),
    caller_id: fc.constantFrom('a', 'b', 'c'),
    rank: fc.integer({ min: 1, max: 3 }),
    priority: fc.integer({ min: 0, max: 100 }),
    value: fc.record({
      name: fc.constantFrom('set_tx_power', 'sleep'),
      args: fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 })),
    }),
    until: fc.integer({ min: -10, max: 3_600_000 }).map((ms) => startMs + ms),
  });
  const state: fc.Arbitrary<DecisionState> = fc.record({
    recent: fc.array(
      fc.record({
        value: fc.constantFrom('x', 'y'),
        caller_id: fc.constantFrom('a', 'b'),
        rank: fc.integer({ min: 1, max: 3 }),
        at: fc.integer({ min: -9e5, max: 2000 }).map((ms) => startMs + ms),
      }),
      { maxLength: 8 },
    ),
    frozen_until: fc.option(fc.integer({ min: -1, max: 1 }).map((ms) => startMs + ms)),
    blast: fc.option(
      fc.record({
        commanded: fc.integer({ min: 1, max: 30 }),
        agents: fc.nat(200),
        frees_at: fc.constant(startMs + 1),
      }),
    ),
  });
  const base = decide(intentOf(), [], { recent: [], frozen_until: null, blast: null }, defaultConflictRules, startMs)
    .lease!;
  fc.assert(
    fc.property(
      anyRules,
      anyStep,
      fc.array(lease, { maxLength: 8 }),
      state,
      fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 })),
      (rules, step, leases, state, args) => {
        const intent = intentOf({ ...step.intent, ...(step.waitMs === 0 ? { args } : {}) });
        const given = { intent, leases: leases.map((each) => ({ ...base, ...each })), state, rules };
        const copy = structuredClone(given);
        const first = decide(given.intent, given.leases, given.state, given.rules, startMs);
        expect(given).toEqual(copy);
        expect(decide(copy.intent, copy.leases, copy.state, copy.rules, startMs)).toEqual(first);
        const { verdict, detail, args: sent, lease: granted, deliver_after, retry_at } = first;
        expect(detail).not.toBe('');
        expect(sent !== undefined).toBe(verdict.startsWith('accepted'));
        expect(deliver_after !== undefined).toBe(verdict === 'queued');
        expect(retry_at !== undefined).toBe(verdict === 'rejected');
        if (granted) expect(granted.until).toBeGreaterThan(startMs);
      },
    ),
    { numRuns: rounds(500) },
  );
});
