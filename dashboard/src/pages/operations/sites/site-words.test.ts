// When the next maintenance is, and who has rights at a site.
import { expect, test } from 'vitest';
import { nextMaintenance, peopleOf } from './site-words.ts';

test('maintenance is on the next Sunday from two to five, never one that has begun', () => {
  const words = (now: Date) => {
    const { from, until } = nextMaintenance(now.getTime());
    return [from.getDay(), from.getDate(), from.getHours(), until.getDate(), until.getHours()];
  };
  expect(words(new Date(2026, 10, 18, 9, 30))).toEqual([0, 22, 2, 22, 5]);
  expect(words(new Date(2026, 10, 22, 1, 59))).toEqual([0, 22, 2, 22, 5]);
  expect(words(new Date(2026, 10, 22, 2, 0))).toEqual([0, 29, 2, 29, 5]);
  expect(words(new Date(2026, 10, 22, 23, 0))).toEqual([0, 29, 2, 29, 5]);
});

test('people are those with a grant there, who may change most first', () => {
  const granted = [
    { username: 'ada', grants: [{ role: 'viewer' as const, selector: 'site:uk/**' }] },
    { username: 'bob', grants: [{ role: 'operator' as const, selector: 'site:fr/**' }] },
    { username: 'zoe', grants: [{ role: 'manager' as const, selector: 'site:uk/hall' }, { role: 'viewer' as const }] },
    { username: 'joe', grants: [{ role: 'none' as const }] },
    { username: 'kim', grants: [{ role: 'manager' as const, selector: 'site:(' }] },
  ];
  expect(peopleOf(granted, 'uk/hall')).toEqual([
    { username: 'zoe', roles: ['manager', 'viewer'] },
    { username: 'ada', roles: ['viewer'] },
  ]);
});
