import { expect, test } from 'vitest';
import { boundsToAsk, extentOf, isTooFar, networkInView, sidesOf, technologyInView } from './radio-view.ts';

const at = (ap_id: string, latitude: number, longitude: number) => ({
  ap_id,
  technology: '5G' as const,
  geolocation: { latitude, longitude },
});
const job = '9b2f6c1e-6f0a-4a53-8f37-0c0d1f6f2a11';
const other = '1c7d0a42-38e5-4c1b-9a60-5f2b7e9d3c88';
const agents = [
  at('emu-5g-9b2f6c1e-1', 51.45, -2.6),
  at('emu-5g-9b2f6c1e-2', 51.46, -2.59),
  at('emu-5g-1c7d0a42-1', 40, 10),
];

test('the network of the layer is that in view, the chosen one first, unless none is', () => {
  const runs = [{ job_number: other }, { job_number: job }];
  const bristol = { south: 51, west: -3, north: 52, east: -2 };
  expect(networkInView(runs, agents, bristol)).toBe(runs[1]);
  expect(networkInView(runs, agents, { south: 0, west: 0, north: 1, east: 1 })).toBe(runs[0]);
  expect(networkInView(runs, agents, undefined)).toBe(runs[0]);
  expect(networkInView([], agents, bristol)).toBeUndefined();
  expect(networkInView(runs, agents, bristol, other)).toBe(runs[1]);
  expect(networkInView(runs, agents, { south: 30, west: -10, north: 60, east: 20 }, other)).toBe(runs[0]);
  expect(networkInView(runs, agents, { south: 0, west: 0, north: 1, east: 1 }, job)).toBe(runs[1]);
  expect(networkInView(runs, agents, undefined, job)).toBe(runs[1]);
});

test('the technology of the layer is the first that is in view', () => {
  const lamps = [1, 2, 3].map((n) => ({ ...at(`emu-lifi-9b2f6c1e-${n}`, 51.44, -2.6), technology: 'LiFi' as const }));
  const all = [...agents, ...lamps];
  expect(technologyInView(['5G', 'LiFi'], all, { south: 51.43, west: -2.61, north: 51.445, east: -2.59 }, job)).toBe(
    'LiFi',
  );
  expect(technologyInView(['5G', 'LiFi'], all, { south: 51, west: -3, north: 52, east: -2 }, job)).toBe('5G');
  expect(technologyInView(['5G', 'LiFi'], all, undefined, job)).toBe('5G');
});

test('the extent is that of the access points of the network and the technology', () => {
  const extent = extentOf(agents, job, '5G')!;
  expect(extent.south).toBeCloseTo(51.4446, 3);
  expect(extent.north).toBeCloseTo(51.4654, 3);
  expect(extent.west).toBeLessThan(-2.6);
  expect(extentOf(agents, job, 'LiFi')).toBeUndefined();
});

test('small moves and zooms ask for nothing new; going far or close does', () => {
  const extent = { south: 0, west: 0, north: 10, east: 10 };
  const view = { south: 4, west: 4, north: 6, east: 6 };
  const first = boundsToAsk(view, extent, undefined)!;
  expect(first).toEqual({ south: 3.3, west: 3.3, north: 6.7, east: 6.7 });
  expect(boundsToAsk({ south: 4.5, west: 4.5, north: 6.5, east: 6.5 }, extent, first)).toBe(first);
  expect(boundsToAsk({ south: 6, west: 6, north: 8, east: 8 }, extent, first)).not.toBe(first);
  expect(boundsToAsk({ south: 5, west: 5, north: 5.5, east: 5.5 }, extent, first)).not.toBe(first);
  expect(boundsToAsk({ south: 20, west: 5, north: 25, east: 5.5 }, extent, first)).toBeUndefined();
  expect(boundsToAsk({ south: -20, west: -20, north: 25, east: 25 }, extent, undefined)).toEqual(extent);
});

test('cells are too small where several cities are in view, and are seen where one is', () => {
  const cities = { south: 51.3, west: -2.7, north: 53.6, east: 0.1 };
  const city = { south: 51.42, west: -2.65, north: 51.5, east: -2.52 };
  expect([isTooFar(cities, '5G'), isTooFar(cities, 'WiFi'), isTooFar(city, '5G'), isTooFar(city, 'WiFi')]).toEqual([
    ...[true, true, false, false],
  ]);
});

test('points are about as high as wide', () => {
  expect(sidesOf({ south: 0, west: 0, north: 1, east: 2 })).toEqual({ columns: 192, rows: 96 });
  expect(sidesOf({ south: 60, west: 0, north: 61, east: 2 }).columns).toBeGreaterThan(180);
  expect(sidesOf({ south: 0, west: 0, north: 1, east: 0.001 })).toEqual({ columns: 8, rows: 192 });
});
