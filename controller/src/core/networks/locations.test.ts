// A location is read however it is written, and what is none is refused with a sentence.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../../../test/pure/any-text.ts';
import { rounds } from '../../../../test/rounds.ts';
import { parseLocation } from './locations.ts';

describe('I15 a location', () => {
  test.each([
    ['51.4545,-2.5879', 51.4545, -2.5879],
    ['  51.4545 , -2.5879 ', 51.4545, -2.5879],
    ['51.4545 -2.5879', 51.4545, -2.5879],
    ['51.4545\t+2.5879', 51.4545, 2.5879],
    ['.5,-.5', 0.5, -0.5],
    ['90,-180', 90, -180],
    ['-90,180', -90, 180],
    ['51.4545−2.5879', 51.4545, -2.5879],
    ['51.4545N 2.5879W', 51.4545, -2.5879],
    ['N51.4545, W2.5879', 51.4545, -2.5879],
    ['2.5879 W 51.4545 N', 51.4545, -2.5879],
    ['51.4545° n, 2.5879° e', 51.4545, 2.5879],
    ['S 33 52 10 E 151 12 30', -(33 + 52 / 60 + 10 / 3600), 151 + 12 / 60 + 30 / 3600],
    [`51°27'16"N 2°35'16"W`, 51 + 27 / 60 + 16 / 3600, -(2 + 35 / 60 + 16 / 3600)],
    ['51°27′16.2″N, 2°35′16.4″W', 51 + 27 / 60 + 16.2 / 3600, -(2 + 35 / 60 + 16.4 / 3600)],
    [`51º 27’ 16” N 2º 35’ 16” W`, 51 + 27 / 60 + 16 / 3600, -(2 + 35 / 60 + 16 / 3600)],
    [`51°27'16''N 2°35'16''W`, 51 + 27 / 60 + 16 / 3600, -(2 + 35 / 60 + 16 / 3600)],
    [`51°27.27'N 2°35.27'W`, 51 + 27.27 / 60, -(2 + 35.27 / 60)],
    ['51 27.27, -2 35.27', 51 + 27.27 / 60, -(2 + 35.27 / 60)],
    [`-0°30', 0°30'`, -0.5, 0.5],
    [`51°27' -2°35'`, 51 + 27 / 60, -(2 + 35 / 60)],
    ['N51E2', 51, 2],
    ['(51.45, -2.58)', 51.45, -2.58],
    ['[51.45, -2.58]', 51.45, -2.58],
    ["(51°27'N, 2°35'W)", 51.45, -(2 + 35 / 60)],
    ['{"lat":51.4,"long":-2.5}', 51.4, -2.5],
    ['{"latitude":"51.4","lng":-2.5}', 51.4, -2.5],
    ['lat:51.45,lon:-2.58', 51.45, -2.58],
    ['Latitude: 51.45, Longitude: -2.58', 51.45, -2.58],
    ['lon=-2.58 lat=51.45', 51.45, -2.58],
    [{ lat: 51.4, long: -2.5 }, 51.4, -2.5],
    [{ lat: 51.4, lon: -2.5 }, 51.4, -2.5],
    [{ latitude: 51.4, longitude: '-2.5' }, 51.4, -2.5],
    ['geo:51.45,-2.58;u=35', 51.45, -2.58],
    ['GEO:51.45,-2.58,12.5;crs=WGS84;u=0.5;name=x', 51.45, -2.58],
  ])('%j is read', (text, latitude, longitude) => {
    const found = parseLocation(text);
    expect(found).toEqual({ latitude: expect.closeTo(latitude, 9), longitude: expect.closeTo(longitude, 9) });
  });

  test.each([
    ['', 'coordinates or the name'],
    [7, 'coordinates or the name'],
    [null, 'coordinates or the name'],
    [[51, -2], 'coordinates or the name'],
    [{}, 'latitude from -90'],
    [{ lat: 91, long: 0 }, 'latitude from -90'],
    [{ lat: 51 }, 'latitude from -90'],
    ['{"lat":51.4}', 'latitude from -90'],
    ['{"lat":51.4', 'coordinates or the name'],
    ['(51.45, -2.58', 'coordinates or the name'],
    ['   ', 'coordinates or the name'],
    ['lat:91,lon:0', 'latitude from'],
    ['lat:1,lat:2', 'longitude from'],
    ['lat:1.2.3,lon:2', 'latitude from'],
    ['Nowhere at all, GB', 'known place'],
    ['Nowhere at all, Washington', 'known place'],
    ['Clifton,', 'known place'],
    ['Clifton, Nowhere at all', 'known place'],
    ['91,0', 'latitude from'],
    ['-90.0001,0', 'latitude from'],
    ['0,180.5', 'longitude from'],
    [`${'9'.repeat(190)},0`, 'latitude from'],
    ['NaN,0', 'known place'],
    ['Infinity,0', 'known place'],
    ['1e400,0', 'latitude and a longitude'],
    ['0x10,0', 'known place'],
    ['51.4545', 'latitude and a longitude'],
    ['51.4545,', 'latitude and a longitude'],
    [',51.4545', 'latitude and a longitude'],
    ['1,2,3', 'latitude and a longitude'],
    ['51,4545 -2,5879', 'latitude and a longitude'],
    ['51 27 16 2 35 16', 'latitude and a longitude'],
    ['51N 2N', 'latitude and a longitude'],
    ['51N -2W', 'latitude and a longitude'],
    [`51°60'N 2°0'W`, 'latitude and a longitude'],
    [`51.5°30'N 2°0'W`, 'latitude and a longitude'],
    [`51'27°N 2°0'W`, 'latitude and a longitude'],
    ['geo:51.45', 'geo: URI'],
    ['geo:91,0', 'latitude from'],
    ['geo:51.45,-2.58;crs=nad83', 'geo: URI'],
    ['geo:51.45,-2.58;u=-1', 'geo: URI'],
    ['geo:1e1,0', 'geo: URI'],
    ['geo: 51.45,-2.58', 'geo: URI'],
    ['Nowhere at all', 'known place'],
    ['1'.repeat(10_000), 'at most 200 characters'],
    ['x'.repeat(10_000), 'at most 200 characters'],
  ])('%j is refused', (text, problem) => {
    expect(parseLocation(text)).toEqual({ problem: expect.stringContaining(problem) });
  });

  test('A name says which place it was taken for, and how many others there are', () => {
    expect(parseLocation('Bristol')).toMatchObject({
      latitude: expect.closeTo(51.455, 2),
      longitude: expect.closeTo(-2.597, 2),
      place: { name: 'Bristol', country: 'GB', others: 4 },
    });
    expect(parseLocation('Bristol, GB')).toMatchObject({ place: { name: 'Bristol', country: 'GB', others: 0 } });
  });

  test('Letters that could be points of the compass are still a name', () => {
    expect(parseLocation('Essen')).toMatchObject({ place: { name: 'Essen', country: 'DE' } });
  });
});

