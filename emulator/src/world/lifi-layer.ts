// LiFi in the world: which lamps shine on a device, how it is held, who stands in the light, and how well it is served.
import { cos, fromDb, radians, sin, toDb } from '../exact-math.ts';
import {
  beamGain,
  blockageChances,
  blockageSeconds,
  blockagesPerSecond,
  daylightCurrentA,
  diffuseShare,
  shotNoiseA2,
  signalA2,
  thermalNoiseA2,
  usualReceiver,
} from '../radio/lifi.ts';
import { heRateMbps, macEfficiency, mcsOf, noiseFloorDbm } from '../radio/wifi.ts';
import { laplace, normal, streams, uniform } from '../randomness.ts';
import { kinds } from './devices.ts';
import { slotOf } from './link-table.ts';
import type { LinkModel } from './links.ts';
import type { WorldState } from './world-state.ts';

export const lampHeightM = 2.15;
/** Current of the photodiode from the lamps alone, when it is dark outside. */
const nightCurrentA = daylightCurrentA * 0.05;
const cosFieldOfView = cos(radians(usualReceiver.fieldOfViewDegrees));
const amplifierA2 = thermalNoiseA2(usualReceiver);
const width = 20;
/** LiFi uses the codes of WiFi; what counts for each is how far the signal stands above the noise. */
const quietDbm = noiseFloorDbm(width);
const enterSnr = fromDb(18);
const staySnr = fromDb(12);
const hysteresis = fromDb(3);
/** So long nobody must stand in the light before a device comes back to it. */
const clearForSteps = 3;
/** More devices than this under one lamp, and people are in each other's way twice as often. */
const crowd = 8;
const [usual, crowded] = [1, 2].map((times) => blockageChances(times * blockagesPerSecond, blockageSeconds, 1));

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
  hasSight: () => true,
  decorrelationM: () => Infinity,
  gain({ cells }, _device, ap, distance2) {
    const distanceM = Math.sqrt(distance2 + lampHeightM * lampHeightM);
    return beamGain(cells.shape[ap]!, distanceM, lampHeightM / distanceM, usualReceiver);
  },
};

/** Noise current at an access point's devices, given the share of full daylight. */
export function lifiNoiseA2(daylightShare: number, noiseFactor: number): number {
  const background = nightCurrentA + (daylightCurrentA - nightCurrentA) * daylightShare;
  return (shotNoiseA2(0, background, usualReceiver) + amplifierA2) * noiseFactor;
}

/**
 * The lamp that should serve the device now, given the access point that does (or -1); -1 if none can. Remembers the lamp
 * that shines on it best, and lets people step into its light and out of it.
 */
export function chooseLamp(state: WorldState, device: number, serving: number, noiseA2: Float64Array): number {
  const { cells, devices, lifi } = state;
  const { links } = lifi;
  const from = device * links.slots;
  const hold = means[devices.kind[device] === kinds.seated ? 0 : 1]!;
  let best = -1;
  let bestSnr = 0;
  let servingSnr = 0;
  for (let slot = from; slot < from + links.slots; slot++) {
    const ap = links.ap[slot]!;
    if (ap < 0) break;
    if (cells.isOpen[ap] === 0) continue;
    const facing = cosAtReceiver(state, device, ap, hold.cos, hold.sin);
    const snr = signalA2(cells.power[ap]! * links.gain[slot]! * facing, usualReceiver) / noiseA2[ap]!;
    if (ap === serving) servingSnr = snr;
    if (snr > bestSnr) {
      best = ap;
      bestSnr = snr;
    }
  }
  devices.lamp[device] = bestSnr > staySnr ? best : -1;
  if (best < 0) return -1;
  blockOrFree(state, device, best);
  if (devices.isBlocked[device] === 1) return -1;
  if (servingSnr > staySnr && bestSnr < servingSnr * hysteresis) return serving;
  const hasWaited = servingSnr > 0 || state.step - devices.clearSinceStep[device]! >= clearForSteps;
  return bestSnr > enterSnr && hasWaited ? best : -1;
}

/** Measures the device's link as it is held in this second, counts it, and returns what all of the air would give it. */
export function measureLifi(state: WorldState, device: number, serving: number, noiseA2: Float64Array): number {
  const { seed, step, cells, devices, tallies, lifi } = state;
  const { links } = lifi;
  const { kind, isBlocked } = devices;
  const isSeated = kind[device] === kinds.seated;
  const { meanDegrees, deviationDegrees } = isSeated ? holds.seated : holds.moving;
  // A second is ten times as long as hands hold still, so that nothing is left of the second before.
  const draw = isSeated ? laplace(seed, streams.polar, device, step) : normal(seed, streams.polar, device, step);
  const tilt = Math.max(0, Math.min(90, meanDegrees + deviationDegrees * draw));
  const [upright, leaning] = [cos(radians(tilt)), sin(radians(tilt))];
  let receivedW = 0;
  let interferenceA2 = 0;
  const from = device * links.slots;
  for (let slot = from; slot < from + links.slots; slot++) {
    const ap = links.ap[slot]!;
    if (ap < 0) break;
    if (cells.isOnAir[ap] === 0) continue;
    const watts = cells.power[ap]! * links.gain[slot]! * cosAtReceiver(state, device, ap, upright, leaning);
    if (ap === serving) receivedW = watts;
    else if (cells.channel[ap] === cells.channel[serving]) {
      interferenceA2 += signalA2(watts, usualReceiver) * cells.load[ap]!;
    }
  }
  if (isBlocked[device] === 1) receivedW *= diffuseShare;
  const snr = signalA2(receivedW, usualReceiver) / (noiseA2[serving]! + interferenceA2);
  const snrDb = snr > 1e-6 ? toDb(snr) : -60;
  const mcs = mcsOf(snrDb + quietDbm, width);
  const rateMbps = mcs < 0 ? 0 : heRateMbps(mcs, width);
  tallies.withSignal[serving]! += 1;
  tallies.signal[serving]! += receivedW * 1e6;
  tallies.quality[serving]! += snrDb;
  tallies.code[serving]! += Math.max(0, mcs);
  tallies.rateMbps[serving]! += rateMbps;
  tallies.tiltDegrees[serving]! += tilt;
  return rateMbps * 1e6 * macEfficiency;
}

/** Whether the device could use this lamp if it were told to. */
export function canUseLamp(state: WorldState, device: number, ap: number): boolean {
  const { cells, devices, lifi } = state;
  return slotOf(lifi.links, device, ap) >= 0 && cells.isOpen[ap] === 1 && devices.isBlocked[device] === 0;
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
  const distanceM = Math.sqrt(dx * dx + dy * dy + lampHeightM * lampHeightM);
  const sideways = dx * devices.axisX[device]! + dy * devices.axisY[device]!;
  const value = (sideways * leaning + lampHeightM * upright) / distanceM;
  return value < cosFieldOfView ? 0 : value;
}

function blockOrFree({ seed, step, cells, devices, tallies }: WorldState, device: number, lamp: number): void {
  const { onset, end } = cells.attached[lamp]! > crowd ? crowded! : usual!;
  const wasBlocked = devices.isBlocked[device] === 1;
  const hasChanged = uniform(seed, streams.blockage, device, step) < (wasBlocked ? end : onset);
  if (hasChanged) {
    devices.isBlocked[device] = wasBlocked ? 0 : 1;
    if (wasBlocked) devices.clearSinceStep[device] = step;
    else tallies.blockages[lamp]! += 1;
  }
  tallies.underLamp[lamp]! += 1;
  tallies.blocked[lamp]! += devices.isBlocked[device]!;
}
