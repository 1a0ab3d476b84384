// Ended sessions in memory: none is missed, whatever the clock does.
import { expect, test } from 'vitest';
import { EndedSessions } from './ended-sessions.ts';

const hourMs = 3_600_000;

test('what another node ended is found after time went back', async () => {
  let now = 10 * hourMs;
  const ended = [{ id: 'early', ended_at: 4 * hourMs, expires_at: 9 * hourMs }];
  const sessions = {
    listEnded: async (sinceMs: number, expiredMs: number) =>
      ended.filter(({ ended_at, expires_at }) => ended_at >= sinceMs && expires_at > expiredMs),
  };
  const known = new EndedSessions({ sessions, freshMs: 0, now: () => now });
  // By a clock that is hours ahead, until the database is reached.
  await known.refresh();
  expect(known.has('early')).toBe(false);
  now = 5 * hourMs;
  ended.push({ id: 'late', ended_at: now - 1, expires_at: 9 * hourMs });
  await known.refresh();
  expect([known.has('early'), known.has('late')]).toEqual([true, true]);
  now = 9 * hourMs;
  await known.refresh();
  expect([known.has('early'), known.has('late')]).toEqual([false, false]);
});
