// The states that are kept are those that a look at every agent would find, whatever has happened.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { DueHeap } from './due-heap.ts';
import { AgentPresenceTracker, type PresenceRecord } from './presence.ts';
import { PresenceStates } from './presence-states.ts';

const name = fc.constantFrom('a', 'b', 'c', 'd');
const interval = fc.option(fc.constantFrom(100, 1000, 10_000, 60_000), { nil: undefined });
const step = fc.oneof(
  fc.record({ do: fc.constant('seen' as const), ap_id: name }),
  fc.record({ do: fc.constant('configure' as const), ap_id: name, ms: interval }),
  fc.record({ do: fc.constant('adopt' as const), ap_id: name, agoMs: fc.integer({ min: 0, max: 90_000 }) }),
  fc.record({ do: fc.constant('forget' as const), ap_id: name }),
  fc.record({ do: fc.constant('end' as const), ap_id: name }),
  fc.record({ do: fc.constant('set clock' as const), byMs: fc.integer({ min: -1e6, max: 1e6 }) }),
  fc.record({ do: fc.constant('follow' as const) }),
);
const passed = fc.oneof(fc.constantFrom(0, 1, 1000, 5_000, 10_000, 25_000, 25_001, 50_001), fc.nat(70_000));

it('are at every moment what a look at each of them finds, and every change is told', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(passed, step), { maxLength: 60 }), (steps) => {
      const states = new PresenceStates();
      const told = new Map<string, string | undefined>();
      states.onChange((ap_id) => told.set(ap_id, states.get(ap_id)?.presence));
      let now = 1_790_000_000_000;
      for (const [ms, each] of steps) {
        now += ms;
        if (each.do === 'seen') states.seen(each.ap_id, now);
        if (each.do === 'configure') states.configure(each.ap_id, each.ms, now);
        if (each.do === 'adopt') states.adopt(recordOf(each.ap_id, now - each.agoMs), now);
        if (each.do === 'forget') states.forget(each.ap_id);
        if (each.do === 'end') states.end(each.ap_id);
        if (each.do === 'set clock') {
          now += each.byMs;
          states.shift(each.byMs);
        }
        while (!states.follow(now, 1));
        const trackers = [...states.names].map((ap_id) => states.get(ap_id)!);
        for (const tracker of trackers) expect(tracker.presence).toBe(tracker.presenceAt(now));
        // Of ended ones there may be very many, for whom nobody waits.
        if (each.do === 'end') expect([...states.away].map(({ record }) => record.ap_id)).not.toContain(each.ap_id);
        const away = trackers.filter(({ presence, isEnded }) => presence !== 'online' && !isEnded);
        expect(new Set(states.away)).toEqual(new Set(away));
        const known = new Map(trackers.map(({ record, presence }) => [record.ap_id, presence]));
        for (const ap_id of ['a', 'b', 'c', 'd']) expect(told.get(ap_id)).toBe(known.get(ap_id));
      }
    }),
    { numRuns: rounds(500) },
  );
});

it('looks at none whose time has not come', () => {
  const states = new PresenceStates();
  const looked: string[] = [];
  for (let n = 0; n < 100; n++) {
    const tracker = states.seen(`ap-${n}`, 0);
    if (n > 0) states.configure(`ap-${n}`, 86_400_000, 0);
    const presenceAt = tracker.presenceAt.bind(tracker);
    tracker.presenceAt = (ms) => {
      looked.push(`ap-${n}`);
      return presenceAt(ms);
    };
  }
  states.follow(40_000);
  expect(looked).toEqual(['ap-0']);
  expect(states.get('ap-0')!.presence).toBe('late');
});

it('a heap has the one that is due first on top, whoever is added, moved or removed', () => {
  const change = fc.record({ n: fc.nat(9), dueMs: fc.option(fc.nat(20), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 80 }), (changes) => {
      const heap = new DueHeap<AgentPresenceTracker>();
      const items = Array.from({ length: 10 }, (_, n) => new AgentPresenceTracker(recordOf(`ap-${n}`, 0)));
      const naive = new Map<number, number>();
      for (const { n, dueMs } of changes) {
        if (dueMs === undefined) heap.remove(items[n]!);
        else heap.set(items[n]!, dueMs);
        if (dueMs === undefined) naive.delete(n);
        else naive.set(n, dueMs);
        expect(heap.size).toBe(naive.size);
        expect(heap.first?.dueMs).toBe(naive.size === 0 ? undefined : Math.min(...naive.values()));
      }
    }),
  );
});

function recordOf(ap_id: string, last_seen: number): PresenceRecord {
  return { ap_id, last_seen, online_since: last_seen, returned_at: null, learned_interval_ms: null };
}
