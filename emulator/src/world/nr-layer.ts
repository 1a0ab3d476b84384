// 5G in the world: which paths devices have to cells, who serves them, and how well.
import { atan, degrees, fromDb, toDb } from '@weft/contract/exact-math';
import {
  antennaDb,
  ceilingPatternDb,
  losProbability,
  type NrScenario,
  noisePerElementDbm,
  nrFrequencyGhz,
  nrRsrqDb,
  nrSinr,
  pathLossDb,
  resourceElementDbm,
  terrains,
  utHeightM,
  verticalPatternDb,
  wallLossDb,
} from '../radio/nr.ts';
import { carrierPrbs, cqiOf, nrRateBps, nrUplinkBps } from '../radio/nr-cqi.ts';
import { activityOf } from '../radio/nr-power.ts';
import { sightAt } from '../radio/sight-field.ts';
import { fading, fadingDeviationDb } from './fading.ts';
import { farFieldMw } from './far-field.ts';
import { jammerDuty, nrJamMw } from './jammers.ts';
import { slotOf } from './link-table.ts';
import { gainOfLossDb, type LinkModel, shadowOf, squaredM, strongestOf, traced } from './links.ts';
import { accessPointTypes } from './world-spec.ts';
import type { WorldState } from './world-state.ts';

const wavelengthM = 0.299792458 / nrFrequencyGhz;
export const nrNoiseMw = fromDb(noisePerElementDbm(30, 9));
/** What a device sends, spread over the uplink, and what a cell adds to the noise. */
const deviceMw = fromDb(resourceElementDbm(23, carrierPrbs));
const cellNoiseMw = fromDb(noisePerElementDbm(30, 5));
/** Between an office and the street. */
const streetWallDb = wallLossDb('low', nrFrequencyGhz);
/** TR 38.901 table 7.5-6, 3.5 GHz, without a line of sight; with one, half of the variation. */
const delaySpreadS: Record<NrScenario, number> = { UMa: 365e-9, UMi: 103e-9, InH: 39e-9 };
const carrierHz = 98.28e6;
const fadingDb = {
  UMa: fadingDeviationDb(carrierHz, delaySpreadS.UMa),
  UMi: fadingDeviationDb(carrierHz, delaySpreadS.UMi),
  InH: fadingDeviationDb(carrierHz, delaySpreadS.InH),
};

const enterDbm = -122;
const enterMw = fromDb(enterDbm);
export const nrStayMw = fromDb(-125);
/** Below this a link breaks, and a hand-over fails (TS 38.133: out of synchronisation). */
export const brokenSinr = fromDb(-8);
const nr = accessPointTypes.indexOf('5G');

export const nrLinks: LinkModel = {
  slots: 8,
  candidates: 20,
  rangeM: 1200,
  searchAfterM: 10,
  canHear: () => true,
  trace(state, device, ap, slot) {
    const { seed, accessPoints, devices, cells, nr: layer } = state;
    const { scenario } = accessPoints[ap]!;
    const { decorrelationM, shadowDb } = terrains[scenario];
    const distance2 = squaredM(state, device, ap);
    const hadSight = slot >= 0 && layer.links.hasSight[slot] === 1;
    const shadow = shadowOf(state, layer.links, device, ap, slot, hadSight ? decorrelationM.los : decorrelationM.nlos);
    const hasSight = nrHasSight(seed, scenario, ap, devices.x[device]!, devices.y[device]!, distance2);
    const isIndoor = devices.isIndoor[device] === 1;
    // A cell inside a building has no facade between itself and those inside, and one between itself and the street.
    const wallDb = scenario !== 'InH' ? devices.wallDb[device]! : isIndoor ? 0 : streetWallDb + devices.wallDb[device]!;
    const deviationDb = hasSight ? shadowDb.los : shadowDb.nlos;
    const pathDb = nrLossDb(scenario, distance2, hasSight, cells.shape[ap]!);
    traced[0] = gainOfLossDb(pathDb + wallDb + shadow * deviationDb);
    traced[1] = shadow;
    traced[2] = hasSight ? 1 : 0;
  },
};

/** Whether a place sees a cell. */
export function nrHasSight(
  seed: number,
  scenario: NrScenario,
  ap: number,
  x: number,
  y: number,
  distance2: number,
): boolean {
  const likely = losProbability(scenario, Math.sqrt(distance2));
  return likely === 1 || sightAt(seed, ap, terrains[scenario].sightCorrelationM, x, y) < likely;
}

/** Path and antenna together, without walls and shadows. */
export function nrLossDb(
  scenario: NrScenario,
  distance2: number,
  isLineOfSight: boolean,
  tiltDegrees: number,
  heightM = utHeightM,
): number {
  const drop = terrains[scenario].bsHeightM - heightM;
  const distance2dM = Math.sqrt(distance2);
  const distance3dM = Math.sqrt(distance2 + drop * drop);
  const pathDb = pathLossDb(scenario, isLineOfSight, distance2dM, distance3dM, nrFrequencyGhz, heightM);
  const depression = degrees(atan(drop / Math.max(0.1, distance2dM)));
  const beamDb = scenario === 'InH' ? ceilingPatternDb(depression) : verticalPatternDb(depression, tiltDegrees);
  return pathDb - antennaDb[scenario] - beamDb;
}

