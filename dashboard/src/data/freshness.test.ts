// What the dot in the top bar says.
import { expect, it, vi } from 'vitest';
import { freshness, noteAnswer, noteUnreachable } from './freshness.ts';

it('says that nobody answers as soon as nobody does', () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  noteAnswer();
  expect(freshness.value.state).toBe('live');
  vi.advanceTimersByTime(500);
  noteUnreachable();
  expect(freshness.value.state).toBe('old');
  vi.advanceTimersByTime(500);
  noteAnswer();
  expect(freshness.value.state).toBe('live');
  vi.useRealTimers();
});
