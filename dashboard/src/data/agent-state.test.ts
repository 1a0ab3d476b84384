// One word for how an access point is.
import { expect, it } from 'vitest';
import { isSleeping, shownState, worstOf } from './agent-state.ts';

const none = { online: 0, late: 0, offline: 0, never: 0, ended: 0, asleep: 0 };

it('one that sleeps is said to be asleep, unless it is away', () => {
  expect(shownState('online', true)).toBe('asleep');
  expect(shownState('late', true)).toBe('asleep');
  for (const state of ['offline', 'never', 'ended'] as const) expect(shownState(state, true)).toBe(state);
  expect(['asleep', 'dozing', 'on', null].map((state) => isSleeping(state))).toEqual([true, true, false, false]);
});

it('one failed access point among many says how they are; ended ones say nothing', () => {
  expect(worstOf({ ...none, online: 49, offline: 1 })).toBe('offline');
  expect(worstOf({ ...none, online: 3, late: 1, asleep: 1 })).toBe('late');
  expect(worstOf({ ...none, online: 1, ended: 9 })).toBe('online');
});
