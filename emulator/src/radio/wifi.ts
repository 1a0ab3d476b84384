// WiFi 6: path loss of the IEEE TGax scenarios, HE data rates, what each needs, channels and power. Frequencies in GHz,
// lengths in metres, rates in Mb/s.
import { exp2, fromDb, log10, pow, toDb } from '@weft/contract/exact-math';
import { loneGoodputMbps, usualRtsAboveBytes } from './medium-access.ts';
import type { Band } from './spectrum.ts';

export type WifiWidth = 20 | 40 | 80 | 160;
export type WifiBuilding = 'enterprise' | 'residential';

const buildings: Record<WifiBuilding, { breakpointM: number; logBreak: number; wallDb: number }> = {
  enterprise: { breakpointM: 10, logBreak: log10(10), wallDb: 7 },
  residential: { breakpointM: 5, logBreak: log10(5), wallDb: 5 },
};
/** Of the path that was asked for last: a world has one band. */
let lastFrequency = { ghz: 2.4, logRatio: 0 };

/** Distances under a metre count as one. Floors count in homes only; the offices of the scenario have one. */
export function wifiPathLossDb(
  building: WifiBuilding,
  distanceM: number,
  frequencyGhz: number,
  walls = 0,
  floors = 0,
): number {
  const { breakpointM, logBreak, wallDb } = buildings[building];
  const d = Math.max(1, distanceM);
  if (frequencyGhz !== lastFrequency.ghz) lastFrequency = { ghz: frequencyGhz, logRatio: log10(frequencyGhz / 2.4) };
  const near = 40.05 + 20 * lastFrequency.logRatio + 20 * (d < breakpointM ? log10(d) : logBreak);
  const far = d > breakpointM ? 35 * log10(d / breakpointM) : 0;
  const storeys = building === 'residential' && floors > 0 ? 18.3 * pow(floors, (floors + 2) / (floors + 1) - 0.46) : 0;
  return near + far + walls * wallDb + storeys;
}

/** Coded bits per subcarrier and symbol: bits of the constellation times code rate. */
const bitsPerCarrier = [0.5, 1, 1.5, 2, 3, 4, 4.5, 5, 6, 20 / 3, 7.5, 25 / 3] as const;
const dataCarriers: Record<WifiWidth, number> = { 20: 234, 40: 468, 80: 980, 160: 1960 };
const symbolUs: Record<0.8 | 1.6 | 3.2, number> = { 0.8: 13.6, 1.6: 14.4, 3.2: 16 };
/**
 * What modulation and code of each MCS need above noise and interference, in dB: LDPC in white noise with a bit error rate of
 * 1e-6, as ns-3 has it up to 256-QAM; 1024-QAM by the distance of its points.
 */
const neededDb = [1.5, 4.5, 7, 10.4, 13.5, 17.9, 19.1, 20.8, 24.5, 25.9, 30.5, 31.9] as const;
const maxMcs = 11;

export function heRateMbps(mcs: number, width: WifiWidth, spatialStreams = 1, guardUs: 0.8 | 1.6 | 3.2 = 0.8): number {
  return (spatialStreams * dataCarriers[width] * bitsPerCarrier[mcs]!) / symbolUs[guardUs];
}

export function noiseFloorDbm(width: WifiWidth, noiseFigureDb = 7): number {
  return -174 + toDb(width * 1e6) + noiseFigureDb;
}

/** What a world may set of its WiFi receivers and senders. */
export interface WifiRadio {
  noiseFigureDb: number;
  /** What receivers lose against the theory. */
  marginDb: number;
  streams: 1 | 2;
  /** Longer frames are announced. */
  rtsAboveBytes: number;
}

export const usualWifiRadio: WifiRadio = {
  noiseFigureDb: 7,
  marginDb: 3,
  streams: 2,
  rtsAboveBytes: usualRtsAboveBytes,
};

/** Weakest foreign signal that makes an access point wait. */
export const clearChannelDbm = -82;
/** The same for a signal that it cannot read: of another kind, or on a channel beside its own. */
export const energyDetectionDbm = -62;

/** Share of frames that arrive with errors: hardly any, and those at the edge of what the MCS needs. */
export function packetErrorShare(marginDb: number): number {
  return 0.01 * exp2(-2 * Math.max(0, marginDb));
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

/** The highest MCS that this SINR carries; -1 if none does. */
export function mcsOfSinr(sinr: number, marginDb = usualWifiRadio.marginDb): number {
  return mcsOf(sinr > 0 ? toDb(sinr) - marginDb : -Infinity);
}

function mcsOf(db: number): number {
  let mcs = -1;
  while (mcs < maxMcs && db >= neededDb[mcs + 1]!) mcs++;
  return mcs;
}

export function neededSinrDb(mcs: number, marginDb = usualWifiRadio.marginDb): number {
  return neededDb[mcs]! + marginDb;
}

export interface WifiLink {
  mcs: number;
  streams: 1 | 2;
  rateMbps: number;
  /** Decibels above what the MCS needs. */
  marginDb: number;
}

/**
 * The best way to send to a device with this SINR: one stream, or two with half the power each. Undefined if nothing gets
 * through.
 */
export function wifiLinkOf(sinr: number, width: WifiWidth, radio = usualWifiRadio): WifiLink | undefined {
  const { marginDb } = radio;
  const db = sinr > 0 ? toDb(sinr) : -Infinity;
  const halfDb = radio.streams > 1 && sinr > 0 ? toDb(sinr / 2) : -Infinity;
  const [mcs, halfMcs] = [mcsOf(db - marginDb), mcsOf(halfDb - marginDb)];
  if (mcs < 0) return undefined;
  const rateMbps = heRateMbps(mcs, width);
  const doubleMbps = halfMcs < 0 ? 0 : heRateMbps(halfMcs, width, 2);
  return doubleMbps > rateMbps
    ? { mcs: halfMcs, streams: 2, rateMbps: doubleMbps, marginDb: halfDb - neededSinrDb(halfMcs, marginDb) }
    : { mcs, streams: 1, rateMbps, marginDb: db - neededSinrDb(mcs, marginDb) };
}

/** What a lone sender gets through over such a link, in Mb/s. */
export function goodputMbps({ rateMbps, streams, marginDb }: WifiLink, { rtsAboveBytes } = usualWifiRadio): number {
  return loneGoodputMbps(rateMbps, streams, rtsAboveBytes) * (1 - packetErrorShare(marginDb));
}

/** What the access point draws: electronics, work per airtime, and the amplifier while it sends. */
export function wifiPowerW(isAwake: boolean, txPowerDbm: number, ownAirtime: number): number {
  return isAwake ? awakeW + (busyW + amplifierSlope * fromDb(txPowerDbm - 30)) * ownAirtime : asleepW;
}
