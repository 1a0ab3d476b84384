// Who serves whom: light before WiFi before 5G, as far as each is good enough; a device keeps what it has until something
// else is clearly better, and goes where it is steered while that can serve it.
import { canUseLamp, chooseLamp } from './lifi-layer.ts';
import { canUseCell, chooseCell } from './nr-layer.ts';
import { canUseAccessPoint, chooseAccessPoint } from './wifi-layer.ts';
import { accessPointTypes } from './world-spec.ts';
import type { WorldState } from './world-state.ts';

const [nr, wifi, lifi] = accessPointTypes.keys();

/** Attaches the device for this second, counts a change, and returns the access point or -1. */
export function attach(state: WorldState, device: number, noiseA2: Float64Array): number {
  const { cells, devices, tallies } = state;
  const before = devices.serving[device]!;
  // Asked in every second: people step into the light of those who do not use it, too.
  const lamp = chooseLamp(state, device, before, noiseA2);
  const now = steered(state, device) ?? choose(state, device, before, lamp);
  if (now === before) return now;
  devices.serving[device] = now;
  if (before >= 0) {
    cells.attached[before]! -= 1;
    tallies.handoversOut[before]! += 1;
    if (now >= 0 && cells.type[before] === lifi && cells.type[now] === wifi) tallies.toWifi[before]! += 1;
  }
  if (now >= 0) {
    cells.attached[now]! += 1;
    if (before >= 0) tallies.handoversIn[now]! += 1;
  }
  return now;
}

/** Whether the device could be served by the access point. */
export function canUse(state: WorldState, device: number, ap: number): boolean {
  const type = state.cells.type[ap];
  if (type === nr) return canUseCell(state, device, ap);
  return type === wifi ? canUseAccessPoint(state, device, ap) : canUseLamp(state, device, ap);
}

function choose(state: WorldState, device: number, before: number, lamp: number): number {
  if (lamp >= 0) return lamp;
  const accessPoint = chooseAccessPoint(state, device, before);
  if (accessPoint >= 0) return accessPoint;
  const cell = chooseCell(state, device, before);
  if (cell >= 0) return cell;
  return mustHoldOn(state, device, before) ? before : -1;
}

/** With nowhere else to go, a device stays in a cell that empties, and under a lamp in whose light somebody stands. */
function mustHoldOn({ cells, devices }: WorldState, device: number, before: number): boolean {
  if (before < 0 || cells.isOnAir[before] === 0) return false;
  return cells.isOpen[before] === 0 || (cells.type[before] === lifi && devices.isBlocked[device] === 1);
}

function steered(state: WorldState, device: number): number | undefined {
  const { devices, step } = state;
  const target = devices.steeredTo[device]!;
  if (target < 0) return undefined;
  if (step < devices.steeredUntilStep[device]! && canUse(state, device, target)) return target;
  if (step >= devices.steeredUntilStep[device]!) devices.steeredTo[device] = -1;
  return undefined;
}
