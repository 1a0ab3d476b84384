// The devices of a world, as columns: who they are, where they are, what they want. Each lives around the access point
// it was made for, and may attach to any that it can hear.

import { usualMix } from '@weft/contract/emulated-model';
import { cos, fromDb, sin } from '@weft/contract/exact-math';
import { carLossDb, type NrScenario, nrFrequencyGhz, wallDeviationDb, wallLossDb } from '../radio/nr.ts';
import { normal, streams, uniform } from '../randomness.ts';
import { classAt, demandsBps } from '../traffic/traffic-classes.ts';
import type { AccessPointSpec, AccessPointType } from './world-spec.ts';

export const kinds = { seated: 0, walking: 1, corridor: 2, vehicle: 3 } as const;

/** What belongs to a link: devices that hold several have a row behind all devices for each of them (multi-link/). */
export const linkColumns = [
  ...['serving', 'sinceStep', 'betterSteps', 'weakSteps', 'outUntilStep', 'previous', 'leftAtStep'],
  ...['lostS', 'trafficClass', 'backlogBits', 'upBacklogBits', 'streamBits', 'newBits', 'arrivals'],
  ...['rateBps', 'upRateBps', 'need', 'signal', 'qualityDb', 'serviceBps', 'sentBits', 'airS', 'upAirS', 'latencyMs'],
] as const;

interface Habits {
  /** Shares of seated, walking and corridor; the rest drives. */
  shares: [number, number, number];
  /** How far around the access point devices are put, and how far they walk. */
  radiusM: number;
  roamM: number;
  indoorShareOfSeated: number;
}

const habits: Record<AccessPointType | 'InH', Habits> = {
  '5G': { shares: [0.4, 0.3, 0], radiusM: 150, roamM: 150, indoorShareOfSeated: 0.8 },
  // TR 38.901 table 7.2-2: an office, everybody inside and no faster than on foot.
  InH: { shares: [0.7, 0.2, 0.1], radiusM: 10, roamM: 20, indoorShareOfSeated: 1 },
  WiFi: { shares: [0.6, 0.25, 0.15], radiusM: 12, roamM: 20, indoorShareOfSeated: 1 },
  LiFi: { shares: [0.85, 0.15, 0], radiusM: 1.6, roamM: 5, indoorShareOfSeated: 1 },
};
const speedRanges: Record<number, [number, number]> = {
  [kinds.seated]: [0, 0],
  [kinds.walking]: [0.5, 1.5],
  [kinds.corridor]: [0.8, 1.6],
  [kinds.vehicle]: [8, 14],
};

export interface Home extends Pick<AccessPointSpec, 'type' | 'scenario' | 'mix' | 'devices'> {
  /** What one device asks for on average in the busiest hour. */
  meanBps?: number;
  x: number;
  y: number;
}

function habitsOf({ type, scenario }: { type: AccessPointType; scenario?: NrScenario }): Habits {
  return habits[type === '5G' && scenario === 'InH' ? 'InH' : type];
}

export function roamRadiusM(home: { type: AccessPointType; scenario: NrScenario }): number {
  return habitsOf(home).roamM;
}

