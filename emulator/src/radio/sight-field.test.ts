import { describe, expect, test } from 'vitest';
import { town } from '../town.ts';
import { nrHasSight } from '../world/nr-layer.ts';
import { createWorld } from '../world/world.ts';
import type { AccessPointSpec } from '../world/world-spec.ts';
import { losProbability, type NrScenario, terrains } from './nr.ts';
import { normalShare, sightAt } from './sight-field.ts';

/** Four cells of an office, 20 m apart. */
function office(seed: number) {
  const spec = town({ counts: { '5G': 4 }, devicesEach: 10, seed: seed * 7919 + 1 });
  const [first] = spec.accessPoints;
  const nearer = (key: 'latitude' | 'longitude', ap: AccessPointSpec) => first![key] + (ap[key] - first![key]) / 15;
  const accessPoints = spec.accessPoints.map((ap) => ({
    ...ap,
    scenario: 'InH' as const,
    latitude: nearer('latitude', ap),
    longitude: nearer('longitude', ap),
  }));
  const world = createWorld({ ...spec, accessPoints });
  world.step();
  return world;
}

const drops = 200;
const uniformAt = (seed: number, x: number, y: number) => sightAt(seed, 3, 50, x, y);

describe('over 200 drops, the share of places that see a cell is the standard’s, within two standard errors', () => {
  const ranges: Record<NrScenario, number[]> = {
    InH: [1, 3, 5, 8, 12, 18, 25, 40],
    UMi: [20, 40, 70, 110, 180],
    UMa: [20, 60, 120, 250, 500],
  };
  test.each(Object.entries(ranges) as [NrScenario, number[]][])('%s', (scenario, distances) => {
    let beyond = 0;
    for (const distance of distances) {
      // Opposite places of one drop are far enough apart; drops are independent.
      let seen = 0;
      for (let seed = 0; seed < drops; seed++) {
        const angle = (2 * Math.PI * ((seed * 7) % 24)) / 24;
        const [x, y] = [distance * Math.cos(angle), distance * Math.sin(angle)];
        if (nrHasSight(seed, scenario, 3, x, y, distance * distance)) seen++;
      }
      const likely = losProbability(scenario, distance);
      const error = Math.sqrt((likely * (1 - likely)) / drops);
      if (Math.abs(seen / drops - likely) > 2 * error + 1e-12) beyond++;
    }
    // Of twenty that are right, one is beyond by chance; here the seeds are what they are.
    expect(beyond).toBe(0);
  });
});

test('devices in 200 offices see their cells as often as the standard says, in every range of distance', () => {
  const edges = [1.2, 3, 5, 7, 10, 15, 20, 25, 30, 40];
  const drops: number[][] = edges.slice(1).map(() => []);
  for (let seed = 0; seed < 200; seed++) {
    const { devices, cells, nr } = office(seed).snapshot();
    const off = drops.map(() => ({ sum: 0, count: 0 }));
    for (let slot = 0; slot < nr.links.ap.length; slot++) {
      const ap = nr.links.ap[slot]!;
      if (ap < 0) continue;
      const device = Math.floor(slot / nr.links.slots);
      const distance = Math.hypot(cells.x[ap]! - devices.x[device]!, cells.y[ap]! - devices.y[device]!);
      const range = off[edges.findIndex((edge) => edge > distance) - 1];
      if (!range) continue;
      range.sum += nr.links.hasSight[slot]! - losProbability('InH', distance);
      range.count++;
    }
    for (const [n, { sum, count }] of off.entries()) if (count > 0) drops[n]!.push(sum / count);
  }
  for (const [n, each] of drops.entries()) {
    const mean = each.reduce((sum, value) => sum + value, 0) / each.length;
    const variance = each.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (each.length - 1);
    expect(Math.abs(mean), `${edges[n]} to ${edges[n + 1]} m`).toBeLessThan(2 * Math.sqrt(variance / each.length));
  }
});

test('the field is even, smooth, and correlated over the distance of the standard', () => {
  const correlation = (lag: number) => {
    let [sum, count] = [0, 0];
    for (let seed = 0; seed < 2500; seed++) {
      const [x, y, angle] = [(seed * 37.3) % 400, (seed * 91.7) % 400, seed];
      const [one, other] = [
        uniformAt(seed, x, y),
        uniformAt(seed, x + lag * Math.cos(angle), y + lag * Math.sin(angle)),
      ];
      sum += (one - 0.5) * (other - 0.5) * 12;
      count++;
    }
    return sum / count;
  };
  expect(correlation(0)).toBeGreaterThan(0.93);
  expect(correlation(0)).toBeLessThan(1.07);
  expect(correlation(5)).toBeGreaterThan(0.9);
  expect(correlation(50)).toBeGreaterThan(0.27);
  expect(correlation(50)).toBeLessThan(0.47);
  expect(Math.abs(correlation(150))).toBeLessThan(0.08);
  // No blocks: a metre changes little, anywhere.
  for (let x = -300; x < 300; x++) expect(Math.abs(uniformAt(9, x, 20) - uniformAt(9, x + 1, 20))).toBeLessThan(0.1);
  expect(terrains.UMi.sightCorrelationM).toBe(50);
});

test('the normal distribution by its known values', () => {
  for (const [deviations, share] of [
    [0, 0.5],
    [1, 0.841345],
    [-1, 0.158655],
    [-1.959964, 0.025],
    [3, 0.99865],
  ] as const) {
    expect(Math.abs(normalShare(deviations) - share)).toBeLessThan(1e-6);
  }
});
