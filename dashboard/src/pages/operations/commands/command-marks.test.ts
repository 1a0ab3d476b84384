// Nobody is sent to a command that does not exist for them.
// The dots of a command: what was reached, what is waited for, what will not come.
import { afterEach, expect, it } from 'vitest';
import type { Command } from '../../../api/client.ts';
import { session } from '../../../session/session.ts';
import { isCancellable, isEnded, maySee, secondsTaken, statusSteps } from './command-marks.tsx';

const signedIn = (username: string, isAdmin: boolean) => {
  session.value = { token: 'token', username, isAdmin, renewAt: 0, expiresAt: Number.MAX_SAFE_INTEGER };
};
const own = { caller_kind: 'user', caller_name: 'bob@example.org' };
const others = { caller_kind: 'third_party_app', caller_name: 'energy-saver' };
const namesake = { caller_kind: 'third_party_app', caller_name: 'bob@example.org' };

afterEach(() => {
  session.value = undefined;
});

it('a user sees what they sent, an administrator everything, nobody nothing', () => {
  signedIn('bob@example.org', false);
  expect([own, others, namesake].map(maySee)).toEqual([true, false, false]);
  signedIn('ada@example.org', true);
  expect([own, others, namesake].map(maySee)).toEqual([true, true, true]);
  session.value = undefined;
  expect([own, others].map(maySee)).toEqual([false, false]);
});

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
