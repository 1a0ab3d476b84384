import { byTechnology, technologies } from '@weft/contract/technologies';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPlace } from '../../../../../contract/src/core/functions/place.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { readFacts } from '../../network/agent-facts.ts';
import { Neighbours } from './neighbours.ts';

const ranges = byTechnology((name) => technologies[name].interferenceM);
const at = (latitude: unknown, longitude: unknown, access_point_type: unknown = '5G') => ({
  access_point_type,
  geolocation: { latitude, longitude },
});

const said = (ap_id: string, configuration: Record<string, unknown>) => ({ ap_id, ...readFacts(configuration) });

function indexOf(places: Record<string, Record<string, unknown>>): Neighbours {
  const index = new Neighbours(ranges);
  for (const [ap_id, configuration] of Object.entries(places)) index.set(said(ap_id, configuration));
  return index;
}

/** The haversine of the school books, as a second opinion. */
function distanceM(a: { latitude: number; longitude: number }, b: { latitude: number; longitude: number }): number {
  const rad = (degrees: number) => (degrees * Math.PI) / 180;
  const h =
    Math.sin(rad(b.latitude - a.latitude) / 2) ** 2 +
    Math.cos(rad(a.latitude)) * Math.cos(rad(b.latitude)) * Math.sin(rad(b.longitude - a.longitude) / 2) ** 2;
  return 2 * 6_371_008.8 * Math.asin(Math.min(1, Math.sqrt(h)));
}

describe('the neighbours of an agent', () => {
  test('are within the distance, of its technology, and not itself', () => {
    const index = indexOf({
      a: at(51.4545, -2.5879),
      near: at(51.4555, -2.5879),
      far: at(51.4645, -2.5879),
      wifi: at(51.4545, -2.5879, 'WiFi'),
    });
    expect(index.within('a', 500)).toEqual(['near']);
    expect(index.within('a', 100)).toEqual([]);
    expect(index.within('a', 2000).sort()).toEqual(['far', 'near']);
    expect(index.within('a', 500, { anyTechnology: true }).sort()).toEqual(['near', 'wifi']);
    expect(index.within('wifi', 500)).toEqual([]);
    expect(index.within('a', 0)).toEqual([]);
    expect(index.within('unknown', 500)).toEqual([]);
  });

  test.each([
    ['across the antimeridian', at(0, 179.999), at(0, -179.999)],
    ['where the antimeridian is written in two ways', at(10, 180), at(10, -180)],
    ['across the north pole', at(89.999, 0), at(89.999, 180)],
    ['at the south pole', at(-90, 17), at(-90, -99)],
    ['across the equator and the meridian', at(0.001, 0.001), at(-0.001, -0.001)],
  ])('are found %s', (_, a, b) => {
    const index = indexOf({ a, b });
    expect(index.within('a', 500)).toEqual(['b']);
    expect(index.within('b', 500)).toEqual(['a']);
  });

  test('follow the agent when it moves, changes, loses its place or goes', () => {
    const index = indexOf({ a: at(1, 1), b: at(2, 2) });
    expect(index.within('a', 500)).toEqual([]);
    index.set(said('b', at(1, 1.001)));
    expect(index.within('a', 500)).toEqual(['b']);
    index.set(said('b', at(1, 1.001, 'LiFi')));
    expect(index.within('a', 500)).toEqual([]);
    index.set(said('b', at(1, 1)));
    expect(index.within('a', 500)).toEqual(['b']);
    index.set(said('b', { access_point_type: '5G' }));
    expect(index.within('a', 500)).toEqual([]);
    expect(index.within('b', 500)).toEqual([]);
    index.set(said('b', at(1, 1)));
    index.remove('b');
    index.remove('b');
    expect(index.within('a', 500)).toEqual([]);
    expect(index.size).toBe(1);
  });

  test('are the same after other ranges', () => {
    const index = indexOf({ a: at(1, 1), b: at(1, 1.001) });
    index.setRanges({ ...ranges, '5G': 5, WiFi: 0, LiFi: 10_000 });
    expect(index.within('a', 500)).toEqual(['b']);
    index.remove('b');
    expect(index.within('a', 500)).toEqual([]);
  });

  test('are no more than asked for, however many stand in one place', () => {
    const index = new Neighbours(ranges);
    for (let n = 0; n < 5000; n++) index.set(said(`ap-${n}`, at(1, 1)));
    expect(index.within('ap-0', 500)).toHaveLength(1000);
    expect(new Set(index.within('ap-0', 500, { max: 4999 })).size).toBe(4999);
  });

  test('are those that a look at everybody finds', () => {
    const centre = fc.record({
      latitude: fc.double({ min: -90, max: 90, noNaN: true }),
      longitude: fc.double({ min: -180, max: 180, noNaN: true }),
    });
    const offsets = fc.array(
      fc.tuple(fc.double({ min: -0.02, max: 0.02, noNaN: true }), fc.double({ min: -0.02, max: 0.02, noNaN: true })),
      { minLength: 2, maxLength: 60 },
    );
    fc.assert(
      fc.property(centre, offsets, fc.constantFrom(8, 60, 500, 700, 3000), (middle, around, metres) => {
        const places = around.map(([lat, lon]) => ({
          latitude: Math.max(-90, Math.min(90, middle.latitude + lat)),
          longitude: ((middle.longitude + lon + 540) % 360) - 180,
        }));
        const index = indexOf(
          Object.fromEntries(places.map(({ latitude, longitude }, n) => [`${n}`, at(latitude, longitude)])),
        );
        const distances = places.map((place) => distanceM(places[0]!, place));
        const found = new Set(index.within('0', metres));
        for (const [n, distance] of distances.entries()) {
          // The two ways of reckoning may differ by a millimetre.
          if (n > 0 && Math.abs(distance - metres) > 0.001) expect(found.has(`${n}`)).toBe(distance < metres);
        }
      }),
      { numRuns: rounds(200) },
    );
  });
});

test.each<[unknown, object | undefined]>([
  [
    { latitude: 1, longitude: 2 },
    { latitude: 1, longitude: 2 },
  ],
  [
    { lat: 1, long: 2 },
    { latitude: 1, longitude: 2 },
  ],
  [
    { lat: 1, lon: 2 },
    { latitude: 1, longitude: 2 },
  ],
  [
    { lat: '51.5', lng: ' -2.5 ' },
    { latitude: 51.5, longitude: -2.5 },
  ],
  [
    { latitude: 0, longitude: 0 },
    { latitude: 0, longitude: 0 },
  ],
  [{ latitude: 91, longitude: 2 }, undefined],
  [{ latitude: 1, longitude: 181 }, undefined],
  [{ latitude: 1 }, undefined],
  [{ latitude: '', longitude: '' }, undefined],
  [{ latitude: null, longitude: true }, undefined],
  [{ latitude: 'north', longitude: 'NaN' }, undefined],
  [[1, 2], undefined],
  ['1,2', undefined],
  [null, undefined],
  [undefined, undefined],
])('the place %j', (geolocation, place) => {
  expect(readPlace({ geolocation })).toEqual(place);
});
