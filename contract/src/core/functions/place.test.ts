// Where an access point is, in the forms that are understood.
import { describe, expect, it } from 'vitest';
import { readPlace } from './place.ts';

describe('the place of an agent', () => {
  it.each([
    { latitude: 51.45, longitude: -2.58 },
    { lat: 51.45, long: -2.58 },
    { lat: '51.45', lon: '-2.58' },
    { lat: 51.45, lng: -2.58 },
  ])('is read from %j', (geolocation) => {
    expect(readPlace({ geolocation })).toEqual({ latitude: 51.45, longitude: -2.58 });
  });

  it.each([undefined, null, 'Bristol', {}, { lat: 91, lon: 0 }, { lat: 1 }, { lat: '', lon: 1 }, { lat: [], lon: 1 }])(
    'is unknown with %j',
    (geolocation) => {
      expect(readPlace({ geolocation })).toBeUndefined();
    },
  );
});
