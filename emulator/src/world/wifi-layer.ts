// WiFi in the world: which paths devices have to access points, who serves them, and how well.
import { fromDb, toDb } from '@weft/contract/exact-math';
import {
  goodputMbps,
  noiseFloorDbm,
  packetErrorShare,
  type WifiLink,
  type WifiWidth,
  wifiLinkOf,
} from '../radio/wifi.ts';
import { kinds } from './devices.ts';
import { fading, fadingDeviationDb } from './fading.ts';
import { indoorLossDb, wifiFrequencyGhz } from './indoor-path.ts';
import { jammerDuty, wifiJamMw } from './jammers.ts';
import { slotOf } from './link-table.ts';
import { gainOfLossDb, type LinkModel, shadowOf, squaredM, strongestOf, traced } from './links.ts';
import { airOf, hiddenMw } from './wifi-air.ts';
import { accessPointTypes } from './world-spec.ts';
import type { WorldState } from './world-state.ts';

export const wifiWidth: WifiWidth = 40;
const shadowDeviationDb = 4;
const shadowReachM = 5;
const outsideDb = 13;
const wavelengthM = 0.299792458 / wifiFrequencyGhz;
/** Of an office (TGax channel D). */
const delaySpreadS = 50e-9;
const wifi = accessPointTypes.indexOf('WiFi');

/** Of a receiver that adds nothing, in mW for each MHz. */
const thermalMw = fromDb(noiseFloorDbm(20, 0)) / 20;
const deviations = new Map<number, number>([20, 40, 80, 160].map((w) => [w, fadingDeviationDb(w * 1e6, delaySpreadS)]));

const enterDbm = -72;
const enterMw = fromDb(enterDbm);
const stayMw = fromDb(-80);
/** Below this a device looks for another access point, and takes one that is this much louder. */
const roamMw = fromDb(-70);
const hysteresis = fromDb(3);

export const wifiLinks: LinkModel = {
  slots: 6,
  candidates: 16,
  rangeM: 100,
  searchAfterM: 4,
  canHear: ({ devices }, device) => devices.kind[device] !== kinds.vehicle,
  trace(state, device, ap, slot) {
    const shadow = shadowOf(state, state.wifi.links, device, ap, slot, shadowReachM);
    const wallDb = state.devices.isIndoor[device] === 1 ? 0 : outsideDb;
    const pathDb = indoorLossDb(Math.sqrt(squaredM(state, device, ap)));
    traced[0] = gainOfLossDb(pathDb + wallDb + shadow * shadowDeviationDb);
    traced[1] = shadow;
    traced[2] = 1;
  },
};

/** The access point that should serve the device now, given the one that does (or -1); -1 if it hears none well enough. */
export function chooseAccessPoint(state: WorldState, device: number, serving: number): number {
  const { best, bestMw, servingMw } = strongestOf(state, state.wifi.links, device, serving);
  if (servingMw > stayMw && (servingMw >= roamMw || bestMw < servingMw * hysteresis)) return serving;
  return bestMw > enterMw ? best : -1;
}

interface Reception {
  rssiMw: number;
  noiseMw: number;
  interferenceMw: number;
  /** Of jammers, while they send. */
  jamMw: number;
}

const reception: Reception = { rssiMw: 0, noiseMw: 0, interferenceMw: 0, jamMw: 0 };

/** What the device hears of the access point and of everything else on its channel; the same object each time. */
function receive(state: WorldState, device: number, ap: number, slot: number, withFading: boolean): Reception {
  const { chance, step, cells, devices, jammers, wifi: layer } = state;
  const width = cells.widthMhz[ap]!;
  const unfaded = cells.power[ap]! * layer.links.gain[slot]!;
  const speed = devices.movedM[device]!;
  reception.rssiMw = withFading
    ? unfaded * fromDb(deviations.get(width)! * fading(chance, device, ap, step, speed, wavelengthM))
    : unfaded;
  reception.noiseMw = wifiNoiseMw(state, ap);
  reception.interferenceMw = hiddenMw(state, device, ap);
  reception.jamMw = 0;
  if (jammers.length > 0) {
    const band = airOf(state).bands[ap]!;
    reception.jamMw = wifiJamMw(jammers, wifi, devices.x[device]!, devices.y[device]!, band);
    reception.interferenceMw += jammerDuty * reception.jamMw;
  }
  return reception;
}

