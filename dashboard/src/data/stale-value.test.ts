// Which values still hold.
import { expect, it } from 'vitest';
import { isStale } from './stale-value.ts';

const told = { last_seen: '2026-01-01T10:00:30Z', report_interval_seconds: 2 };

it('a value that comes with the reports holds, one that they carry no longer does not', () => {
  expect(isStale('2026-01-01T10:00:30Z', 'online', told)).toBe(false);
  expect(isStale('2026-01-01T10:00:22Z', 'asleep', told)).toBe(false);
  expect(isStale('2026-01-01T10:00:20Z', 'asleep', told)).toBe(true);
  expect(isStale('2026-01-01T10:00:20Z', 'online', undefined)).toBe(false);
});

it('nothing holds of what is away or over', () => {
  for (const state of ['offline', 'ended', 'never'] as const) {
    expect(isStale('2026-01-01T10:00:30Z', state, told)).toBe(true);
  }
});
