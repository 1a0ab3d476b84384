// Who serves whom: light before WiFi before 5G, as far as each is good enough; a device keeps what it has until something
// else is clearly better, and goes where it is steered while that can serve it. Changes cost time, and may fail.
import { streams, uniform } from '../randomness.ts';
import { canUseLamp, chooseLamp } from './lifi-layer.ts';
import { brokenSinr, canUseCell, chooseCell, nrSinrAt } from './nr-layer.ts';
import { canUseAccessPoint, chooseAccessPoint } from './wifi-layer.ts';
import { accessPointTypes } from './world-spec.ts';
import type { WorldState } from './world-state.ts';

const [nr, wifi, lifi] = accessPointTypes.keys();

/** Seconds without service: within a technology, and from one to another (Wu and Haas have means of 0.2 and 0.5 s for light). */
const interruptionS: Record<number, [number, number]> = {
  [nr!]: [0.03, 0.05],
  [wifi!]: [0.05, 0.5],
  [lifi!]: [0.1, 0.3],
};
const betweenS: [number, number] = [0.3, 0.7];
/** A link that is too weak for so many seconds is lost (T310), and so long it takes to find another. */
const brokenAfterSteps = 2;
const reestablishSteps = 1;
/** Whoever is back within so many seconds went to and fro. */
export const pingPongSteps = 5;

/** Attaches the device for this second, counts a change, and returns the access point or -1. */
export function attach(state: WorldState, device: number, noiseA2: Float64Array): number {
  const { devices, tallies, step } = state;
  const before = devices.serving[device]!;
  devices.lostS[device] = 0;
  // Asked in every second: people step into the light of those who do not use it, too.
  const lamp = chooseLamp(state, device, before, noiseA2);
  if (step < devices.outUntilStep[device]!) return -1;
  if (before >= 0 && isLinkBroken(state, device)) {
    tallies.linkFailures[before]! += 1;
    return breakLink(state, device);
  }
  const now = steered(state, device) ?? choose(state, device, before, lamp);
  if (now === before) return now;
  if (before >= 0 && now >= 0) return handOver(state, device, device, before, now);
  serve(state, device, now);
  if (now >= 0) devices.lostS[device] = interruption(state, device, now, now);
  return now;
}

/** Too weak for too long; who is steered stays nevertheless. */
export function isLinkBroken({ devices }: WorldState, device: number): boolean {
  return devices.weakSteps[device]! >= brokenAfterSteps && devices.steeredTo[device]! < 0;
}

/** The source counts its result; the target only who arrived. `row` is that of the link (multi-link/). */
export function handOver(state: WorldState, device: number, row: number, before: number, now: number): number {
  const { cells, devices, tallies, step } = state;
  tallies.handoverAttempts[before]! += 1;
  if (devices.isForced[device] === 0 && (isCommandLost(state, device, before) || isTargetWeak(state, device, now))) {
    tallies.handoverFailures[before]! += 1;
    return breakLink(state, row);
  }
  tallies.handoversOut[before]! += 1;
  tallies.handoversIn[now]! += 1;
  if (cells.type[before] === lifi && cells.type[now] === wifi) tallies.toWifi[before]! += 1;
  if (devices.previous[row] === now && step - devices.leftAtStep[row]! <= pingPongSteps) {
    tallies.pingPongs[before]! += 1;
  }
  devices.previous[row] = before;
  devices.leftAtStep[row] = step;
  devices.lostS[row] = interruption(state, row, before, now);
  serve(state, row, now);
  return now;
}

/** The source's link was too weak already, and still is, when the command to change is due: T310 runs (TR 36.839, 5.2.1.3). */
function isCommandLost(state: WorldState, device: number, before: number): boolean {
  if (state.cells.type[before] !== nr || state.devices.weakSteps[device] === 0) return false;
  return nrSinrAt(state, device, before) < brokenSinr;
}

function isTargetWeak(state: WorldState, device: number, now: number): boolean {
  return state.cells.type[now] === nr && nrSinrAt(state, device, now) < brokenSinr;
}

export function breakLink(state: WorldState, row: number): number {
  const { devices, step } = state;
  serve(state, row, -1);
  devices.outUntilStep[row] = step + reestablishSteps;
  return -1;
}

export function serve({ cells, devices, step }: WorldState, row: number, now: number): void {
  const before = devices.serving[row]!;
  devices.serving[row] = now;
  devices.sinceStep[row] = step;
  devices.weakSteps[row] = 0;
  devices.betterSteps[row] = 0;
  if (before >= 0) cells.attached[before]! -= 1;
  if (now >= 0) cells.attached[now]! += 1;
}

export function interruption({ chance, step, cells }: WorldState, row: number, before: number, now: number): number {
  const [least, most] = cells.type[before] === cells.type[now] ? interruptionS[cells.type[now]!]! : betweenS;
  return least + (most - least) * uniform(chance, streams.interruption, row, step);
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
  const { cells, devices, step } = state;
  const target = devices.steeredTo[device]!;
  if (target < 0) return undefined;
  if (step < devices.steeredUntilStep[device]!) {
    if (devices.isForced[device] === 1 && cells.isOpen[target] === 1) return target;
    if (canUse(state, device, target)) return target;
  } else devices.steeredTo[device] = -1;
  return undefined;
}
