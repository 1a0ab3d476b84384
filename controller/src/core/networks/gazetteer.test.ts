// The most populous place of a name is found however the name is written.
import { describe, expect, test } from 'vitest';
import { findPlaces } from './gazetteer.ts';

const first = (name: string) => {
  const [place] = findPlaces(name);
  return place && `${place.name} ${place.country} ${place.region}`;
};

describe('I15 the name of a place', () => {
  test.each([
    ['Bristol', 'Bristol GB ENG'],
    ['  bRISTOL ', 'Bristol GB ENG'],
    ['Bristol, GB', 'Bristol GB ENG'],
    ['Bristol, gbr', 'Bristol GB ENG'],
    ['Bristol,UK', 'Bristol GB ENG'],
    ['Bristol, England', 'Bristol GB ENG'],
    ['Bristol, United Kingdom', 'Bristol GB ENG'],
    ['Bristol, US', 'Bristol US CT'],
    ['Springfield', 'Springfield US MO'],
    ['Springfield, IL, US', 'Springfield US IL'],
    ['Springfield, Illinois', 'Springfield US IL'],
    ['San Diego, CA', 'San Diego US CA'],
    ['London, CA', 'London CA 08'],
    ['London, Ontario', 'London CA 08'],
    ['Washington, D.C.', 'Washington, D.C. US DC'],
    ['Washington', 'Washington, D.C. US DC'],
  ])('%s is %s', (name, expected) => {
    expect(first(name)).toBe(expected);
  });

  test.each([
    ['München', 'Munich DE 02'],
    ['munchen', 'Munich DE 02'],
    ['Muenchen', 'Munich DE 02'],
    ['Cologne', 'Köln DE 07'],
    ['Koln', 'Köln DE 07'],
    ['saint etienne', 'Saint-Étienne FR 84'],
    ['St. Petersburg', 'Saint Petersburg RU 66'],
    ['Łódź', 'Łódź PL 74'],
    ['lodz', 'Łódź PL 74'],
    ['東京', 'Tokyo JP 40'],
    ['Abidjan, Ivory Coast', 'Abidjan CI 93'],
    ['Abidjan, Cote d’Ivoire', 'Abidjan CI 93'],
  ])('%s is spelled so by some: %s', (name, expected) => {
    expect(first(name)).toBe(expected);
  });

  test('A place called so comes before a larger one that some call so', () => {
    expect(first('Dili')).toBe('Dili TL DI');
    expect(findPlaces('Delhi')[0]).toMatchObject({ country: 'IN' });
  });

  test('Candidates come by population, and each once', () => {
    const found = findPlaces('Springfield');
    expect(found.length).toBeGreaterThan(3);
    expect(found.map(({ population }) => population)).toEqual(
      found.map(({ population }) => population).sort((a, b) => b - a),
    );
    expect(new Set(found.map(({ latitude, longitude }) => `${latitude} ${longitude}`)).size).toBe(found.length);
  });

  test.each([
    '',
    ' ',
    ',',
    'Bristol,',
    ', GB',
    'Bristol, FR',
    'Bristol, IL',
    'Nowhere at all',
    '__proto__',
    'x'.repeat(1000),
  ])('%j is no place', (name) => {
    expect(findPlaces(name)).toEqual([]);
  });

  test('It is where it is', () => {
    const [bristol] = findPlaces('Bristol');
    expect(bristol!.latitude).toBeCloseTo(51.455, 2);
    expect(bristol!.longitude).toBeCloseTo(-2.597, 2);
    expect(bristol!.population).toBeGreaterThan(400_000);
  });
});
