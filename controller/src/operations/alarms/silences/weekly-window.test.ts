// Windows across daylight saving, on both change-over days of two places, and what must hold on any day in any zone.
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, it } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { isTimeZone, type Weekday, weekdays, weeklyWindowAt } from './weekly-window.ts';

const at = (iso: string) => Date.parse(iso);
const shown = ({ fromMs, untilMs }: { fromMs: number; untilMs: number }) =>
  [fromMs, untilMs].map((ms) => new Date(ms).toISOString().slice(0, 16));
const sunday = (from: string, until: string) => ({ days: ['sun' as const], from, until });

// [zone, from, until, a moment before, the window in UTC]
it.each([
  // London, 29 March 2026: 01:00 becomes 02:00.
  ['Europe/London', '02:00', '05:00', '2026-03-28T12:00Z', '2026-03-29T01:00', '2026-03-29T04:00'],
  ['Europe/London', '00:30', '01:30', '2026-03-28T12:00Z', '2026-03-29T00:30', '2026-03-29T01:00'],
  ['Europe/London', '01:30', '02:30', '2026-03-28T12:00Z', '2026-03-29T01:00', '2026-03-29T01:30'],
  ['Europe/London', '22:00', '06:00', '2026-03-28T12:00Z', '2026-03-29T21:00', '2026-03-30T05:00'],
  // London, 25 October 2026: 02:00 becomes 01:00.
  ['Europe/London', '02:00', '05:00', '2026-10-24T12:00Z', '2026-10-25T02:00', '2026-10-25T05:00'],
  ['Europe/London', '01:30', '03:00', '2026-10-24T12:00Z', '2026-10-25T00:30', '2026-10-25T03:00'],
  ['Europe/London', '00:30', '01:30', '2026-10-24T12:00Z', '2026-10-24T23:30', '2026-10-25T01:30'],
  // New York, 8 March 2026: 02:00 becomes 03:00.
  ['America/New_York', '02:00', '05:00', '2026-03-07T12:00Z', '2026-03-08T07:00', '2026-03-08T09:00'],
  ['America/New_York', '01:00', '02:30', '2026-03-07T12:00Z', '2026-03-08T06:00', '2026-03-08T07:00'],
  ['America/New_York', '02:30', '04:00', '2026-03-07T12:00Z', '2026-03-08T07:00', '2026-03-08T08:00'],
  // New York, 1 November 2026: 02:00 becomes 01:00.
  ['America/New_York', '01:00', '01:45', '2026-10-31T12:00Z', '2026-11-01T05:00', '2026-11-01T06:45'],
  ['America/New_York', '02:00', '05:00', '2026-10-31T12:00Z', '2026-11-01T07:00', '2026-11-01T10:00'],
  ['America/New_York', '22:00', '02:00', '2026-10-31T12:00Z', '2026-11-02T03:00', '2026-11-02T07:00'],
])('%s, Sunday %s to %s', (zone, from, until, before, ...window) => {
  const found = weeklyWindowAt(sunday(from, until), zone, at(before));
  expect(shown(found)).toEqual(window);
  // It is the open one from its first moment to its last.
  for (const ms of [found.fromMs, found.untilMs - 1])
    expect(weeklyWindowAt(sunday(from, until), zone, ms)).toEqual(found);
  expect(weeklyWindowAt(sunday(from, until), zone, found.untilMs).fromMs).toBeGreaterThan(found.untilMs);
});

it('a window that lies in the hour that does not exist is not there that week', () => {
  const found = weeklyWindowAt(sunday('02:10', '02:50'), 'America/New_York', at('2026-03-07T12:00Z'));
  expect(shown(found)).toEqual(['2026-03-15T06:10', '2026-03-15T06:50']);
});

it('the whole day, from midnight to midnight, has 23 and 25 hours', () => {
  const hours = (day: string) => {
    const { fromMs, untilMs } = weeklyWindowAt(sunday('00:00', '00:00'), 'Europe/London', at(`${day}T12:00Z`));
    return (untilMs - fromMs) / 3_600_000;
  };
  expect([hours('2026-03-29'), hours('2026-10-25'), hours('2026-11-08')]).toEqual([23, 25, 24]);
});

it('at any moment in any zone the window is open or ahead, begins on one of its days, and shows its times on the clock', () => {
  const zones = fc.constantFrom(
    'Europe/London',
    'America/New_York',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'UTC',
  );
  const times = fc
    .integer({ min: 0, max: 47 })
    .map((half) => `${String(half >> 1).padStart(2, '0')}:${half % 2 ? '30' : '00'}`);
  const days = fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1, maxLength: 7 });
  const moments = fc.integer({ min: at('2024-01-01'), max: at('2030-01-01') });
  fc.assert(
    fc.property(zones, times, times, days, moments, (zone, from, until, list: Weekday[], nowMs) => {
      const { fromMs, untilMs } = weeklyWindowAt({ days: list, from, until }, zone, nowMs);
      expect(untilMs).toBeGreaterThan(nowMs);
      expect(fromMs).toBeLessThan(untilMs);
      const begin = DateTime.fromMillis(fromMs, { zone });
      expect(list).toContain(weekdays[begin.weekday - 1]);
      // Later only on the day on which its time does not exist.
      expect(begin.toFormat('HH:mm') >= from).toBe(true);
      expect(fromMs - nowMs).toBeLessThanOrEqual(9 * 86_400_000);
    }),
    { numRuns: rounds(400) },
  );
});

it('knows the zones there are', () => {
  expect(['Europe/London', 'America/New_York', 'UTC', 'Mars/Base', ''].map(isTimeZone)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
