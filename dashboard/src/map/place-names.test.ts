// Which names of places a map shows.
import { expect, it } from 'vitest';
import { byRank, isPartOf } from './place-names.ts';

const at = (name: string, latitude: number, longitude: number) => ({ name, geo: { latitude, longitude } });

it('a place whose name has that of a larger one beside it is left out', () => {
  const london = at('London', 51.507, -0.128);
  expect(isPartOf(at('City of London', 51.513, -0.092), [london])).toBe(true);
  expect(isPartOf(at('London', 42.98, -81.23), [london])).toBe(false);
  expect(isPartOf(at('New London', 41.35, -72.1), [london])).toBe(false);
  expect(isPartOf(at('Croydon', 51.37, -0.1), [london])).toBe(false);
});

it('the names of large places come first, and of two that are as large the one that says less', () => {
  const ranked = byRank([
    ['Bristol', 51.45, -2.6, 430],
    ['City of London', 51.51, -0.09, 7557],
    ['London', 51.51, -0.13, 7557],
  ]);
  expect(ranked.map(([name]) => name)).toEqual(['London', 'City of London', 'Bristol']);
});
