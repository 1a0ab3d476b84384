import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isQuiet, localTime } from './quiet-hours.ts';

const night = { from: '22:00', until: '07:00' };
const at = (text: string) => Date.parse(text);

test('hours of the place, not of the server', () => {
  expect(isQuiet(night, 'Europe/London', at('2026-01-10T22:30:00Z'))).toBe(true);
  expect(isQuiet(night, 'America/New_York', at('2026-01-10T22:30:00Z'))).toBe(false);
  expect(isQuiet(night, 'America/New_York', at('2026-01-11T04:00:00Z'))).toBe(true);
  expect(isQuiet({ from: '12:00', until: '13:00' }, 'UTC', at('2026-01-10T12:59:59Z'))).toBe(true);
  expect(isQuiet({ from: '12:00', until: '13:00' }, 'UTC', at('2026-01-10T13:00:00Z'))).toBe(false);
});

test.each([
  // Clocks go forward: the night is an hour shorter.
  ['Europe/London', '2026-03-29T05:59:59Z', true],
  ['Europe/London', '2026-03-29T06:00:00Z', false],
  ['America/New_York', '2026-03-08T10:59:59Z', true],
  ['America/New_York', '2026-03-08T11:00:00Z', false],
  // Clocks go back: it is an hour longer.
  ['Europe/London', '2026-10-25T06:59:59Z', true],
  ['Europe/London', '2026-10-25T07:00:00Z', false],
  ['America/New_York', '2026-11-01T11:59:59Z', true],
  ['America/New_York', '2026-11-01T12:00:00Z', false],
])('in %s at %s it is quiet: %s', (zone, time, expected) => {
  expect(isQuiet(night, zone, at(time))).toBe(expected);
});

test('is quiet exactly when the clock of the place stands between the two', () => {
  const clock = fc
    .tuple(fc.nat(23), fc.nat(59))
    .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
  const zones = fc.constantFrom('Europe/London', 'America/New_York', 'Asia/Kathmandu', 'UTC');
  fc.assert(
    fc.property(
      clock,
      clock,
      zones,
      fc.integer({ min: at('2026-01-01'), max: at('2027-01-01') }),
      (from, until, zone, ms) => {
        const shown = localTime(ms, zone).slice(11, 16);
        const expected = from <= until ? shown >= from && shown < until : shown >= from || shown < until;
        expect(isQuiet({ from, until }, zone, ms)).toBe(expected);
      },
    ),
  );
});