/**
 * The cell that should serve the device now, given the one that does (or -1); -1 if it hears none well enough. Another cell
 * must have been better by the margin of the serving one for its time to trigger.
 */
export function chooseCell(state: WorldState, device: number, serving: number): number {
  const { accessPoints, devices } = state;
  const { best, bestMw, servingMw } = strongestOf(state, state.nr.links, device, serving);
  if (servingMw > nrStayMw) {
    const { handover_margin_db, time_to_trigger_s } = accessPoints[serving]!.actual;
    const isBetter = bestMw > servingMw * fromDb(handover_margin_db);
    devices.betterSteps[device] = isBetter ? devices.betterSteps[device]! + 1 : 0;
    if (devices.betterSteps[device]! <= time_to_trigger_s) return serving;
  }
  devices.betterSteps[device] = 0;
  return bestMw > enterMw ? best : -1;
}

interface Reception {
  signalMw: number;
  interferenceMw: number;
  noiseMw: number;
}

const reception: Reception = { signalMw: 0, interferenceMw: 0, noiseMw: 0 };

/** What the device hears of the cell and of all others, per resource element; the same object each time. */
function receive(state: WorldState, device: number, ap: number): Reception {
  const { cells, devices, jammers, nrActivity, nr: layer } = state;
  const { links } = layer;
  const from = device * links.slots;
  let signalMw = 0;
  let interferenceMw = 0;
  for (let slot = from; slot < from + links.slots; slot++) {
    const other = links.ap[slot]!;
    if (other < 0) break;
    if (cells.isOnAir[other] === 0) continue;
    const mw = cells.power[other]! * links.gain[slot]!;
    if (other === ap) signalMw = mw;
    else interferenceMw += mw * activityOf(cells.load[other]!);
  }
  const [x, y] = [devices.x[device]!, devices.y[device]!];
  const far = links.rest[device]! + devices.wallGain[device]! * farFieldMw(state, x, y, nrLinks.candidates);
  reception.signalMw = signalMw;
  reception.interferenceMw = interferenceMw + far * nrActivity;
  reception.noiseMw = nrNoiseMw;
  if (jammers.length > 0) reception.noiseMw += jammerDuty * devices.wallGain[device]! * nrJamMw(jammers, nr, x, y);
  return reception;
}

/** Measures the device's link to its cell, counts it, and returns what the whole cell would give it, in bit/s. */
export function measureNr(state: WorldState, device: number, serving: number): number {
  const { chance, step, accessPoints, cells, devices, tallies, nr: layer } = state;
  const heard = receive(state, device, serving);
  if (heard.signalMw === 0) return 0;
  const { scenario } = accessPoints[serving]!;
  const slot = slotOf(layer.links, device, serving);
  const deviationDb = fadingDb[scenario] * (layer.links.hasSight[slot] === 1 ? 0.5 : 1);
  const fade = fromDb(deviationDb * fading(chance, device, serving, step, devices.movedM[device]!, wavelengthM));
  const signalMw = heard.signalMw * fade;
  const sinr = nrSinr(signalMw, heard.interferenceMw, heard.noiseMw);
  devices.weakSteps[device] = sinr < brokenSinr ? devices.weakSteps[device]! + 1 : 0;
  const rate = nrRateBps(sinr);
  devices.signal[device] = Math.max(-156, Math.min(-31, toDb(signalMw)));
  devices.qualityDb[device] = Math.max(-23, Math.min(40, toDb(sinr)));
  tallies.withSignal[serving]! += 1;
  tallies.signal[serving]! += devices.signal[device]!;
  tallies.ratio[serving]! += nrRsrqDb(signalMw, cells.load[serving]!, heard.interferenceMw, heard.noiseMw);
  tallies.quality[serving]! += devices.qualityDb[device]!;
  tallies.code[serving]! += cqiOf(sinr);
  tallies.rateMbps[serving]! += rate / 1e6;
  // The same path in the other direction; what other devices send is not counted.
  devices.upRateBps[device] = nrUplinkBps((deviceMw * signalMw) / cells.power[serving]! / cellNoiseMw);
  return rate;
}

/** SINR that the device would have at a cell now, without small-scale variation. */
export function nrSinrAt(state: WorldState, device: number, ap: number): number {
  const { signalMw, interferenceMw, noiseMw } = receive(state, device, ap);
  return nrSinr(signalMw, interferenceMw, noiseMw);
}

/** Whether the device could use this cell if it were told to. */
export function canUseCell({ cells, nr: { links } }: WorldState, device: number, ap: number): boolean {
  const slot = slotOf(links, device, ap);
  return slot >= 0 && cells.isOpen[ap] === 1 && cells.power[ap]! * links.gain[slot]! > nrStayMw;
}

/** Why the cell would be of no use to the device, in what it hears there; undefined if it would be. */
export function nrProblem(state: WorldState, device: number, ap: number): string | undefined {
  const { signalMw, interferenceMw, noiseMw } = receive(state, device, ap);
  if (signalMw === 0) return 'does not hear it';
  const sinr = nrSinr(signalMw, interferenceMw, noiseMw);
  if (signalMw > enterMw && nrRateBps(sinr) > 0) return undefined;
  const [rsrp, quality] = [toDb(signalMw).toFixed(1), toDb(sinr).toFixed(1)];
  return `hears it at ${rsrp} dBm with an SINR of ${quality} dB and needs ${enterDbm} dBm and -8 dB`;
}