export function createDevices(seed: number, homes: readonly Home[]): Devices {
  const count = homes.reduce((sum, { devices }) => sum + devices, 0);
  const devices = emptyColumns(count);
  let index = 0;
  for (const [number, home] of homes.entries()) {
    const habit = habitsOf(home);
    const demands = demandsBps(home.mix ?? usualMix, home.meanBps ?? 0);
    for (let n = 0; n < home.devices; n++, index++) {
      settle(devices, seed, index, number, habit, home.x, home.y);
      const use = classAt(uniform(seed, streams.trafficClass, index, 0), home.mix ?? usualMix);
      devices.trafficClass[index] = use;
      devices.peakBps[index] = demands[use]!;
    }
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
  const spread = normal(seed, streams.wallSpread, index, 0);
  const wallDb = isInside
    ? wallLossDb(facade, nrFrequencyGhz, depthM) + wallDeviationDb[facade] * spread
    : kind === kinds.vehicle
      ? carLossDb.mean + carLossDb.deviation * spread
      : 0;
  d.wallDb[index] = Math.max(0, wallDb);
  d.wallGain[index] = fromDb(-d.wallDb[index]!);
}

function kindOf(u: number, [seated, walking, corridor]: Habits['shares']): number {
  if (u < seated) return kinds.seated;
  if (u < seated + walking) return kinds.walking;
  return u < seated + walking + corridor ? kinds.corridor : kinds.vehicle;
}

export type Devices = ReturnType<typeof emptyColumns>;

function emptyColumns(count: number) {
  const numbers = (): Float64Array => new Float64Array(count);
  const integers = (value = 0): Int32Array => new Int32Array(count).fill(value);
  const flags = (): Uint8Array => new Uint8Array(count);
  return {
    count,
    kind: flags(),
    /** Index of the access point it lives around. */
    home: integers(),
    x: numbers(),
    y: numbers(),
    /** Metres since the step before. */
    movedM: numbers(),
    isIndoor: flags(),
    /** Loss through the facade it sits behind, or the car it sits in; and as a gain. */
    wallDb: numbers(),
    wallGain: numbers(),
    speedMPerS: numbers(),
    /** Where on its way a device that goes to and fro began, in metres. */
    phaseM: numbers(),
    axisX: numbers(),
    axisY: numbers(),
    /** The way of those who walk about: the number of the leg, its end, and when it begins. */
    leg: integers(),
    targetX: numbers(),
    targetY: numbers(),
    pausesUntilStep: integers(),
    /** Index of the access point it is attached to, or -1; and since when. */
    serving: integers(-1),
    sinceStep: integers(),
    /** For how many seconds another of its kind has been better than its own, and its own too bad. */
    betterSteps: integers(),
    weakSteps: integers(),
    /** Out of service until then, after a link that broke. */
    outUntilStep: integers(),
    /** Where it came from, and when: whoever goes back soon goes to and fro. */
    previous: integers(-1),
    leftAtStep: integers(-1000),
    /** Share of this second that a change of access point cost. */
    lostS: numbers(),
    steeredTo: integers(-1),
    steeredUntilStep: integers(),
    /** Stays where it was steered to, even without service. */
    isForced: flags(),
    /** The lamp it sits under, or -1; by slot, which lamps somebody hides from it; whether its own; since when not. */
    lamp: integers(-1),
    hidden: flags(),
    isBlocked: flags(),
    clearSinceStep: integers(-1000),
    /** Index into trafficClasses, and what it asks for in the busiest hour. */
    trafficClass: flags(),
    peakBps: numbers(),
    /** Bits asked for and not yet delivered, down and up. */
    backlogBits: numbers(),
    upBacklogBits: numbers(),
    /** What of the first arrives evenly in this second; what arrives in it as transfers, and as how many. */
    streamBits: numbers(),
    newBits: numbers(),
    arrivals: flags(),
    /** What all of the access point's air would give it, down and up, and the share of that air it needs. */
    rateBps: numbers(),
    upRateBps: numbers(),
    need: numbers(),
    /** What it received of its access point in the last second: dBm (5G: of one resource element), W of light (LiFi); and the SINR in dB. */
    signal: numbers(),
    qualityDb: numbers(),
    /** What it would really get in the last second if it had data without end. */
    serviceBps: numbers(),
    /** What was delivered in the last second, and for which part of it the device received and sent. */
    sentBits: numbers(),
    airS: numbers(),
    upAirS: numbers(),
    /** What its radios have taken from the battery so far. */
    energyJ: numbers(),
    /** Mean time in the network of what was delivered in the last second, in ms; 0 if nothing was, Infinity if it waits in vain. */
    latencyMs: numbers(),
  };
}
