// WiFi in the world: which paths devices have to access points, who serves them, how well, and who shares the air.
import { fromDb, toDb } from '../exact-math.ts';
import {
  channelsOverlap,
  clearChannelDbm,
  grantedAirtime,
  heRateMbps,
  macEfficiency,
  maxUtilisation,
  mcsOf,
  noiseFloorDbm,
  retryShare,
  sensitivityDbm,
  type WifiWidth,
  wifiPathLossDb,
} from '../radio/wifi.ts';
import { kinds } from './devices.ts';
import { slotOf } from './link-table.ts';
import { gainOfLossDb, type LinkModel } from './links.ts';
import type { WorldState } from './world-state.ts';

export const wifiWidth: WifiWidth = 40;
const frequencyGhz = 5.25;
const spatialStreams = 2;
const shadowDeviationDb = 4;
const shadowReachM = 5;
/** One wall for so many metres, and no more than so many on a floor. */
const metresPerWall = 20;
const mostWalls = 4;
const quietDbm = noiseFloorDbm(wifiWidth);
const clearChannelMw = fromDb(clearChannelDbm);

const enterMw = fromDb(-72);
const stayMw = fromDb(-80);
/** Below this a device looks for another access point, and takes one that is this much louder. */
const roamMw = fromDb(-70);
const hysteresis = fromDb(3);

export function indoorLossDb(distanceM: number): number {
  const walls = Math.min(mostWalls, Math.floor(distanceM / metresPerWall));
  return wifiPathLossDb('enterprise', distanceM, frequencyGhz, walls);
}

export const wifiLinks: LinkModel = {
  slots: 6,
  candidates: 16,
  rangeM: 100,
  searchAfterM: 4,
  canHear: ({ devices }, device) => devices.kind[device] !== kinds.vehicle,
  hasSight: () => true,
  decorrelationM: () => shadowReachM,
  gain({ devices }, device, _ap, distance2, _hasSight, shadow) {
    const wallDb = devices.isIndoor[device] === 1 ? 0 : outsideDb;
    return gainOfLossDb(indoorLossDb(Math.sqrt(distance2)) + wallDb + shadow * shadowDeviationDb);
  },
};

const outsideDb = 13;

/** The access point that should serve the device now, given the one that does (or -1); -1 if it hears none well enough. */
export function chooseAccessPoint({ cells, wifi: { links } }: WorldState, device: number, serving: number): number {
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
  if (servingMw > stayMw && (servingMw >= roamMw || bestMw < servingMw * hysteresis)) return serving;
  return bestMw > enterMw ? best : -1;
}

/** Measures the device's link, counts it, and returns what all of the air would give it, in bit/s. */
export function measureWifi({ cells, tallies, wifi: { links } }: WorldState, device: number, serving: number): number {
  const slot = slotOf(links, device, serving);
  if (slot < 0) return 0;
  const rssiDbm = toDb(cells.power[serving]! * links.gain[slot]!);
  const riseDb = cells.noiseFactor[serving] === 1 ? 0 : toDb(cells.noiseFactor[serving]!);
  const mcs = mcsOf(rssiDbm - riseDb, wifiWidth);
  const marginDb = mcs < 0 ? 0 : rssiDbm - riseDb - sensitivityDbm(mcs, wifiWidth);
  const retries = retryShare(cells.utilisation[serving]!, marginDb);
  const rateMbps = mcs < 0 ? 0 : heRateMbps(mcs, wifiWidth, spatialStreams);
  tallies.withSignal[serving]! += 1;
  tallies.signal[serving]! += rssiDbm;
  tallies.quality[serving]! += rssiDbm - quietDbm - riseDb;
  tallies.code[serving]! += Math.max(0, mcs);
  tallies.rateMbps[serving]! += rateMbps;
  tallies.retries[serving]! += retries;
  return rateMbps * 1e6 * macEfficiency * (1 - retries);
}

/** Whether the device could use this access point if it were told to. */
export function canUseAccessPoint({ cells, wifi: { links } }: WorldState, device: number, ap: number): boolean {
  const slot = slotOf(links, device, ap);
  return slot >= 0 && cells.isOpen[ap] === 1 && cells.power[ap]! * links.gain[slot]! > stayMw;
}

/** Gives the access point its part of the air that it shares with those it hears on its channel. */
export function shareAir({ cells, neighbours }: WorldState, ap: number): void {
  const { index, gain } = neighbours[ap]!;
  let heard = 0;
  for (let n = 0; n < index.length; n++) {
    const other = index[n]!;
    if (cells.isOnAir[other] === 0 || cells.power[other]! * gain[n]! < clearChannelMw) continue;
    if (channelsOverlap(cells.channel[ap]!, cells.channel[other]!, wifiWidth)) heard += cells.wanted[other]!;
  }
  const wanted = cells.wanted[ap]!;
  const foreign = cells.foreignShare[ap]!;
  // An idle access point would still get what a busy channel leaves.
  const probe = Math.max(wanted, 1e-6);
  cells.granted[ap] = grantedAirtime(probe, heard, foreign) / probe;
  cells.load[ap] = wanted * cells.granted[ap]!;
  cells.utilisation[ap] = Math.min(maxUtilisation, cells.load[ap]! + heard + foreign);
}