/** Share of attempts that are lost: to collisions, at the edge of the MCS, and to a jammer that begins to send. */
function retriesOf(link: WifiLink | undefined, collisions: number, heard: Reception): number {
  const { rssiMw, noiseMw, interferenceMw, jamMw } = heard;
  const got = (1 - collisions) * (1 - packetErrorShare(link?.marginDb ?? 0));
  if (jamMw === 0) return 1 - got;
  const lossDb = toDb((noiseMw + interferenceMw + (1 - jammerDuty) * jamMw) / (noiseMw + interferenceMw));
  const isHit = rssiMw === 0 || lossDb > (link?.marginDb ?? 0);
  return 1 - got * (isHit ? 1 - jammerDuty : 1);
}

/** Noise in the channel of the access point, at a receiver. */
export function wifiNoiseMw({ cells, wifiRadio }: Pick<WorldState, 'cells' | 'wifiRadio'>, ap: number): number {
  return thermalMw * cells.widthMhz[ap]! * fromDb(wifiRadio.noiseFigureDb);
}

function linkTo(state: WorldState, ap: number, { rssiMw, noiseMw, interferenceMw }: Reception): WifiLink | undefined {
  const width = state.cells.widthMhz[ap] as WifiWidth;
  return wifiLinkOf(rssiMw / (noiseMw + interferenceMw), width, state.wifiRadio);
}

/** Measures the device's link, counts it, and returns what all of the air would give it, in bit/s. */
export function measureWifi(state: WorldState, device: number, serving: number): number {
  const { cells, devices, tallies, wifi: layer } = state;
  const slot = slotOf(layer.links, device, serving);
  if (slot < 0) return 0;
  const heard = receive(state, device, serving, slot, true);
  const link = linkTo(state, serving, heard);
  const retries = retriesOf(link, cells.collisionShare[serving]!, heard);
  devices.signal[device] = toDb(heard.rssiMw);
  devices.qualityDb[device] = toDb(heard.rssiMw / (heard.noiseMw + heard.interferenceMw));
  tallies.withSignal[serving]! += 1;
  tallies.signal[serving]! += devices.signal[device]!;
  tallies.quality[serving]! += devices.qualityDb[device]!;
  tallies.code[serving]! += link?.mcs ?? 0;
  tallies.rateMbps[serving]! += link?.rateMbps ?? 0;
  tallies.retries[serving]! += retries;
  const rate = link ? 1e6 * goodputMbps(link, state.wifiRadio) : 0;
  devices.upRateBps[device] = rate;
  return rate;
}

/** Whether the device could use this access point if it were told to. */
export function canUseAccessPoint({ cells, wifi: { links } }: WorldState, device: number, ap: number): boolean {
  const slot = slotOf(links, device, ap);
  return slot >= 0 && cells.isOpen[ap] === 1 && cells.power[ap]! * links.gain[slot]! > stayMw;
}

/** Why the access point would be of no use to the device, in what it hears there; undefined if it would be. */
export function wifiProblem(state: WorldState, device: number, ap: number): string | undefined {
  const slot = slotOf(state.wifi.links, device, ap);
  if (slot < 0) return 'does not hear it';
  const heard = receive(state, device, ap, slot, false);
  const rssiDbm = toDb(heard.rssiMw);
  const sinrDb = toDb(heard.rssiMw / (heard.noiseMw + heard.interferenceMw));
  if (heard.rssiMw > enterMw && linkTo(state, ap, heard)) return undefined;
  return `hears it at ${rssiDbm.toFixed(1)} dBm with an SINR of ${sinrDb.toFixed(1)} dB and needs ${enterDbm} dBm and 4 dB`;
}
