// The links of a device that holds several: each technology serves it as well as it can, whatever the others do.
import { breakLink, canUse, handOver, interruption, isLinkBroken, serve } from '../world/attachment.ts';
import { chooseLamp } from '../world/lifi-layer.ts';
import { chooseCell } from '../world/nr-layer.ts';
import { chooseAccessPoint } from '../world/wifi-layer.ts';
import { accessPointTypes } from '../world/world-spec.ts';
import type { WorldState } from '../world/world-state.ts';
import { rowOf } from './link-policies.ts';
import { linksEach } from './multi-link-table.ts';

const [nr, wifi, lifi] = accessPointTypes.keys();

type Measure = (state: WorldState, device: number, ap: number, noiseA2: Float64Array) => number;

/** Attaches all links of the device for this second, and measures them. */
export function attachLinks(state: WorldState, device: number, noiseA2: Float64Array, measure: Measure): void {
  const { devices, multi, step } = state;
  const entry = multi.entry[device]!;
  if (step >= devices.steeredUntilStep[device]!) devices.steeredTo[device] = -1;
  for (let type = 0; type < linksEach; type++) {
    const row = rowOf(state, entry, type);
    const ap = attachLink(state, device, row, type, noiseA2);
    devices.rateBps[row] = 0;
    if (ap < 0) continue;
    // What is measured is noted at the device.
    devices.rateBps[row] = measure(state, device, ap, noiseA2) * (1 - devices.lostS[row]!);
    devices.upRateBps[row] = devices.upRateBps[device]!;
    devices.signal[row] = devices.signal[device]!;
    devices.qualityDb[row] = devices.qualityDb[device]!;
  }
}

function attachLink(state: WorldState, device: number, row: number, type: number, noiseA2: Float64Array): number {
  const { devices, tallies, step } = state;
  const before = devices.serving[row]!;
  devices.lostS[row] = 0;
  // Asked in every second: it also counts who stands in the light.
  const lamp = type === lifi ? chooseLamp(state, device, before, noiseA2) : -1;
  if (step < devices.outUntilStep[row]!) return -1;
  if (type === nr && before >= 0 && isLinkBroken(state, device)) {
    tallies.linkFailures[before]! += 1;
    devices.weakSteps[device] = 0;
    return breakLink(state, row);
  }
  const now = steeredLink(state, device, type) ?? chooseLink(state, device, type, before, lamp);
  if (now === before) return now;
  const served = before >= 0 && now >= 0 ? handOver(state, device, row, before, now) : undefined;
  if (type === nr) {
    devices.weakSteps[device] = 0;
    devices.betterSteps[device] = 0;
  }
  if (served !== undefined) return served;
  serve(state, row, now);
  if (now >= 0) devices.lostS[row] = interruption(state, row, now, now);
  return now;
}

function chooseLink(state: WorldState, device: number, type: number, before: number, lamp: number): number {
  const { cells, devices } = state;
  const best =
    type === lifi ? lamp : type === wifi ? chooseAccessPoint(state, device, before) : chooseCell(state, device, before);
  if (best >= 0 || before < 0 || cells.isOnAir[before] === 0) return best;
  // The link to a cell that empties, or to a lamp in whose light somebody stands, is kept: it costs nothing to wait.
  return cells.isOpen[before] === 0 || (type === lifi && devices.isBlocked[device] === 1) ? before : -1;
}

/** Where the device was steered to, if that is of this technology and can serve it. */
function steeredLink(state: WorldState, device: number, type: number): number | undefined {
  const { cells, devices } = state;
  const target = devices.steeredTo[device]!;
  if (target < 0 || cells.type[target] !== type) return undefined;
  const isForced = devices.isForced[device] === 1 && cells.isOpen[target] === 1;
  return isForced || canUse(state, device, target) ? target : undefined;
}
