// LiFi in the world: which lamps shine on a device, how it is held, who stands in the light, and how well it is served.
import { cos, fromDb, radians, sin, toDb } from '@weft/contract/exact-math';
import {
  beamGain,
  daylightCurrentA,
  diffuseShare,
  shotNoiseA2,
  signalA2,
  thermalNoiseA2,
  usualReceiver,
} from '../radio/lifi.ts';
import { loneGoodputMbps } from '../radio/medium-access.ts';
import { heRateMbps, mcsOfSinr, neededSinrDb } from '../radio/wifi.ts';
import { laplace, normal, streams } from '../randomness.ts';
import { Bodies, lampHeightM } from './bodies.ts';
import { kinds } from './devices.ts';
import { distanceM, jammerDuty } from './jammers.ts';
import { slotOf } from './link-table.ts';
import { type LinkModel, squaredM, traced } from './links.ts';
import { accessPointTypes } from './world-spec.ts';
import type { WorldState } from './world-state.ts';

/** Current of the photodiode from the lamps alone, when it is dark outside. */
const nightCurrentA = daylightCurrentA * 0.05;
export const cosFieldOfView = cos(radians(usualReceiver.fieldOfViewDegrees));
const amplifierA2 = thermalNoiseA2(usualReceiver);
const width = 20;
/** A device comes with a reserve above the lowest MCS, and leaves with less. */
const enterDb = neededSinrDb(0) + 6;
const enterSnr = fromDb(enterDb);
const staySnr = fromDb(neededSinrDb(0) + 2);
const hysteresis = fromDb(3);
/** So long nobody must stand in the light before a device comes back to it. */
const clearForSteps = 3;
/** An infrared uplink, beside the light: half of what the light carries at its best. */
const uplinkBps = 40e6;
const lifi = accessPointTypes.indexOf('LiFi');

/** How people hold their devices, in degrees from upright; seated with long tails, on foot without. */
const holds = {
  seated: { meanDegrees: 41, deviationDegrees: 7.7 },
  moving: { meanDegrees: 30, deviationDegrees: 7.8 },
};
const means = [holds.seated, holds.moving].map(({ meanDegrees }) => ({
  cos: cos(radians(meanDegrees)),
  sin: sin(radians(meanDegrees)),
}));

export const lifiLinks: LinkModel = {
  slots: 4,
  candidates: 8,
  rangeM: 6,
  searchAfterM: 0.7,
  canHear: ({ devices }, device) => devices.isIndoor[device] === 1,
  trace(state, device, ap, slot) {
    traced[0] = lampGain(state.cells.shape[ap]!, squaredM(state, device, ap));
    // Light has no shadows but those that people throw.
    traced[1] = slot < 0 ? normal(state.seed, streams.firstShadow, device, ap) : state.lifi.links.shadow[slot]!;
    traced[2] = 1;
  },
};

/** Share of a lamp's light that arrives at a device that looks straight at it. */
export function lampGain(order: number, distance2: number, belowM = lampHeightM): number {
  const length = Math.sqrt(distance2 + belowM * belowM);
  return beamGain(order, length, belowM / length, usualReceiver);
}

/** Noise current at an access point's devices from all but the signal, given the share of full daylight. */
export function lifiNoiseA2(daylightShare: number): number {
  const background = nightCurrentA + (daylightCurrentA - nightCurrentA) * daylightShare;
  return shotNoiseA2(0, background, usualReceiver) + amplifierA2;
}

const bodies = new Bodies();

/** For every device, which of its lamps somebody hides from it in this second. */
export function findHidden(state: WorldState): void {
  const { devices, lifi: layer } = state;
  const { links } = layer;
  if (layer.grid.squares.size === 0) return;
  bodies.gather(state);
  for (let device = 0; device < devices.count; device++) {
    const from = device * links.slots;
    let hidden = 0;
    for (let slot = 0; slot < links.slots; slot++) {
      const ap = links.ap[from + slot]!;
      if (ap < 0) break;
      if (bodies.cuts(state, device, ap)) hidden |= 1 << slot;
    }
    devices.hidden[device] = hidden;
  }
}

/**
 * The lamp that should serve the device now, given the access point that does (or -1); -1 if none can. Remembers the lamp
 * that would shine on it best, and whether somebody stands in that light.
 */
