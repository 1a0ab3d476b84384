// WiFi 6: path loss of the IEEE TGax scenarios, HE data rates, sensitivity, contention and retries. Frequencies in GHz,
// lengths in metres, rates in Mb/s.
import { exp2, fromDb, log10, pow, toDb } from '../exact-math.ts';
import type { Band } from './spectrum.ts';

export type WifiWidth = 20 | 40 | 80 | 160;
export type WifiBuilding = 'enterprise' | 'residential';

const buildings: Record<WifiBuilding, { breakpointM: number; wallDb: number }> = {
  enterprise: { breakpointM: 10, wallDb: 7 },
  residential: { breakpointM: 5, wallDb: 5 },
};

/** Distances under a metre count as one. Floors count in homes only; the offices of the scenario have one. */
export function wifiPathLossDb(
  building: WifiBuilding,
  distanceM: number,
  frequencyGhz: number,
  walls = 0,
  floors = 0,
): number {
  const { breakpointM, wallDb } = buildings[building];
  const d = Math.max(1, distanceM);
  const near = 40.05 + 20 * log10(frequencyGhz / 2.4) + 20 * log10(Math.min(d, breakpointM));
  const far = d > breakpointM ? 35 * log10(d / breakpointM) : 0;
  const storeys = building === 'residential' && floors > 0 ? 18.3 * pow(floors, (floors + 2) / (floors + 1) - 0.46) : 0;
  return near + far + walls * wallDb + storeys;
}

/** Coded bits per subcarrier and symbol: bits of the constellation times code rate. */
const bitsPerCarrier = [0.5, 1, 1.5, 2, 3, 4, 4.5, 5, 6, 20 / 3, 7.5, 25 / 3] as const;
const dataCarriers: Record<WifiWidth, number> = { 20: 234, 40: 468, 80: 980, 160: 1960 };
const symbolUs: Record<0.8 | 1.6 | 3.2, number> = { 0.8: 13.6, 1.6: 14.4, 3.2: 16 };
/** Weakest signal for each MCS in 20 MHz. */
const sensitivities20Dbm = [-82, -79, -77, -74, -70, -66, -65, -64, -59, -57, -54, -52] as const;
const maxMcs = 11;

export function heRateMbps(mcs: number, width: WifiWidth, spatialStreams = 1, guardUs: 0.8 | 1.6 | 3.2 = 0.8): number {
  return (spatialStreams * dataCarriers[width] * bitsPerCarrier[mcs]!) / symbolUs[guardUs];
}

export function sensitivityDbm(mcs: number, width: WifiWidth): number {
  return sensitivities20Dbm[mcs]! + 3 * doublings(width);
}

/** The highest MCS that a signal of this strength carries; -1 if none does. */
export function mcsOf(rssiDbm: number, width: WifiWidth): number {
  const in20 = rssiDbm - 3 * doublings(width);
  let mcs = -1;
  while (mcs < maxMcs && in20 >= sensitivities20Dbm[mcs + 1]!) mcs++;
  return mcs;
}

export function noiseFloorDbm(width: WifiWidth, noiseFigureDb = 7): number {
  return -174 + toDb(width * 1e6) + noiseFigureDb;
}

function doublings(width: WifiWidth): number {
  return width === 20 ? 0 : width === 40 ? 1 : width === 80 ? 2 : 3;
}

/** Share of the air that is left for payload by headers, acknowledgements and waiting. */
export const macEfficiency = 0.65;
/** Weakest foreign signal that makes an access point wait. */
export const clearChannelDbm = -82;
/** The same for a signal that it cannot read: of another kind, or on a channel beside its own. */
export const energyDetectionDbm = -62;
export const maxUtilisation = 0.95;

/** Share of time that a load takes on the air. */
export function airtime(loadMbps: number, rateMbps: number): number {
  return loadMbps / (rateMbps * macEfficiency);
}

/** Share of frames sent again: some always, more on a busy channel, most at the edge of what the MCS needs. */
export function retryShare(utilisation: number, marginDb: number): number {
  return Math.min(1, 0.02 + 0.25 * utilisation * utilisation + packetErrorShare(marginDb));
}

function packetErrorShare(marginDb: number): number {
  return 0.1 * exp2(-Math.max(0, marginDb) / 1.5);
}

/** The lowest and highest frequency that a channel of the 5 GHz band takes in this width, in MHz. */
export function channelSpanMhz(channel: number, width: WifiWidth): [low: number, high: number] {
  const base = channel >= 149 ? 5735 : channel >= 100 ? 5490 : 5170;
  const block = Math.floor((5000 + 5 * channel - base) / width);
  return [base + block * width, base + (block + 1) * width];
}

export function bandOf(channel: number, width: WifiWidth): Band {
  const [lowMhz, highMhz] = channelSpanMhz(channel, width);
  return { lowMhz, highMhz };
}

export function channelsOverlap(one: number, other: number, width: WifiWidth): boolean {
  const [low, high] = channelSpanMhz(one, width);
  const [otherLow, otherHigh] = channelSpanMhz(other, width);
  return low < otherHigh && otherLow < high;
}

const awakeW = 6;
const busyW = 3;
const amplifierSlope = 12;
const asleepW = 0.9;

/** What the modulation and code of each MCS need above noise and interference: the sensitivity of the standard, without the
 * noise figure of 10 dB and the margin of 5 dB that it allows for. */
const neededSinr = sensitivities20Dbm.map((dbm) => fromDb(dbm + 101 - 15));

/** The highest MCS that this SINR carries; -1 if none does. */
export function mcsOfSinr(sinr: number): number {
  let mcs = -1;
  while (mcs < maxMcs && sinr >= neededSinr[mcs + 1]!) mcs++;
  return mcs;
}

export function neededSinrDb(mcs: number): number {
  return sensitivities20Dbm[mcs]! + 101 - 15;
}

export interface WifiLink {
  mcs: number;
  streams: 1 | 2;
  rateMbps: number;
  /** Decibels above what the MCS needs. */
  marginDb: number;
}

/**
 * The best way to send to a device that hears the signal so loud, with this SINR: one stream, or two with half the power
 * each. Undefined if nothing gets through.
 */
export function wifiLinkOf(rssiMw: number, sinr: number, width: WifiWidth): WifiLink | undefined {
  let best: WifiLink | undefined;
  for (const streams of [1, 2] as const) {
    const rssiDbm = toDb(rssiMw / streams);
    const mcs = Math.min(mcsOf(rssiDbm, width), mcsOfSinr(sinr / streams));
    if (mcs < 0) break;
    const rateMbps = heRateMbps(mcs, width, streams);
    if (best && rateMbps <= best.rateMbps) continue;
    const marginDb = Math.min(rssiDbm - sensitivityDbm(mcs, width), toDb(sinr / streams) - neededSinrDb(mcs));
    best = { mcs, streams, rateMbps, marginDb };
  }
  return best;
}

/** What the access point draws: electronics, work per airtime, and the amplifier while it sends. */
export function wifiPowerW(isAwake: boolean, txPowerDbm: number, ownAirtime: number): number {
  return isAwake ? awakeW + (busyW + amplifierSlope * fromDb(txPowerDbm - 30)) * ownAirtime : asleepW;
}
