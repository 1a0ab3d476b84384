import type { ConflictRules } from '@weft/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyRules, anyStep, neighboursOf } from '../../../../../test/pure/conflict-arbitraries.ts';
import { ConflictWorld, intentOf, rulesWith, startMs } from '../../../../../test/pure/conflict-world.ts';
import { rounds } from '../../../../../test/rounds.ts';
import type { Intent } from '../arbitration/conflict-intent.ts';
import { type ReplayOptions, replay } from './conflict-replay.ts';

type Step = [Partial<Intent>, number];

function recordsOf(rules: ConflictRules, steps: Step[], options = {}) {
  const world = new ConflictWorld(rules, options);
  for (const [intent, afterMs] of steps) world.send(intentOf(intent), startMs + afterMs);
  return world.records;
}

/** What differs, as `command number: before -> after`. */
function differences(
  rules: ConflictRules,
  other: ConflictRules,
  steps: Step[],
  options: ReplayOptions & { siteSize?: number } = {},
) {
  const records = recordsOf(rules, steps, options as object);
  const numbers = new Map(records.map(({ intent }, index) => [intent.command_id, index]));
  const report = replay(records, other, options);
  expect(report.decisions).toBe(steps.length);
  expect(report.differing).toBe(report.differences.length);
  return report.differences.map(({ command_id, before, after, later }) => {
    const end = later ? `, then ${later.reason}` : '';
    return `${numbers.get(command_id)}: ${before.reason} -> ${after.reason}${end}`;
  });
}

const a = (dbm: number, rest: Partial<Intent> = {}) => ({ caller_id: 'a', args: { dbm }, ...rest });
const b = (dbm: number, rest: Partial<Intent> = {}) => ({ caller_id: 'b', args: { dbm }, ...rest });