const latitude = fc.double({ min: -90, max: 90, noNaN: true });
const longitude = fc.double({ min: -180, max: 180, noNaN: true });
const numberish = fc.string({ unit: fc.constantFrom(...`0123456789.,+- °'"NSEWe′″geo:;=u`), maxLength: 60 });

describe('any text', () => {
  test('gives coordinates in range or a problem, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter, maxLength: 250 }), numberish), (text) => {
        const found = parseLocation(text);
        if ('problem' in found) return typeof found.problem === 'string';
        return Math.abs(found.latitude) <= 90 && Math.abs(found.longitude) <= 180;
      }),
      { numRuns: rounds(2000) },
    );
  });

  test('that is a pair of printed numbers gives them back', () => {
    fc.assert(
      fc.property(latitude, longitude, fc.constantFrom(',', ', ', ' ', '\t'), (north, east, between) => {
        // Numbers that print with an exponent of three digits or more mean nothing on a globe, but still parse.
        expect(parseLocation(`${north}${between}${east}`)).toEqual({ latitude: north + 0, longitude: east + 0 });
      }),
    );
  });

  test('that is degrees, minutes and seconds gives the same place', () => {
    const angle = (max: number) => fc.integer({ min: 0, max: max * 3600 });
    const text = (size: number) => `${Math.floor(size / 3600)}°${Math.floor(size / 60) % 60}′${size % 60}″`;
    fc.assert(
      fc.property(angle(90), fc.constantFrom('N', 'S'), angle(180), fc.constantFrom('E', 'W'), (a, ns, b, ew) => {
        expect(parseLocation(`${text(a)}${ns} ${text(b)}${ew}`)).toEqual({
          latitude: expect.closeTo((ns === 'S' ? -a : a) / 3600, 9),
          longitude: expect.closeTo((ew === 'W' ? -b : b) / 3600, 9),
        });
      }),
    );
  });
});

test.each([
  ['Clifton, Bristol', 'Bristol', 'GB'],
  ['Clifton, Bristol, UK', 'Bristol', 'GB'],
  ['Hotwells Road, Clifton, Bristol', 'Bristol', 'GB'],
  ['A quarter that is not known, Berlin', 'Berlin', 'DE'],
])('%j is read as the city, which is said', (text, name, country) => {
  expect(parseLocation(text)).toMatchObject({ place: { name, country } });
});
