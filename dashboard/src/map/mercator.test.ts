// Places there and back, and what a pixel is worth.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { metresPerPixel, roundStep, toGeo, toWorld, worldPerMetre, worldSize } from './mercator.ts';

it('a place goes onto the flat world and back', () => {
  const latitude = fc.double({ min: -85, max: 85, noNaN: true });
  const longitude = fc.double({ min: -180, max: 180, noNaN: true });
  fc.assert(
    fc.property(latitude, longitude, (north, east) => {
      const back = toGeo(toWorld({ latitude: north, longitude: east }));
      expect(back.latitude).toBeCloseTo(north, 8);
      expect(back.longitude).toBeCloseTo(east, 8);
    }),
  );
});

it('what lies beyond the flat world is put on its edge', () => {
  expect(toWorld({ latitude: 90, longitude: 180 }).y).toBeCloseTo(0, 6);
  expect(toWorld({ latitude: -90, longitude: -180 })).toEqual({ x: 0, y: expect.closeTo(1, 6) });
});

it('three metres in Bristol are 32 pixels at zoom 20', () => {
  expect(3 / metresPerPixel(51.4552, 20)).toBeCloseTo(32.2, 1);
  expect(3 * worldPerMetre(51.4552) * worldSize(20)).toBeCloseTo(32.2, 1);
});

it.each([
  [0.7, 1],
  [1, 1],
  [1.2, 2],
  [3, 5],
  [7, 10],
  [430, 500],
  [0.013, 0.02],
])('a step of at least %d is %d', (least, step) => {
  expect(roundStep(least)).toBeCloseTo(step, 10);
});
