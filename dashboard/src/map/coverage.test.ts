// How far an access point is said to reach.
import { expect, it } from 'vitest';
import { coverageOf } from './coverage.ts';

it('is what its configuration says, else the default of its type, else unknown', () => {
  expect(coverageOf('LiFi', { coverage_radius_m: 4.5 })).toEqual({ metres: 4.5, isDefault: false });
  expect(coverageOf(undefined, { range_m: '80' })).toEqual({ metres: 80, isDefault: false });
  expect(coverageOf('WiFi', { coverage_radius_m: 'far' })).toEqual({ metres: 30, isDefault: true });
  expect(coverageOf('5G', { coverage_radius_m: -1 })).toEqual({ metres: 250, isDefault: true });
  expect(coverageOf(undefined, {})).toBeUndefined();
});