export function chooseLamp(state: WorldState, device: number, serving: number, noiseA2: Float64Array): number {
  const { cells, devices, lifi: layer } = state;
  const { links } = layer;
  const from = device * links.slots;
  if (links.ap[from]! < 0) return -1;
  const hold = means[devices.kind[device] === kinds.seated ? 0 : 1]!;
  let own = -1;
  let ownSnr = 0;
  let ownIsHidden = false;
  let best = -1;
  let bestSnr = 0;
  let servingSnr = 0;
  for (let slot = from; slot < from + links.slots; slot++) {
    const ap = links.ap[slot]!;
    if (ap < 0) break;
    if (cells.isOpen[ap] === 0) continue;
    const facing = cosAtReceiver(state, device, ap, hold.cos, hold.sin);
    const watts = cells.power[ap]! * links.gain[slot]! * facing;
    const isHidden = ((devices.hidden[device]! >> (slot - from)) & 1) === 1;
    const clear = snrOf(watts, noiseA2[ap]!);
    const snr = isHidden ? snrOf(watts * diffuseShare, noiseA2[ap]!) : clear;
    if (clear > ownSnr) {
      own = ap;
      ownSnr = clear;
      ownIsHidden = isHidden;
    }
    if (ap === serving) servingSnr = snr;
    if (snr > bestSnr) {
      best = ap;
      bestSnr = snr;
    }
  }
  noteBlockage(state, device, ownSnr > staySnr ? own : -1, ownIsHidden);
  if (best < 0) return -1;
  if (servingSnr > staySnr && bestSnr < servingSnr * hysteresis) return serving;
  // Who comes back from elsewhere waits until the light has been free for a while; from lamp to lamp nobody waits.
  const isInLight = serving >= 0 && cells.type[serving] === lifi;
  const hasWaited = isInLight || state.step - devices.clearSinceStep[device]! >= clearForSteps;
  return bestSnr > enterSnr && hasWaited ? best : -1;
}

function noteBlockage({ step, devices, tallies }: WorldState, device: number, lamp: number, isHidden: boolean): void {
  const wasBlocked = devices.isBlocked[device] === 1;
  devices.lamp[device] = lamp;
  devices.isBlocked[device] = lamp >= 0 && isHidden ? 1 : 0;
  if (lamp < 0) return;
  tallies.underLamp[lamp]! += 1;
  if (isHidden) {
    tallies.blocked[lamp]! += 1;
    if (!wasBlocked) tallies.blockages[lamp]! += 1;
  } else if (wasBlocked) devices.clearSinceStep[device] = step;
}

/** The signal's own shot noise counts as well. */
function snrOf(watts: number, noiseA2: number): number {
  return signalA2(watts, usualReceiver) / (noiseA2 + shotNoiseA2(watts, 0, usualReceiver));
}

/** Measures the device's link as it is held in this second, counts it, and returns what all of the air would give it. */
export function measureLifi(state: WorldState, device: number, serving: number, noiseA2: Float64Array): number {
  const { chance, step, cells, devices, tallies, lifi: layer } = state;
  const { links } = layer;
  const isSeated = devices.kind[device] === kinds.seated;
  const { meanDegrees, deviationDegrees } = isSeated ? holds.seated : holds.moving;
  // A second is ten times as long as hands hold still, so that nothing is left of the second before.
  const draw = isSeated ? laplace(chance, streams.polar, device, step) : normal(chance, streams.polar, device, step);
  const tilt = Math.max(0, Math.min(90, meanDegrees + deviationDegrees * draw));
  const [upright, leaning] = [cos(radians(tilt)), sin(radians(tilt))];
  let receivedW = 0;
  let interferenceA2 = lifiJamA2(state, cells.channel[serving]!, devices.x[device]!, devices.y[device]!);
  const from = device * links.slots;
  for (let slot = from; slot < from + links.slots; slot++) {
    const ap = links.ap[slot]!;
    if (ap < 0) break;
    if (cells.isOnAir[ap] === 0) continue;
    const isHidden = ((devices.hidden[device]! >> (slot - from)) & 1) === 1;
    const facing = cosAtReceiver(state, device, ap, upright, leaning);
    const watts = cells.power[ap]! * links.gain[slot]! * facing * (isHidden ? diffuseShare : 1);
    if (ap === serving) receivedW = watts;
    else if (cells.channel[ap] === cells.channel[serving]) {
      interferenceA2 += signalA2(watts, usualReceiver) * cells.load[ap]!;
    }
  }
  const shot = shotNoiseA2(receivedW, 0, usualReceiver);
  const snr = signalA2(receivedW, usualReceiver) / (noiseA2[serving]! + shot + interferenceA2);
  const mcs = mcsOfSinr(snr);
  const rateMbps = mcs < 0 ? 0 : heRateMbps(mcs, width);
  devices.signal[device] = receivedW;
  devices.qualityDb[device] = snr > 1e-6 ? toDb(snr) : -60;
  tallies.withSignal[serving]! += 1;
  tallies.signal[serving]! += receivedW * 1e6;
  tallies.quality[serving]! += devices.qualityDb[device]!;
  tallies.code[serving]! += Math.max(0, mcs);
  tallies.rateMbps[serving]! += rateMbps;
  tallies.tiltDegrees[serving]! += tilt;
  devices.upRateBps[device] = uplinkBps;
  return rateMbps === 0 ? 0 : 1e6 * loneGoodputMbps(rateMbps, 1);
}

