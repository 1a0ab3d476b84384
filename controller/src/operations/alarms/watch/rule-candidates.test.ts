import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import type { AlarmCriteria } from '../engine/metric-condition.ts';
import { findTimed, SiteShares, type Standing } from '../engine/timed-condition.ts';
import { productRules } from '../rules/product-rules.ts';
import { candidatesOf } from './alarm-rounds.ts';
import { type CompiledRule, toMessage } from './compiled-rule.ts';

const now = 1_790_000_000_000;
const ago = fc.integer({ min: 0, max: 120_000 }).map((ms) => now - ms);
const standing: fc.Arbitrary<Omit<Standing, 'ap_id'>> = fc.record({
  site: fc.constantFrom(null, 'uk', 'uk/hall', 'fr'),
  state: fc.constantFrom('online', 'online', 'late', 'offline', 'ended'),
  sinceMs: ago,
  lastSeenMs: ago,
  isAsleep: fc.boolean(),
  isUncertain: fc.boolean(),
  changesMs: fc.array(ago, { maxLength: 4 }).map((list) => list.sort()),
});
const states = fc.constantFrom('online', 'late', 'offline', 'ended') as fc.Arbitrary<'late'>;
const condition: fc.Arbitrary<AlarmCriteria['condition']> = fc.oneof(
  states.map((state) => ({ state })),
  fc.constant({ absent_seconds: 60 }),
  fc.integer({ min: 1, max: 3 }).map((state_changes) => ({ state_changes, within_seconds: 60 })),
  fc.record({
    share_of_site: fc.record({ state: states, at_least: fc.integer({ min: 1, max: 2 }) }),
    op: fc.constantFrom('>', '<', '>=') as fc.Arbitrary<'>'>,
    value: fc.constantFrom(0, 0.3, 0.5),
  }),
);

it('what a rule finds among its candidates is what it finds among all', () => {
  fc.assert(
    fc.property(
      fc.array(standing, { maxLength: 8 }),
      condition,
      fc.uniqueArray(fc.constantFrom('ap-0', 'ap-1', 'ap-2', 'uk', 'fr')),
      fc.constantFrom('ignore' as const, 'evaluate' as const),
      (list, each, subjects, when_asleep) => {
        const all = list.map((more, n) => ({ ...more, ap_id: `ap-${n}` }));
        const byName = new Map(all.map((one) => [one.ap_id, one]));
        const rule: AlarmCriteria = { condition: each, for_seconds: 30, clear: undefined, when_asleep };
        const active = new Set<string>(subjects);
        const names = (chosen: Standing[]) => chosen.map(({ ap_id }) => ap_id);
        const agentStates = {
          of: (ap_id: string) => byName.get(ap_id),
          away: names(all.filter(({ state }) => state !== 'online')),
          unsteady: (count: number) => names(all.filter(({ changesMs }) => changesMs.length >= count)),
        };
        const candidates = candidatesOf(rule, agentStates, active);
        const chosen = candidates ? all.filter(({ ap_id }) => candidates.has(ap_id)) : all;
        // Alarms that are to begin, and those that are to end.
        const news = (found: ReturnType<typeof findTimed>) =>
          found.filter(({ fires, subject }) => fires !== undefined && fires !== active.has(subject));
        const naive = news(findTimed(rule, all, now));
        expect(news(findTimed(rule, chosen, now))).toEqual(naive);
        if (each.share_of_site === undefined) return;
        const shares = new SiteShares(rule);
        for (const one of chosen) shares.add(one);
        expect(news(shares.find(now, (site) => active.has(site)))).toEqual(naive);
      },
    ),
    { numRuns: rounds(2000) },
  );
});

it('a message has three digits of a value, and the limit as it was set', () => {
  const message = (key: string, value: number, limit?: number) => {
    const { condition, ...rule } = productRules.get(key)!;
    const record = { rule: { ...rule, condition: { ...condition, ...(limit && { value: limit }) } } };
    return toMessage(record as CompiledRule['record'], { name: 'ap-1', ap_id: 'ap-1', site: '', value });
  };
  expect(message('nr_sinr', 7.327)).toBe('ap-1: SINR is 7.33 dB, limit 8');
  expect(message('nr_load', 95.48)).toBe('ap-1: 95.5 % of its resource blocks are in use');
  expect(message('nr_latency', 1234.5, 99.95)).toBe('ap-1: latency is 1235 ms, limit 99.95');
});
