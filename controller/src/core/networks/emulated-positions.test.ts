// Access points stand where they were asked for, and around it as close as is usual for their kind.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Location } from './coordinates.ts';
import { emulatedPositions } from './emulated-positions.ts';

const bristol = { latitude: 51.4545, longitude: -2.5879 };
const lisbon = { latitude: 38.7167, longitude: -9.1333 };
const types = ['5G', 'WiFi', 'LiFi'] as const;
const spacingsM = { '5G': 300, WiFi: 20, LiFi: 2.75 };

function distanceM(a: Location, b: Location): number {
  const radians = Math.PI / 180;
  const half = (degrees: number) => Math.sin((degrees * radians) / 2) ** 2;
  const across = Math.cos(a.latitude * radians) * Math.cos(b.latitude * radians);
  const chord = half(b.latitude - a.latitude) + across * half(b.longitude - a.longitude);
  return 2 * ((111_320 * 180) / Math.PI) * Math.asin(Math.sqrt(chord));
}

const nearest = (all: Location[], n: number) =>
  Math.min(...all.filter((_, other) => other !== n).map((other) => distanceM(all[n]!, other)));

describe('I15 fewer places than access points', () => {
  test('are shared out in turn, the first of each exactly there', () => {
    const found = emulatedPositions([bristol, lisbon], 5, '5G');
    expect(found.slice(0, 2)).toEqual([bristol, lisbon]);
    expect(found.map((at) => (distanceM(at, bristol) < 1000 ? 'Bristol' : 'Lisbon'))).toEqual([
      'Bristol',
      'Lisbon',
      'Bristol',
      'Lisbon',
      'Bristol',
    ]);
  });

  test('a place named twice is one place', () => {
    const found = emulatedPositions([bristol, { ...bristol }], 4, 'WiFi');
    expect(new Set(found.map((at) => JSON.stringify(at))).size).toBe(4);
    expect(found).toEqual(emulatedPositions([bristol], 4, 'WiFi'));
  });
});

test('I15 more places than access points: the rest is not used', () => {
  expect(emulatedPositions([bristol, lisbon], 1, 'LiFi')).toEqual([bristol]);
});

describe.each(types)('%s', (type) => {
  test('neighbours are as far apart as is usual, all of them', () => {
    const found = emulatedPositions([bristol], 200, type);
    // A centimetre is what rounding takes.
    for (let n = 0; n < found.length; n++) {
      expect(Math.abs(nearest(found, n) - spacingsM[type])).toBeLessThan(0.02 + spacingsM[type] * 1e-3);
    }
  });

  test('n of them fill a compact area', () => {
    const found = emulatedPositions([bristol], 1000, type);
    const furthest = Math.max(...found.map((at) => distanceM(at, bristol)));
    expect(furthest).toBeLessThan(spacingsM[type] * 16 * Math.SQRT2 + 1);
  });

  test('coordinates are valid and different anywhere on the globe, and always the same', () => {
    const anywhere = fc.record({
      latitude: fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(90, -90, 89.9999, -89.9999)),
      longitude: fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(180, -180, 179.9999)),
    });
    fc.assert(
      fc.property(anywhere, fc.integer({ min: 1, max: 60 }), (place, count) => {
        const found = emulatedPositions([place], count, type);
        expect(found).toHaveLength(count);
        expect(found).toEqual(emulatedPositions([place], count, type));
        for (const at of found) {
          expect(Math.abs(at.latitude)).toBeLessThanOrEqual(90);
          expect(Math.abs(at.longitude)).toBeLessThanOrEqual(180);
          expect(distanceM(at, place)).toBeLessThan(spacingsM[type] * 8);
          expect(at.latitude).toBe(Number(at.latitude.toFixed(7)));
        }
        expect(new Set(found.map((at) => JSON.stringify(at))).size).toBe(count);
      }),
    );
  });
});

test('cells of an office stand 20 m apart, on a grid; a scenario changes nothing else', () => {
  const found = emulatedPositions([bristol], 49, '5G', 'InH');
  for (let n = 0; n < found.length; n++) expect(Math.abs(nearest(found, n) - 20)).toBeLessThan(0.04);
  expect(emulatedPositions([bristol], 49, '5G', 'UMa')).toEqual(emulatedPositions([bristol], 49, '5G'));
  expect(emulatedPositions([bristol], 9, 'LiFi', 'InH')).toEqual(emulatedPositions([bristol], 9, 'LiFi'));
  expect(() => emulatedPositions([bristol], 1, 'InH')).toThrow(RangeError);
});

/** Whoever places access points in another way on purpose puts the new hash here; it is the same on every machine. */
const committed = 'b9a93a0c51a96fa87b228c0159a243b19afe4d725c9f804c7b953664d1ab8380';

test('positions are the ones they have always been, to the last digit', () => {
  const places = [
    bristol,
    lisbon,
    { latitude: -33.8688, longitude: 151.2093 },
    { latitude: 71.0, longitude: -179.9999 },
  ];
  const networks = [
    ...types.map((type) => emulatedPositions(places, 600, type)),
    emulatedPositions(places, 200, '5G', 'InH'),
    emulatedPositions([{ latitude: 90, longitude: 0 }], 100, '5G'),
    emulatedPositions([{ latitude: 0, longitude: 0 }], 100, 'LiFi'),
  ];
  expect(createHash('sha256').update(JSON.stringify(networks)).digest('hex')).toBe(committed);
});
