// Who disturbs from outside the network: each jammer stands at a place, sends on a channel with some power, and is felt by
// whoever hears it there. It stays where it is when its victim leaves the channel.

import { fromDb } from '@weft/contract/exact-math';
import { maxOpticalW } from '../access-points/access-point.ts';
import { faultOf } from '../access-points/faults.ts';
import { nrFrequencyGhz, nrPathLossDb, resourceElementDbm } from '../radio/nr.ts';
import { carrierPrbs } from '../radio/nr-cqi.ts';
import { type Band, coupling } from '../radio/spectrum.ts';
import { bandOf, energyDetectionDbm, type WifiWidth } from '../radio/wifi.ts';
import { indoorLossDb } from './indoor-path.ts';
import type { Jammer, WorldState } from './world-state.ts';

/** It stands so far to the east of the access point that it was aimed at. */
const besideM = 8;
/** Share of time that it sends. */
export const jammerDuty = 0.6;
const hearMw = fromDb(energyDetectionDbm);
/** A jammer of 30 dBm is as bright as a lamp. */

export function findJammers({ accessPoints, cells }: WorldState): Jammer[] {
  return accessPoints.flatMap((ap, index) => {
    const fault = faultOf(ap.faults, 'jammed_channel');
    if (!fault) return [];
    const { channel = 0, widthMhz = 20 } = fault;
    const power =
      ap.type === 'LiFi'
        ? maxOpticalW * fromDb(fault.amount - 30)
        : fromDb(ap.type === '5G' ? resourceElementDbm(fault.amount, carrierPrbs) : fault.amount);
    const band = bandOf(channel, widthMhz as WifiWidth);
    return [{ type: cells.type[index]!, x: cells.x[index]! + besideM, y: cells.y[index]!, power, channel, band }];
  });
}

/** What arrives of WiFi's jammers in a band at a place, in mW while they send. */
export function wifiJamMw(jammers: readonly Jammer[], type: number, x: number, y: number, band: Band): number {
  let mw = 0;
  for (const jammer of jammers) {
    if (jammer.type !== type) continue;
    const share = coupling(jammer.band, band);
    if (share > 0) mw += share * jammer.power * fromDb(-indoorLossDb(distanceM(jammer, x, y)));
  }
  return mw;
}

/** The same per resource element of 5G: all cells share one carrier. */
export function nrJamMw(jammers: readonly Jammer[], type: number, x: number, y: number): number {
  let mw = 0;
  for (const jammer of jammers) {
    if (jammer.type !== type) continue;
    const distance = distanceM(jammer, x, y);
    const path = { scenario: 'UMi' as const, isLineOfSight: true, distance2dM: distance, distance3dM: distance };
    mw += jammer.power * fromDb(-nrPathLossDb({ ...path, frequencyGhz: nrFrequencyGhz }));
  }
  return mw;
}

/** Whether an access point that hears this much waits for it. */
export function isBusyWith(mw: number): boolean {
  return mw >= hearMw;
}

export function distanceM({ x, y }: Jammer, toX: number, toY: number): number {
  const [dx, dy] = [x - toX, y - toY];
  return Math.sqrt(dx * dx + dy * dy);
}
