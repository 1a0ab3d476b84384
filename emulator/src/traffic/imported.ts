// What comes from measurements instead of chance: where devices are, what they ask for, and the walls between.
import { fromDb } from '@weft/contract/exact-math';

/** When a device is where; in between it goes straight and evenly, before and after it stays. */
export interface Track {
  device: number;
  second: Float64Array;
  x: Float64Array;
  y: Float64Array;
}

/** What a device asks for in single seconds, which it never gives up; it asks for nothing else. */
export interface ImportedTraffic {
  device: number;
  second: Float64Array;
  downBits: Float64Array;
  upBits: Float64Array;
}

export interface Wall {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  lossDb: number;
}

export interface Imported {
  tracks: readonly Track[];
  traffic: readonly ImportedTraffic[];
  walls: readonly Wall[];
}

/** As much of a world as is needed here; it holds what was imported itself. */
interface Measured {
  imported?: Imported;
  step: number;
  devices: Record<'x' | 'y' | 'movedM' | 'streamBits' | 'backlogBits' | 'upBacklogBits', Float64Array>;
  cells: Record<'x' | 'y', Float64Array>;
  balance: { askedBits: number };
  uplink: { askedBits: number };
}

/** Index of the last second that is not after this one; -1 before the first. */
function lastBefore(seconds: Float64Array, second: number): number {
  let [low, high] = [0, seconds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (seconds[middle]! <= second) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function placeAt({ second, x, y }: Track, step: number): [number, number] {
  const from = Math.max(0, lastBefore(second, step));
  const to = Math.min(second.length - 1, from + 1);
  if (to === from || step <= second[from]!) return [x[from]!, y[from]!];
  const share = (step - second[from]!) / (second[to]! - second[from]!);
  return [x[from]! + share * (x[to]! - x[from]!), y[from]! + share * (y[to]! - y[from]!)];
}

export function followTracks({ devices, imported, step }: Measured): void {
  for (const track of imported?.tracks ?? []) {
    const [x, y] = placeAt(track, step);
    const [oldX, oldY] = placeAt(track, Math.max(0, step - 1));
    devices.x[track.device] = x;
    devices.y[track.device] = y;
    devices.movedM[track.device] = Math.sqrt((x - oldX) * (x - oldX) + (y - oldY) * (y - oldY));
  }
}

/** What arrives in this second arrives evenly. */
export function askImported({ devices, imported, step, balance, uplink }: Measured): void {
  for (const { device, second, downBits, upBits } of imported?.traffic ?? []) {
    devices.streamBits[device] = 0;
    const at = lastBefore(second, step);
    if (at < 0 || second[at] !== step) continue;
    devices.streamBits[device] = downBits[at]!;
    devices.backlogBits[device]! += downBits[at]!;
    devices.upBacklogBits[device]! += upBits[at]!;
    balance.askedBits += downBits[at]!;
    uplink.askedBits += upBits[at]!;
  }
}

/** What the walls between two places leave of what is sent. */
export function gainThrough(walls: readonly Wall[], fromX: number, fromY: number, toX: number, toY: number): number {
  let lossDb = 0;
  for (const wall of walls) if (isCrossed(wall, fromX, fromY, toX, toY)) lossDb += wall.lossDb;
  return lossDb === 0 ? 1 : fromDb(-lossDb);
}

/** Of the way between a device and an access point. */
export function wallGain({ imported, devices, cells }: Measured, device: number, ap: number): number {
  if (!imported || imported.walls.length === 0) return 1;
  return gainThrough(imported.walls, devices.x[device]!, devices.y[device]!, cells.x[ap]!, cells.y[ap]!);
}

function isCrossed({ x1, y1, x2, y2 }: Wall, fromX: number, fromY: number, toX: number, toY: number): boolean {
  const side = (ax: number, ay: number, bx: number, by: number, x: number, y: number) =>
    (bx - ax) * (y - ay) - (by - ay) * (x - ax);
  const isApart = (one: number, other: number) => (one > 0 && other <= 0) || (one <= 0 && other > 0);
  return (
    isApart(side(x1, y1, x2, y2, fromX, fromY), side(x1, y1, x2, y2, toX, toY)) &&
    isApart(side(fromX, fromY, toX, toY, x1, y1), side(fromX, fromY, toX, toY, x2, y2))
  );
}
