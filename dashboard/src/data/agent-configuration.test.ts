// Configurations are free-form: whatever stands there, the dashboard goes on.
import { describe, expect, it } from 'vitest';
import { geolocationOf, technologyOf } from './agent-configuration.ts';

describe('the place of an agent', () => {
  it.each([
    { latitude: 51.45, longitude: -2.58 },
    { lat: 51.45, long: -2.58 },
    { lat: '51.45', lon: '-2.58' },
    { lat: 51.45, lng: -2.58 },
  ])('is read from %j', (geolocation) => {
    expect(geolocationOf({ geolocation })).toEqual({ latitude: 51.45, longitude: -2.58 });
  });

  it.each([undefined, null, 'Bristol', {}, { lat: 91, lon: 0 }, { lat: 1 }, { lat: '', lon: 1 }, { lat: [], lon: 1 }])(
    'is unknown with %j',
    (geolocation) => {
      expect(geolocationOf({ geolocation })).toBeUndefined();
    },
  );
});

it('the technology is read however it is spelled, and unknown for anything else', () => {
  expect(['5G', '5g', 'WiFi', 'Wi-Fi', 'LIFI'].map((access_point_type) => technologyOf({ access_point_type }))).toEqual(
    ['5G', '5G', 'WiFi', 'WiFi', 'LiFi'],
  );
  expect([undefined, 3, '<b>', 'constructor'].map((told) => technologyOf({ access_point_type: told }))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
