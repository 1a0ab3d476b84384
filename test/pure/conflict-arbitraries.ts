// Rules, and sequences of commands, such as chance makes them: for properties of decisions.
import type { ConflictRules } from '@weft/contract';
import { byTechnology, technologies, technologyNames } from '@weft/contract/technologies';
import fc from 'fast-check';
import type { Intent } from '../../controller/src/core/commands/arbitration/conflict-intent.ts';
import { parseConflictRules } from '../../controller/src/core/commands/arbitration/conflict-rules.ts';

export const anyPolicy = fc.constantFrom(
  ...[{ policy: 'priority' }, { policy: 'first_wins' }, { policy: 'last_wins' }],
  ...(['min', 'max', 'mean'] as const).map((merge) => ({ policy: 'merge', merge })),
) as fc.Arbitrary<Partial<ConflictRules['groups'][number]>>;

export const anyRules: fc.Arbitrary<ConflictRules> = fc
  .record({
    groups: fc.array(
      fc.tuple(
        anyPolicy,
        fc.record({
          technology: fc.constantFrom(...technologyNames, null),
          scope: fc.constantFrom('agent', 'neighbours'),
          loser: fc.constantFrom('reject', 'queue'),
          hold_s: fc.constantFrom(0, 1, 30, 3600),
          min_interval_ms: fc.constantFrom(0, 0, 1000),
        }),
        fc.subarray(['tx_power', 'channel', 'tilt', 'min_rssi'], { minLength: 1 }),
      ),
      { maxLength: 6 },
    ),
    interference_range_m: fc.record({
      ...byTechnology((name) => fc.constant(technologies[name].interferenceM)),
      WiFi: fc.constantFrom(0, 60),
    }),
    oscillation: fc.record({
      reversals: fc.integer({ min: 1, max: 6 }),
      window_s: fc.constantFrom(1, 600),
      freeze_s: fc.constantFrom(0, 5, 600),
    }),
    blast_radius: fc.record({
      fraction: fc.constantFrom(0, 0.1, 1),
      minimum: fc.constantFrom(1, 2, 10),
      window_s: fc.constantFrom(1, 60),
    }),
  })
  .map((rules) => {
    const taken = new Set<string>();
    const groups = rules.groups.flatMap(([how, rest, parameters], index) => {
      const free = parameters.filter((name) => !taken.has(`${rest.technology} ${name}`));
      for (const name of free) taken.add(`${rest.technology} ${name}`);
      return free.length > 0 ? [{ name: `g${index}`, parameters: free, ...rest, ...how }] : [];
    });
    return parseConflictRules({ ...rules, groups });
  });

/** A caller is always of the same kind. */
const caller = fc.constantFrom(
  { caller_id: 'a', rank: 1, priority: 50 },
  { caller_id: 'b', rank: 1, priority: 50 },
  { caller_id: 'c', rank: 1, priority: 80 },
  { caller_id: 'u', rank: 2, priority: 50, caller_kind: 'user' as const },
  { caller_id: 'weft', rank: 3, priority: 50, caller_kind: 'weft' as const },
);
const command = fc.oneof(
  fc
    .constantFrom('tx_power', 'channel', 'tilt')
    .chain((parameter) =>
      fc.integer({ min: 0, max: 3 }).map((v) => ({ parameter, name: `set_${parameter}`, args: { v } as object })),
    ),
  fc.constantFrom('sleep', 'wake').map((name) => ({ parameter: 'power_state', name, args: {} })),
);
export const anyStep = fc
  .record({
    by: caller,
    what: command,
    ap_id: fc.constantFrom('ap-1', 'ap-2', 'ap-3'),
    hold_seconds: fc.constantFrom(null, null, 0, 1, 10),
    waitMs: fc.constantFrom(0, 1, 500, 2000, 40_000),
  })
  .map(({ by, what, ap_id, hold_seconds, waitMs }) => ({
    waitMs,
    intent: { ...by, ...what, ap_id, hold_seconds } as Partial<Intent>,
  }));
/** ap-1 and ap-2 are near each other. */
export const neighboursOf = (ap_id: string) => ({ 'ap-1': ['ap-2'], 'ap-2': ['ap-1'] })[ap_id] ?? [];