describe('a replay', () => {
  const priority = rulesWith({});
  const lastWins = rulesWith({ policy: 'last_wins' });

  test('tells what another policy would have decided, and what would have come of that', () => {
    // Once b has it, a is no longer the holder.
    const steps: Step[] = [
      [a(10), 0],
      [b(20), 1000],
      [a(11), 2000],
      [b(21), 3000],
    ];
    expect(differences(priority, lastWins, steps)).toEqual([
      '1: held_by_other -> last_wins',
      '2: own_lease -> last_wins',
      '3: held_by_other -> last_wins',
    ]);
    expect(differences(lastWins, priority, steps)).toEqual([
      '1: last_wins -> held_by_other',
      '2: last_wins -> own_lease',
      '3: last_wins -> held_by_other',
    ]);
  });

  test('counts verdicts and reasons, before and after', () => {
    const records = recordsOf(priority, [
      [a(10), 0],
      [b(20), 1000],
    ]);
    expect(replay(records, lastWins)).toMatchObject({
      decisions: 2,
      differing: 1,
      before: { accepted: 1, rejected: 1 },
      after: { accepted: 2 },
      reasons_before: { free: 1, held_by_other: 1 },
      reasons_after: { free: 1, last_wins: 1 },
    });
  });

  test('of other hold times, groups and intervals', () => {
    expect(
      differences(priority, rulesWith({ hold_s: 1 }), [
        [a(10), 0],
        [b(20), 2000],
      ]),
    ).toEqual(['1: held_by_other -> free']);
    expect(
      differences(priority, { ...priority, groups: [] }, [
        [a(10), 0],
        [b(20, { parameter: 'min_rssi' }), 2000],
      ]),
    ).toEqual(['1: held_in_group -> free']);
    const loose = { ...priority, groups: [] };
    expect(
      differences(loose, priority, [
        [a(10), 0],
        [b(20, { parameter: 'min_rssi' }), 2000],
      ]),
    ).toEqual(['1: free -> held_in_group']);
    const slow = rulesWith({ min_interval_ms: 5000 });
    expect(
      differences(priority, slow, [
        [a(10, { hold_seconds: 1 }), 0],
        [b(20, { hold_seconds: 1 }), 2000],
        [a(30), 8000],
      ]),
    ).toEqual(['1: free -> too_soon']);
  });

  test('of a longer reach asks who is near', () => {
    const channel = { parameter: 'channel', name: 'set_channel' };
    const steps: Step[] = [
      [a(1, channel), 0],
      [b(2, { ...channel, ap_id: 'ap-2' }), 10],
    ];
    const near = rulesWith({ scope: 'neighbours' });
    const alone = rulesWith({ scope: 'agent' });
    expect(differences(alone, near, steps, { neighboursOf })).toEqual(['1: free -> held_in_group']);
    expect(differences(near, alone, steps, { neighboursOf })).toEqual(['1: held_in_group -> free']);
  });

  test('decides what it has queued when the lease ends', () => {
    const queue = rulesWith({ loser: 'queue' });
    const steps: Step[] = [
      [a(10), 0],
      [b(20), 1000],
      [a(11, { caller_id: 'c' }), 40_000],
    ];
    // b has it from second 30 on; in the record c found it free.
    expect(differences(priority, queue, steps)).toEqual([
      '1: held_by_other -> waits_for_lease, then free',
      '2: free -> waits_for_lease, then free',
    ]);
  });

  test('takes no second decision about what it has settled', () => {
    const queue = rulesWith({ loser: 'queue' });
    const world = new ConflictWorld(queue);
    world.send(intentOf(a(10)), startMs);
    const waiting = intentOf(b(20));
    expect(world.send(waiting, startMs + 1000).verdict).toBe('queued');
    expect(world.send(waiting, startMs + 30_000)).toMatchObject({ verdict: 'accepted', reason: 'free' });
    expect(replay(world.records, queue).differing).toBe(0);
    expect(replay(world.records, lastWins)).toMatchObject({ decisions: 2, differing: 1, after: { accepted: 2 } });
  });

  test('begins in the middle, and follows what happened between decisions', () => {
    const world = new ConflictWorld(priority);
    world.send(intentOf(a(10)), startMs);
    expect(world.send(intentOf(b(20)), startMs + 1000).reason).toBe('held_by_other');
    expect(replay(world.records.slice(1), priority).differing).toBe(0);
    expect(replay(world.records.slice(1), lastWins).differing).toBe(1);
    // The agent was removed and came back: its leases were dropped.
    for (const lease of world.leases.of('ap-1')) world.leases.remove(lease);
    expect(world.send(intentOf(b(20)), startMs + 2000).reason).toBe('free');
    expect(replay(world.records, priority).differing).toBe(0);
  });

  test('believes the records, not the places of now, about who was near', () => {
    const channel = { parameter: 'channel', name: 'set_channel' };
    const near = rulesWith({ scope: 'neighbours' });
    const records = recordsOf(near, [
      [a(1, channel), 0],
      [b(2, { ...channel, ap_id: 'ap-2' }), 10],
    ]);
    expect(replay(records, near, { neighboursOf }).differing).toBe(0);
  });

  test('of another window for the blast radius', () => {
    const steps = Array.from({ length: 22 }, (_, n): Step => [a(1, { ap_id: `ap-${n}` }), n * 2000]);
    const short = rulesWith({}, { blast_radius: { fraction: 0, minimum: 20, window_s: 10 } });
    expect(differences(priority, short, steps)).toEqual(['20: blast_radius -> free', '21: blast_radius -> free']);
  });

  test('of another blast radius', () => {
    const steps = Array.from({ length: 20 }, (_, n): Step => [a(1, { ap_id: `ap-${n}` }), n]);
    const narrow = rulesWith({}, { blast_radius: { fraction: 0, minimum: 5, window_s: 60 } });
    expect(differences(priority, narrow, steps, { siteSize: 200 })).toHaveLength(15);
    expect(differences(narrow, priority, steps, { siteSize: 200 })).toHaveLength(15);
  });
});

const anyRecords = fc.tuple(anyRules, fc.array(anyStep, { maxLength: 40 })).map(([rules, steps]) => {
  const world = new ConflictWorld(rules, { neighboursOf, siteSize: 3 });
  const queued: { intent: Intent; at: number }[] = [];
  let at = startMs;
  for (const { intent, waitMs } of steps) {
    at += waitMs;
    for (const waiting of queued.splice(0)) {
      if (waiting.at <= at) world.send(waiting.intent, waiting.at);
      else queued.push(waiting);
    }
    const whole = intentOf({ ...intent, expires_at: at + 600_000 });
    const { deliver_after } = world.send(whole, at);
    if (deliver_after !== undefined) queued.push({ intent: whole, at: deliver_after });
  }
  return { rules, records: world.records };
});

test('under the same rules nothing differs, from wherever in the log it begins', () => {
  fc.assert(
    fc.property(anyRecords, fc.nat(10), fc.boolean(), ({ rules, records }, begin, knowsPlaces) => {
      const report = replay(records.slice(begin), rules, knowsPlaces ? { neighboursOf } : {});
      expect(report.differences).toEqual([]);
      expect(report.after).toEqual(report.before);
    }),
    { numRuns: rounds(400) },
  );
});

test('under any rules it ends, twice the same, and leaves the records alone', () => {
  fc.assert(
    fc.property(anyRecords, anyRules, ({ records }, other) => {
      const copy = structuredClone(records);
      const report = structuredClone(replay(records, other, { neighboursOf }));
      expect(records).toEqual(copy);
      expect(replay(copy, other, { neighboursOf })).toEqual(report);
      expect(report.decisions).toBeLessThanOrEqual(records.length);
    }),
    { numRuns: rounds(200) },
  );
});
