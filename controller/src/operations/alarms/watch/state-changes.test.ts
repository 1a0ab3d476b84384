// Who went and came how often, against the event log that it is read from.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import type { EventLog } from '../../../core/accounts/event-log/event-log.ts';
import { StateChanges } from './state-changes.ts';

const hourMs = 3_600_000;

type Read = EventLog['read'];

/** A log with what a test puts into it. */
function logOf(events: { id: number; ts: number; ap_id: string }[]): Pick<EventLog, 'read' | 'newest'> {
  const read = async ({ after = 0, fromMs = 0 }: Parameters<Read>[0]) => ({
    events: events.filter(({ id, ts }) => id > (after ?? 0) && ts >= fromMs),
    next: null,
  });
  return { read: read as unknown as Read, newest: async () => events.length };
}

test('those that went or came at least so often within a day are named once each, as time goes on', async () => {
  const step = fc.record({ ap_id: fc.constantFrom('a', 'b', 'c'), hours: fc.integer({ min: 0, max: 9 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const events: { id: number; ts: number; ap_id: string }[] = [];
      const changes = new StateChanges(logOf(events));
      let nowMs = 1_790_000_000_000;
      for (const { ap_id, hours } of steps) {
        nowMs += hours * hourMs;
        events.push({ id: events.length + 1, ts: nowMs, ap_id });
        await changes.refresh(nowMs);
        const recent = events.filter(({ ts }) => ts >= nowMs - 24 * hourMs);
        for (const count of [1, 2, 6]) {
          const often = ['a', 'b', 'c'].filter((name) => recent.filter((each) => each.ap_id === name).length >= count);
          const named = changes.atLeast(count).sort();
          expect(new Set(named).size).toBe(named.length);
          // Whatever counts for a rule is there; what is a day old may be forgotten a little later.
          for (const name of often) expect(named).toContain(name);
          for (const name of named) expect(changes.of(name).length).toBeGreaterThanOrEqual(count);
          if (hours > 0) expect(named).toEqual(often);
        }
      }
    }),
    { numRuns: rounds(50) },
  );
});
