// The devices of a world, as columns: who they are, where they are, what they want. Each lives around the access point
// it was made for, and may attach to any that it can hear.
import { cos, sin } from '../exact-math.ts';
import { wallLossDb } from '../radio/nr.ts';
import { streams, uniform } from '../randomness.ts';
import type { AccessPointType } from './world-spec.ts';

export const kinds = { seated: 0, walking: 1, corridor: 2, vehicle: 3 } as const;

export interface Devices {
  count: number;
  kind: Uint8Array;
  /** Index of the access point it lives around. */
  home: Int32Array;
  x: Float64Array;
  y: Float64Array;
  /** Metres since the step before. */
  movedM: Float64Array;
  isIndoor: Uint8Array;
  /** Loss through the facade it sits behind. */
  wallDb: Float64Array;
  speedMPerS: Float64Array;
  /** Where on its way a device that goes to and fro began, in metres. */
  phaseM: Float64Array;
  axisX: Float64Array;
  axisY: Float64Array;
  /** The way of those who walk about: the number of the leg, its end, and when it begins. */
  leg: Int32Array;
  targetX: Float64Array;
  targetY: Float64Array;
  pausesUntilStep: Int32Array;
  /** Index of the access point it is attached to, or -1. */
  serving: Int32Array;
  /** The 5G cell that was better than its own in the last second, or -1. */
  contender: Int32Array;
  steeredTo: Int32Array;
  steeredUntilStep: Int32Array;
  /** The lamp it sits under, or -1; whether somebody stands in its light; since when nobody does. */
  lamp: Int32Array;
  isBlocked: Uint8Array;
  clearSinceStep: Int32Array;
  /** Bits asked for and not yet delivered. */
  backlogBits: Float64Array;
  /** What all of the access point's air would give it, and the share of that air it wants. */
  rateBps: Float64Array;
  wantedShare: Float64Array;
}

interface Habits {
  /** Shares of seated, walking and corridor; the rest drives. */
  shares: [number, number, number];
  /** How far around the access point devices are put, and how far they walk. */
  radiusM: number;
  roamM: number;
  indoorShareOfSeated: number;
}

const habits: Record<AccessPointType, Habits> = {
  '5G': { shares: [0.4, 0.3, 0], radiusM: 150, roamM: 150, indoorShareOfSeated: 0.8 },
  WiFi: { shares: [0.6, 0.25, 0.15], radiusM: 12, roamM: 20, indoorShareOfSeated: 1 },
  LiFi: { shares: [0.85, 0.15, 0], radiusM: 1.6, roamM: 5, indoorShareOfSeated: 1 },
};
const speedRanges: Record<number, [number, number]> = {
  [kinds.seated]: [0, 0],
  [kinds.walking]: [0.5, 1.5],
  [kinds.corridor]: [0.8, 1.6],
  [kinds.vehicle]: [8, 14],
};
const wallFrequencyGhz = 3.5;

export interface Home {
  type: AccessPointType;
  x: number;
  y: number;
  devices: number;
}

export function roamRadiusM(type: AccessPointType): number {
  return habits[type].roamM;
}

export function createDevices(seed: number, homes: readonly Home[]): Devices {
  const count = homes.reduce((sum, { devices }) => sum + devices, 0);
  const devices = emptyColumns(count);
  let index = 0;
  for (const [home, { type, x, y, devices: number }] of homes.entries()) {
    for (let n = 0; n < number; n++, index++) settle(devices, seed, index, home, habits[type], x, y);
  }
  return devices;
}

function settle(d: Devices, seed: number, index: number, home: number, habit: Habits, x: number, y: number): void {
  const draw = (stream: number) => uniform(seed, stream, index, 0);
  const kind = kindOf(draw(streams.kind), habit.shares);
  const heading = 2 * Math.PI * draw(streams.heading);
  const angle = 2 * Math.PI * draw(streams.angle);
  const radius = habit.radiusM * Math.sqrt(draw(streams.place));
  const [slowest, fastest] = speedRanges[kind]!;
  d.kind[index] = kind;
  d.home[index] = home;
  d.x[index] = x + radius * cos(angle);
  d.y[index] = y + radius * sin(angle);
  d.speedMPerS[index] = slowest + (fastest - slowest) * draw(streams.speed);
  d.phaseM[index] = 1000 * draw(streams.phase);
  d.axisX[index] = cos(heading);
  d.axisY[index] = sin(heading);
  d.targetX[index] = d.x[index]!;
  d.targetY[index] = d.y[index]!;
  const isInside =
    habit.indoorShareOfSeated === 1 || (kind === kinds.seated && draw(streams.indoor) < habit.indoorShareOfSeated);
  d.isIndoor[index] = isInside ? 1 : 0;
  const depthM = 25 * Math.min(uniform(seed, streams.wall, index, 1), uniform(seed, streams.wall, index, 2));
  // Most facades are old ones.
  const facade = draw(streams.wall) < 0.85 ? 'low' : 'high';
  d.wallDb[index] = isInside ? wallLossDb(facade, wallFrequencyGhz, depthM) : 0;
}

function kindOf(u: number, [seated, walking, corridor]: Habits['shares']): number {
  if (u < seated) return kinds.seated;
  if (u < seated + walking) return kinds.walking;
  return u < seated + walking + corridor ? kinds.corridor : kinds.vehicle;
}

function emptyColumns(count: number): Devices {
  const numbers = () => new Float64Array(count);
  const integers = (value = 0) => new Int32Array(count).fill(value);
  const flags = () => new Uint8Array(count);
  return {
    count,
    kind: flags(),
    home: integers(),
    x: numbers(),
    y: numbers(),
    movedM: numbers(),
    isIndoor: flags(),
    wallDb: numbers(),
    speedMPerS: numbers(),
    phaseM: numbers(),
    axisX: numbers(),
    axisY: numbers(),
    leg: integers(),
    targetX: numbers(),
    targetY: numbers(),
    pausesUntilStep: integers(),
    serving: integers(-1),
    contender: integers(-1),
    steeredTo: integers(-1),
    steeredUntilStep: integers(),
    lamp: integers(-1),
    isBlocked: flags(),
    clearSinceStep: integers(-1000),
    backlogBits: numbers(),
    rateBps: numbers(),
    wantedShare: numbers(),
  };
}
