// The dots of a command: what was reached, what is waited for, what will not come.
import { expect, it } from 'vitest';
import type { Command } from '../../api/operations.ts';
import { isCancellable, isEnded, secondsTaken, statusSteps } from './status-steps.ts';

const command = (more: Partial<Command>) => ({
  state: 'queued' as const,
  created_at: '2026-03-01T10:00:00Z',
  sent_at: null,
  received_at: null,
  ended_at: null,
  ...more,
});
const marks = (more: Partial<Command>) => statusSteps(command(more)).map(({ mark }) => mark);

it('waits for one step at a time', () => {
  expect(marks({})).toEqual(['reached', 'next', 'ahead', 'ahead']);
  expect(marks({ state: 'sent', sent_at: '2026-03-01T10:00:01Z' })).toEqual(['reached', 'reached', 'next', 'ahead']);
});

it('ends well, badly, or because it is not wanted any more', () => {
  const reached = {
    sent_at: '2026-03-01T10:00:01Z',
    received_at: '2026-03-01T10:00:01Z',
    ended_at: '2026-03-01T10:00:02Z',
  };
  expect(marks({ ...reached, state: 'succeeded' })).toEqual(['reached', 'reached', 'reached', 'good']);
  expect(marks({ ...reached, state: 'failed' }).at(-1)).toBe('bad');
  expect(marks({ state: 'expired', ended_at: '2026-03-01T10:10:00Z' })).toEqual([
    'reached',
    'skipped',
    'skipped',
    'bad',
  ]);
  expect(marks({ state: 'cancelled', ended_at: '2026-03-01T10:00:09Z' }).at(-1)).toBe('off');
});

it('takes as long as from the request to the end', () => {
  expect(secondsTaken(command({ ended_at: '2026-03-01T10:00:01.500Z' }))).toBe(1.5);
  expect(secondsTaken(command({}))).toBeUndefined();
});

it('can be cancelled until the agent has it', () => {
  const states = ['queued', 'sent', 'received', 'succeeded'] as const;
  expect(states.map((state) => isCancellable({ state }))).toEqual([true, true, false, false]);
  expect(states.map((state) => isEnded({ state }))).toEqual([false, false, false, true]);
});