/** Light of the lamp in one of the device's slots that arrives at it, as it is usually held; 0 for an empty slot. */
export function lightW(state: WorldState, device: number, slot: number): number {
  const { cells, devices, lifi: layer } = state;
  const at = device * layer.links.slots + slot;
  const ap = layer.links.ap[at]!;
  if (ap < 0) return 0;
  const hold = means[devices.kind[device] === kinds.seated ? 0 : 1]!;
  const isHidden = ((devices.hidden[device]! >> slot) & 1) === 1;
  const facing = cosAtReceiver(state, device, ap, hold.cos, hold.sin);
  return cells.power[ap]! * layer.links.gain[at]! * facing * (isHidden ? diffuseShare : 1);
}

/** What arrives of jammers on a channel at a place. */
export function lifiJamA2({ jammers }: Pick<WorldState, 'jammers'>, channel: number, x: number, y: number): number {
  let sum = 0;
  for (const jammer of jammers) {
    if (jammer.type !== lifi || jammer.channel !== channel) continue;
    const away = distanceM(jammer, x, y);
    sum += jammerDuty * signalA2(jammer.power * lampGain(1, away * away), usualReceiver);
  }
  return sum;
}

/** Whether the device could use this lamp if it were told to. */
export function canUseLamp({ cells, devices, lifi: { links } }: WorldState, device: number, ap: number): boolean {
  const slot = slotOf(links, device, ap);
  return slot >= 0 && cells.isOpen[ap] === 1 && ((devices.hidden[device]! >> (slot - device * links.slots)) & 1) === 0;
}

/** Why the lamp would be of no use to the device, in what it sees there; undefined if it would be. */
export function lifiProblem(state: WorldState, device: number, ap: number, noiseA2: number): string | undefined {
  const { cells, devices, lifi: layer } = state;
  const slot = slotOf(layer.links, device, ap);
  if (slot < 0) return 'does not see it';
  if (!canUseLamp(state, device, ap)) return 'has somebody in the way of its light';
  const hold = means[devices.kind[device] === kinds.seated ? 0 : 1]!;
  const facing = cosAtReceiver(state, device, ap, hold.cos, hold.sin);
  const snr = snrOf(cells.power[ap]! * layer.links.gain[slot]! * facing, noiseA2);
  if (snr > enterSnr) return undefined;
  return `sees it with an SNR of ${(snr > 1e-6 ? toDb(snr) : -60).toFixed(1)} dB and needs ${enterDb} dB`;
}

/** Cosine between the way the device faces and the lamp; 0 outside its field of view. */
function cosAtReceiver(
  { cells, devices }: WorldState,
  device: number,
  ap: number,
  upright: number,
  leaning: number,
): number {
  const dx = cells.x[ap]! - devices.x[device]!;
  const dy = cells.y[ap]! - devices.y[device]!;
  const length = Math.sqrt(dx * dx + dy * dy + lampHeightM * lampHeightM);
  const sideways = dx * devices.axisX[device]! + dy * devices.axisY[device]!;
  const value = (sideways * leaning + lampHeightM * upright) / length;
  return value < cosFieldOfView ? 0 : value;
}
