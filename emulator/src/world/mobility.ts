// How devices move in a second: seated ones stay, walkers go from one chosen point to the next, corridors and roads are
// walked and driven to and fro.
import { streams, uniform } from '../randomness.ts';
import type { Cells } from './cells.ts';
import { type Devices, kinds } from './devices.ts';

const corridorM = 40;
const roadM = 800;
const longestPauseS = 30;

/** `roamM`: how far the devices of each access point walk from it. */
export function moveDevices(seed: number, step: number, devices: Devices, cells: Cells, roamM: Float64Array): void {
  const { count, kind, home, x, y, movedM } = devices;
  for (let index = 0; index < count; index++) {
    if (kind[index] === kinds.seated) continue;
    const [oldX, oldY] = [x[index]!, y[index]!];
    if (kind[index] === kinds.walking) walk(seed, step, devices, cells, roamM[home[index]!]!, index);
    else goToAndFro(step, devices, cells, index, kind[index] === kinds.corridor ? corridorM : roadM);
    const dx = x[index]! - oldX;
    const dy = y[index]! - oldY;
    movedM[index] = Math.sqrt(dx * dx + dy * dy);
  }
}

function walk(seed: number, step: number, devices: Devices, cells: Cells, roamM: number, index: number): void {
  const { x, y, targetX, targetY, pausesUntilStep, leg, speedMPerS, home } = devices;
  if (step < pausesUntilStep[index]!) return;
  const dx = targetX[index]! - x[index]!;
  const dy = targetY[index]! - y[index]!;
  const left = Math.sqrt(dx * dx + dy * dy);
  const reach = speedMPerS[index]!;
  if (left > reach) {
    x[index]! += (dx * reach) / left;
    y[index]! += (dy * reach) / left;
    return;
  }
  x[index] = targetX[index]!;
  y[index] = targetY[index]!;
  const next = ++leg[index]!;
  const centre = home[index]!;
  targetX[index] = cells.x[centre]! + roamM * (2 * uniform(seed, streams.waypointX, index, next) - 1);
  targetY[index] = cells.y[centre]! + roamM * (2 * uniform(seed, streams.waypointY, index, next) - 1);
  pausesUntilStep[index] = step + Math.floor(longestPauseS * uniform(seed, streams.pause, index, next));
}

function goToAndFro(step: number, devices: Devices, cells: Cells, index: number, lengthM: number): void {
  const { x, y, home, phaseM, speedMPerS, axisX, axisY } = devices;
  const way = (phaseM[index]! + speedMPerS[index]! * step) % (2 * lengthM);
  const along = (way < lengthM ? way : 2 * lengthM - way) - lengthM / 2;
  // A few metres beside the middle, so that nobody drives through the mast.
  const beside = 3;
  x[index] = cells.x[home[index]!]! + along * axisX[index]! - beside * axisY[index]!;
  y[index] = cells.y[home[index]!]! + along * axisY[index]! + beside * axisX[index]!;
}
