// Who stands in the light: people are upright cylinders beside their devices, pillars stand where the seed puts them, and a ray
// from a lamp is cut where it passes through one of them below its top. Each lamp has a ray of its own.
import { streams, uniform } from '../randomness.ts';
import { type Devices, kinds } from './devices.ts';
import { createGrid, createNearest, findNearest } from './spatial-grid.ts';
import type { Pillars, WorldState } from './world-state.ts';

export const lampHeightM = 2.15;
const bodyRadiusM = 0.2;
/** How far a person sits or stands from the device, on the side that its screen faces. */
export const reachM = 0.35;
/** How far heads are above devices: of those who sit, and of those who stand. */
const [seatedM, standingM] = [0.4, 0.75];
const pillarRadiusM = 0.25;
const lampsPerPillar = 9;
/** As wide as the longest stretch of a ray that a person can cut, so that few squares are looked at. */
const squareM = 1.5;

/** No ray of a lamp is longer. */
const rayM = 6;

/** A few pillars among the lamps, each beside one of them. */
export function placePillars(seed: number, lamps: readonly number[], x: Float64Array, y: Float64Array): Pillars {
  const chosen = lamps.filter((_, n) => n % lampsPerPillar === lampsPerPillar - 1);
  const offset = (stream: number, lamp: number) => 0.7 + 0.6 * uniform(seed, stream, lamp, 0);
  const pillars = {
    x: Float64Array.from(chosen, (lamp) => x[lamp]! + offset(streams.pillarX, lamp)),
    y: Float64Array.from(chosen, (lamp) => y[lamp]! + offset(streams.pillarY, lamp)),
  };
  const grid = createGrid([...chosen.keys()], pillars.x, pillars.y, rayM);
  const everyone = new Uint8Array(chosen.length).fill(1);
  const found = createNearest(16);
  const near = Array.from(x, () => new Int32Array());
  for (const lamp of lamps) {
    findNearest(grid, pillars.x, pillars.y, everyone, x[lamp]!, y[lamp]!, found);
    near[lamp] = found.index.slice(0, found.count);
  }
  return { ...pillars, near };
}

/** Everybody near a lamp, by square; rebuilt in each second. */
export class Bodies {
  #heads = new Int32Array(64).fill(-1);
  #next = new Int32Array(0);
  #x = new Float64Array(0);
  #y = new Float64Array(0);
  /** Height above the devices as a share of that of the lamps. */
  #top = new Float64Array(0);
  #mask = 63;

  gather({ devices, lifi: { links } }: WorldState): void {
    const { count } = devices;
    if (this.#next.length < count) this.#allocate(count);
    this.#heads.fill(-1);
    for (let device = 0; device < count; device++) {
      if (links.ap[device * links.slots]! < 0) continue;
      const x = devices.x[device]! + reachM * devices.axisX[device]!;
      const y = devices.y[device]! + reachM * devices.axisY[device]!;
      this.#x[device] = x;
      this.#y[device] = y;
      this.#top[device] = topOf(devices, device);
      const bucket = this.#bucketOf(Math.floor(x / squareM), Math.floor(y / squareM));
      this.#next[device] = this.#heads[bucket]!;
      this.#heads[bucket] = device;
    }
  }

  /** Whether somebody or something stands between the device and the lamp. */
  cuts({ cells, devices, pillars }: WorldState, device: number, lamp: number): boolean {
    const x = devices.x[device]!;
    const y = devices.y[device]!;
    const dx = cells.x[lamp]! - x;
    const dy = cells.y[lamp]! - y;
    if (isBehindPillar(pillars, lamp, x, y, dx, dy)) return true;
    // Beyond this share of the way the ray is above every head.
    const share = standingM / lampHeightM;
    const [endX, endY] = [x + share * dx, y + share * dy];
    const [left, right] = [Math.min(x, endX) - bodyRadiusM, Math.max(x, endX) + bodyRadiusM];
    const [bottom, top] = [Math.min(y, endY) - bodyRadiusM, Math.max(y, endY) + bodyRadiusM];
    for (let column = Math.floor(left / squareM); column <= Math.floor(right / squareM); column++) {
      for (let row = Math.floor(bottom / squareM); row <= Math.floor(top / squareM); row++) {
        for (let other = this.#heads[this.#bucketOf(column, row)]!; other >= 0; other = this.#next[other]!) {
          const tall = this.#top[other]!;
          if (isNear(this.#x[other]! - x, this.#y[other]! - y, tall * dx, tall * dy, bodyRadiusM)) return true;
        }
      }
    }
    return false;
  }

  #bucketOf(column: number, row: number): number {
    return (Math.imul(column, 0x9e3779b1) ^ Math.imul(row, 0x85ebca6b)) & this.#mask;
  }

  #allocate(count: number): void {
    let size = 64;
    while (size < count) size *= 2;
    this.#mask = size - 1;
    this.#heads = new Int32Array(size);
    this.#next = new Int32Array(count);
    this.#x = new Float64Array(count);
    this.#y = new Float64Array(count);
    this.#top = new Float64Array(count);
  }
}

/** Whether a pillar stands between a place and the lamp, which is so far from it. */
export function isBehindPillar(pillars: Pillars, lamp: number, x: number, y: number, dx: number, dy: number): boolean {
  for (const n of pillars.near[lamp]!) {
    if (isNear(pillars.x[n]! - x, pillars.y[n]! - y, dx, dy, pillarRadiusM)) return true;
  }
  return false;
}

function topOf({ kind }: Devices, device: number): number {
  return (kind[device] === kinds.seated ? seatedM : standingM) / lampHeightM;
}

/** Whether a point is within the radius of the stretch from the origin to (toX, toY). */
function isNear(x: number, y: number, toX: number, toY: number, radius: number): boolean {
  const length2 = toX * toX + toY * toY;
  const along = length2 === 0 ? 0 : Math.max(0, Math.min(1, (x * toX + y * toY) / length2));
  const [offX, offY] = [x - along * toX, y - along * toY];
  return offX * offX + offY * offY < radius * radius;
}
