// Incidents in words, and as bars that do not cover each other.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { affectedSentence, byUrgency, causeSentence, hourTicks, toBars, whenSentence } from './incident-words.ts';

test('says the cause with how sure it is, and that there is none', () => {
  expect(causeSentence({ cause: 'jammed_channel', confidence: 0.95 })).toBe('Jammed channel, very likely (95 %)');
  expect(causeSentence({ cause: 'overload', confidence: 0.5 })).toBe('Overload, possible (50 %)');
  expect(causeSentence({ cause: 'unknown', confidence: 0 })).toBe('No cause found');
});

test('says who was affected', () => {
  const of = (access_points: number, devices_affected: number) => affectedSentence({ access_points, devices_affected });
  expect(of(24, 163)).toBe('24 access points, 163 devices lost service');
  expect(of(1, 1)).toBe('1 access point, 1 device lost service');
  expect(of(2, 0)).toBe('2 access points, no device lost service');
  expect(of(0, 0)).toBe('no device lost service');
});

test('says since when, or for how long', () => {
  const started_at = new Date(2026, 10, 18, 9, 25, 10).toISOString();
  const now = Date.parse(started_at) + 600_000;
  expect(whenSentence({ started_at, ended_at: null }, now)).toMatch(/^since 09:25, 10.min$/);
  const ended_at = new Date(now).toISOString();
  expect(whenSentence({ started_at, ended_at }, now + 60_000)).toMatch(/^09:25, for 10.min$/);
});

test('what is open and hurts most devices comes first', () => {
  const make = (id: string, state: 'open' | 'acknowledged' | 'ended', devices_affected: number, hour: number) =>
    ({ id, state, devices_affected, started_at: new Date(hour * 3_600_000).toISOString() }) as never;
  const all = [
    make('d', 'ended', 90, 1),
    make('c', 'acknowledged', 50, 5),
    make('b', 'open', 2, 5),
    make('a', 'open', 9, 1),
  ];
  expect(all.sort(byUrgency).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
});

test('bars lie within the band, are wide enough to hit, and cover no other of their lane', () => {
  const span = fc.tuple(fc.integer({ min: -500, max: 1000 }), fc.option(fc.nat({ max: 900 })));
  fc.assert(
    fc.property(fc.array(span, { maxLength: 30 }), (spans) => {
      const items = spans.map(([from, length]) => ({
        started_at: new Date(from).toISOString(),
        ended_at: length === null ? null : new Date(from + length).toISOString(),
      }));
      const bars = toBars(items, 0, 1000);
      for (const { left, width } of bars) {
        expect(left).toBeGreaterThanOrEqual(0);
        expect(left + width).toBeLessThanOrEqual(100 + 1.3);
        expect(width).toBeGreaterThanOrEqual(1.2);
      }
      for (const [n, a] of bars.entries()) {
        for (const b of bars.slice(n + 1)) if (a.lane === b.lane) expect(b.left).toBeGreaterThan(a.left + a.width);
      }
    }),
  );
});

test('ticks are whole hours, few of them', () => {
  const from = new Date(2026, 10, 18, 9, 25).getTime();
  const ticks = hourTicks(from, from + 6 * 3_600_000);
  expect(ticks.map(({ atMs }) => new Date(atMs).getHours())).toEqual([10, 11, 12, 13, 14, 15]);
  expect(hourTicks(from, from + 24 * 3_600_000).length).toBeLessThanOrEqual(7);
  const quarters = hourTicks(from, from + 3_600_000).map(({ atMs }) => new Date(atMs).getMinutes());
  expect(quarters.toSorted((a, b) => a - b)).toEqual([0, 15, 30, 45]);
});
