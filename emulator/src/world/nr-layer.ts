// 5G in the world: which paths devices have to cells, who serves them, and how well.
import { atan, degrees, fromDb, toDb } from '../exact-math.ts';
import {
  losProbability,
  noisePerElementDbm,
  nrPathLossDb,
  nrRsrqDb,
  nrSinr,
  terrains,
  utHeightM,
  verticalPatternDb,
} from '../radio/nr.ts';
import { carrierPrbs, cqiOf, spectralEfficiencies, throughputBps } from '../radio/nr-cqi.ts';
import { streams, uniform } from '../randomness.ts';
import { slotOf } from './link-table.ts';
import { gainOfLossDb, type LinkModel } from './links.ts';
import type { WorldState } from './world-state.ts';

const frequencyGhz = 3.5;
const antennaDb = 8;
const noiseMw = fromDb(noisePerElementDbm(30, 9));
/** Cells that carry nothing still send their reference signals. */
const idleActivity = 0.05;
/** From this quality on, two layers can be told apart. */
const secondLayerSinr = fromDb(10);
const rates = [1, 2].map((layers) =>
  spectralEfficiencies.map((efficiency) => throughputBps(carrierPrbs, efficiency, layers)),
);

const enterMw = fromDb(-122);
const stayMw = fromDb(-125);
const hysteresis = fromDb(3);

export const nrLinks: LinkModel = {
  slots: 8,
  candidates: 20,
  rangeM: 1200,
  searchAfterM: 10,
  canHear: () => true,
  hasSight({ seed, accessPoints, devices }, device, ap, distance2) {
    const { scenario } = accessPoints[ap]!;
    const patchM = terrains[scenario].sightPatchM;
    const column = Math.floor(devices.x[device]! / patchM);
    const row = Math.floor(devices.y[device]! / patchM);
    const u = uniform(seed, streams.sight, ap, Math.imul(column, 0x9e3779b1) ^ row);
    return u < losProbability(scenario, Math.sqrt(distance2));
  },
  decorrelationM({ accessPoints }, ap, hasSight) {
    const { los, nlos } = terrains[accessPoints[ap]!.scenario].decorrelationM;
    return hasSight ? los : nlos;
  },
  gain({ accessPoints, devices, cells }, device, ap, distance2, isLineOfSight, shadow) {
    const { scenario } = accessPoints[ap]!;
    const { bsHeightM, shadowDb } = terrains[scenario];
    const drop = bsHeightM - utHeightM;
    const distance2dM = Math.sqrt(distance2);
    const distance3dM = Math.sqrt(distance2 + drop * drop);
    const pathDb = nrPathLossDb({ scenario, isLineOfSight, distance2dM, distance3dM, frequencyGhz });
    const depression = degrees(atan(drop / Math.max(1, distance2dM)));
    const beamDb = antennaDb + verticalPatternDb(depression, cells.shape[ap]!);
    // A cell inside a building has no facade between itself and those inside.
    const wallDb = scenario === 'InH' ? 0 : devices.wallDb[device]!;
    return gainOfLossDb(pathDb + wallDb + shadow * (isLineOfSight ? shadowDb.los : shadowDb.nlos) - beamDb);
  },
};

/**
 * The cell that should serve the device now, given the one that does (or -1); -1 if it hears none well enough. Another cell
 * must be better in two seconds running: shadows come and go.
 */
export function chooseCell(state: WorldState, device: number, serving: number): number {
  const { cells, devices } = state;
  const { links } = state.nr;
  const from = device * links.slots;
  let best = -1;
  let bestMw = 0;
  let servingMw = 0;
  for (let slot = from; slot < from + links.slots; slot++) {
    const ap = links.ap[slot]!;
    if (ap < 0) break;
    if (cells.isOpen[ap] === 0) continue;
    const mw = cells.power[ap]! * links.gain[slot]!;
    if (ap === serving) servingMw = mw;
    if (mw > bestMw) {
      best = ap;
      bestMw = mw;
    }
  }
  const isBetter = bestMw >= servingMw * hysteresis;
  const hasLasted = isBetter && devices.contender[device] === best;
  devices.contender[device] = isBetter ? best : -1;
  if (servingMw > stayMw && !hasLasted) return serving;
  return bestMw > enterMw ? best : -1;
}

/** Measures the device's link to its cell, counts it, and returns what the whole cell would give it, in bit/s. */
export function measureNr({ cells, tallies, nr: { links } }: WorldState, device: number, serving: number): number {
  const from = device * links.slots;
  let signalMw = 0;
  let interferenceMw = 0;
  for (let slot = from; slot < from + links.slots; slot++) {
    const ap = links.ap[slot]!;
    if (ap < 0) break;
    if (cells.isOnAir[ap] === 0) continue;
    const mw = cells.power[ap]! * links.gain[slot]!;
    if (ap === serving) signalMw = mw;
    else interferenceMw += mw * (idleActivity + (1 - idleActivity) * cells.load[ap]!);
  }
  if (signalMw === 0) return 0;
  const noise = noiseMw * cells.noiseFactor[serving]!;
  const sinr = nrSinr(signalMw, interferenceMw, noise);
  const cqi = cqiOf(sinr);
  const rate = rates[sinr >= secondLayerSinr ? 1 : 0]![cqi]!;
  tallies.withSignal[serving]! += 1;
  tallies.signal[serving]! += Math.max(-156, Math.min(-31, toDb(signalMw)));
  tallies.ratio[serving]! += nrRsrqDb(signalMw, cells.load[serving]!, interferenceMw, noise);
  tallies.quality[serving]! += Math.max(-23, Math.min(40, toDb(sinr)));
  tallies.code[serving]! += cqi;
  tallies.rateMbps[serving]! += rate / 1e6;
  return rate;
}

/** Whether the device could use this cell if it were told to. */
export function canUseCell({ cells, nr: { links } }: WorldState, device: number, ap: number): boolean {
  const slot = slotOf(links, device, ap);
  return slot >= 0 && cells.isOpen[ap] === 1 && cells.power[ap]! * links.gain[slot]! > stayMw;
}
