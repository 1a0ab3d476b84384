// LiFi: the Lambertian channel of a lamp, noise of the photodiode, blockage, light on the desk. Angles enter as cosines,
// lengths in metres, optical powers in W, electrical ones in A².
import { cos, ln, pow, radians, sin } from '@weft/contract/exact-math';

export interface Receiver {
  areaM2: number;
  responsivityAPerW: number;
  refractiveIndex: number;
  fieldOfViewDegrees: number;
  filterGain: number;
  bandwidthHz: number;
}

export const usualReceiver: Receiver = {
  areaM2: 1e-4,
  responsivityAPerW: 0.53,
  refractiveIndex: 1.5,
  fieldOfViewDegrees: 70,
  filterGain: 1,
  bandwidthHz: 20e6,
};

/** How narrow the beam is: 1 for 60 degrees at half power, more for less. */
export function lambertianOrder(halfPowerDegrees: number): number {
  return -Math.LN2 / ln(cos(radians(halfPowerDegrees)));
}

export function concentratorGain({ refractiveIndex, fieldOfViewDegrees }: Receiver): number {
  const s = sin(radians(fieldOfViewDegrees));
  return (refractiveIndex * refractiveIndex) / (s * s);
}

/** The part of the channel that the receiver's orientation does not change. */
export function beamGain(order: number, distanceM: number, cosFromLamp: number, receiver: Receiver): number {
  if (cosFromLamp <= 0) return 0;
  const spread = ((order + 1) * receiver.areaM2) / (2 * Math.PI * distanceM * distanceM);
  return spread * pow(cosFromLamp, order) * receiver.filterGain * concentratorGain(receiver);
}

/** Share of the lamp's light that arrives: 0 outside the receiver's field of view. */
export function channelGain(
  order: number,
  distanceM: number,
  cosFromLamp: number,
  cosAtReceiver: number,
  receiver: Receiver,
): number {
  if (cosAtReceiver < cos(radians(receiver.fieldOfViewDegrees))) return 0;
  return beamGain(order, distanceM, cosFromLamp, receiver) * cosAtReceiver;
}

/** Electrical power of the signal: the current squared, so that optical decibels count twice. */
export function signalA2(receivedW: number, { responsivityAPerW }: Receiver): number {
  const current = responsivityAPerW * receivedW;
  return current * current;
}

const electronCharge = 1.602176634e-19;
const boltzmann = 1.380649e-23;
const kelvin = 295;
const openLoopGain = 10;
const transconductanceS = 0.03;
const channelNoiseFactor = 1.5;
const i2 = 0.562;
const i3 = 0.0868;
const capacitanceFPerM2 = 1.12e-6;
/** Current of the photodiode in a room full of daylight. */
export const daylightCurrentA = 5100e-6;

/** Noise of light itself: of the signal and of everything else that shines on the photodiode. */
export function shotNoiseA2(receivedW: number, backgroundA: number, receiver: Receiver): number {
  const { responsivityAPerW, bandwidthHz } = receiver;
  return 2 * electronCharge * (responsivityAPerW * receivedW + backgroundA * i2) * bandwidthHz;
}

/** Noise of the amplifier behind the photodiode. */
export function thermalNoiseA2({ areaM2, bandwidthHz }: Receiver): number {
  const capacitanceF = capacitanceFPerM2 * areaM2;
  const resistor = ((8 * Math.PI * boltzmann * kelvin) / openLoopGain) * capacitanceF * i2 * bandwidthHz * bandwidthHz;
  const transistor =
    ((16 * Math.PI * Math.PI * boltzmann * kelvin * channelNoiseFactor) / transconductanceS) *
    (capacitanceF * capacitanceF) *
    i3 *
    (bandwidthHz * bandwidthHz * bandwidthHz);
  return resistor + transistor;
}

/** What still arrives over walls and ceiling when the ray is cut. */
export const diffuseShare = 0.03;

/** Light on a surface, in lux, from a lamp of this intensity (cd) straight ahead. */
export function illuminanceLx(
  intensityCd: number,
  order: number,
  distanceM: number,
  cosFromLamp: number,
  cosAtSurface: number,
): number {
  return (intensityCd * pow(Math.max(1e-9, cosFromLamp), order) * cosAtSurface) / (distanceM * distanceM);
}

/** Intensity straight ahead of a lamp that gives so much light in all. */
export function axialIntensityCd(fluxLm: number, order: number): number {
  return (fluxLm * (order + 1)) / (2 * Math.PI);
}

const modemW = 4;
const busyW = 2;
const asleepW = 0.5;
const lampEfficiency = 0.35;

/** What the lamp draws. Asleep means that its modem is: the light stays on, since people sit under it. */
export function lifiPowerW(isAwake: boolean, opticalW: number, ownAirtime: number): number {
  return opticalW / lampEfficiency + (isAwake ? modemW + busyW * ownAirtime : asleepW);
}
