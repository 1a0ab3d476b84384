// What pages make of a run.
import { expect, it } from 'vitest';
import { activeFaults, countsByType, runEvents, secondsLeft, shareDone } from './run-words.tsx';

const run = {
  is_over: false,
  state: 'running' as const,
  progress: 0.1,
  created_at: '2026-03-01T10:00:00Z',
  ends_at: '2026-03-01T11:00:00Z',
};
const half = Date.parse('2026-03-01T10:30:00Z');

it('kinds come in one order, without those there are none of', () => {
  expect(countsByType({ by_type: { LiFi: 2, '5G': 1, WiFi: 0, odd: 3 } })).toEqual([
    ['5G', 1],
    ['LiFi', 2],
  ]);
});

it('a run that goes on has a part of its time behind it and the rest ahead', () => {
  expect([secondsLeft(run, half), shareDone(run, half)]).toEqual([1800, 0.5]);
  expect([secondsLeft(run, half * 2), shareDone(run, half * 2)]).toEqual([0, 1]);
});

it('a run that waits or is over has what was told of it', () => {
  expect(shareDone({ ...run, state: 'queued', progress: 0 }, half)).toBe(0);
  expect(shareDone({ ...run, state: 'cancelled', progress: null }, half)).toBeUndefined();
  expect(secondsLeft({ ...run, is_over: true }, half)).toBeUndefined();
});

it('messages of any shape become events', () => {
  const envelope = { job_number: 'j', seq: 1, type: 'emulator' as const, final: false, ts: run.created_at };
  const [first, second] = runEvents([{ ...envelope, data: [{ event: 'progress', served: 9, power_w: 'much' }, null] }]);
  expect(first).toMatchObject({ served: 9, powerW: undefined });
  expect(second).toMatchObject({ served: undefined });
});

it('faults that hold are listed by their end, none of a run that is over', () => {
  const at = (minute: number) => `2026-03-01T10:0${minute}:00Z`;
  const faults = [5, 3].map((minute) => ({ agent_id: 'a', kind: 'crash', until: at(minute) }));
  expect(activeFaults({ latest: { faults }, is_over: false }).map(({ until }) => until)).toEqual([at(3), at(5)]);
  expect([{ faults }, null].map((latest) => activeFaults({ latest, is_over: true }))).toEqual([[], []]);
});
