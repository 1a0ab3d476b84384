// Devices dropped around one cell among many, as the calibration of TR 38.901 wants it: their coupling loss to the best cell,
// and their SINR while all cells send all the time.

import { cos, fromDb, sin, toDb } from '@weft/contract/exact-math';
import { createWorld, restoreWorld } from '@weft/emulator';
import { type NrScenario, noisePerElementDbm, wallDeviationDb, wallLossDb } from '../../../emulator/src/radio/nr.ts';
import { nrRateBps } from '../../../emulator/src/radio/nr-cqi.ts';
import { normal, streams, uniform } from '../../../emulator/src/randomness.ts';
import { kinds } from '../../../emulator/src/world/devices.ts';
import { nrSinrAt } from '../../../emulator/src/world/nr-layer.ts';
import type { WorldState } from '../../../emulator/src/world/world-state.ts';

export interface Drop {
  couplingLossDb: number[];
  geometryDb: number[];
  /** Of the whole cell if the device had all of it, per hertz and second of downlink. */
  efficiency: number[];
}

interface Site {
  x: number;
  y: number;
}

const metresPerDegree = 111_320;
const drops = 8;
const devicesPerDrop = 250;
const indoorShare = 0.8;
const carrierHz = 100e6;
const downlinkShare = 0.75;

export const layouts: Record<NrScenario, { spacingM: number; leastM: number; sites: Site[] }> = {
  UMa: { spacingM: 500, leastM: 35, sites: hexagons(500) },
  UMi: { spacingM: 200, leastM: 10, sites: hexagons(200) },
  // TR 38.901 table 7.2-2: two rows of six, 20 m apart, in an office of 120 m x 50 m.
  InH: {
    spacingM: 20,
    leastM: 0,
    sites: Array.from({ length: 12 }, (_, n) => ({ x: 20 * (n % 6), y: 20 * Math.floor(n / 6) })),
  },
};

const known = new Map<NrScenario, Drop>();

export function dropIn(scenario: NrScenario): Drop {
  let drop = known.get(scenario);
  if (!drop) {
    drop = { couplingLossDb: [], geometryDb: [], efficiency: [] };
    for (let seed = 1; seed <= drops; seed++) measure(settled(scenario, seed), drop);
    known.set(scenario, drop);
  }
  return drop;
}

/** A world whose devices all sit around the first site (outdoors) or all over the office, one second old. */
function settled(scenario: NrScenario, seed: number): WorldState {
  const { sites, spacingM, leastM } = layouts[scenario];
  const world = createWorld({
    seed,
    startMs: Date.UTC(2026, 0, 7, 10),
    accessPoints: sites.map(({ x, y }, n) => ({
      ap_id: `cell-${n}`,
      type: '5G',
      latitude: y / metresPerDegree,
      longitude: x / metresPerDegree,
      devices: n === 0 ? devicesPerDrop : 0,
      scenario,
    })),
  });
  const state = world.snapshot();
  const { devices, cells } = state;
  const draw = (device: number, n: number) => uniform(seed, streams.place, device, n);
  for (let device = 0; device < devices.count; device++) {
    devices.kind[device] = kinds.seated;
    if (scenario === 'InH') {
      devices.x[device] = cells.x[0]! - 10 + 120 * draw(device, 1);
      devices.y[device] = cells.y[0]! - 15 + 50 * draw(device, 2);
      continue;
    }
    // A circle as large as the site's hexagon, without what is too near.
    const most = spacingM * 0.525;
    const radius = Math.sqrt(leastM * leastM + (most * most - leastM * leastM) * draw(device, 1));
    const angle = 2 * Math.PI * draw(device, 2);
    devices.x[device] = cells.x[0]! + radius * cos(angle);
    devices.y[device] = cells.y[0]! + radius * sin(angle);
    const isIndoor = draw(device, 3) < indoorShare;
    const facade = draw(device, 4) < 0.85 ? 'low' : 'high';
    const depthM = 25 * Math.min(draw(device, 5), draw(device, 6));
    const spreadDb = wallDeviationDb[facade] * normal(seed, streams.wallSpread, device, 1);
    devices.isIndoor[device] = isIndoor ? 1 : 0;
    devices.wallDb[device] = isIndoor ? Math.max(0, wallLossDb(facade, 3.5, depthM) + spreadDb) : 0;
    devices.wallGain[device] = fromDb(-devices.wallDb[device]!);
  }
  const placed = restoreWorld(state);
  placed.step();
  return placed.snapshot();
}

function measure(state: WorldState, { couplingLossDb, geometryDb, efficiency }: Drop): void {
  const { cells, devices, nr } = state;
  const noiseMw = fromDb(noisePerElementDbm(30, 9));
  cells.load.fill(1);
  state.nrActivity = 1;
  for (let device = 0; device < devices.count; device++) {
    const from = device * nr.links.slots;
    // The loudest at the last search, which was in this second.
    const best = nr.links.ap[from]!;
    const signalMw = cells.power[best]! * nr.links.gain[from]!;
    const sinr = nrSinrAt(state, device, best);
    couplingLossDb.push(-toDb(nr.links.gain[from]!));
    geometryDb.push(toDb(signalMw / (signalMw / sinr - noiseMw)));
    efficiency.push(nrRateBps(sinr) / (carrierHz * downlinkShare));
  }
}

/** Nineteen sites: one in the middle, six and twelve around it. */
function hexagons(spacingM: number): Site[] {
  const sites: Site[] = [];
  for (let q = -2; q <= 2; q++) {
    for (let r = Math.max(-2, -q - 2); r <= Math.min(2, 2 - q); r++) {
      sites.push({ x: spacingM * (q + r / 2), y: (spacingM * r * Math.sqrt(3)) / 2 });
    }
  }
  return sites.sort((a, b) => a.x * a.x + a.y * a.y - b.x * b.x - b.y * b.y);
}
