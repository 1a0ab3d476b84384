// What devices ask for: flows that arrive by chance, with sizes of a long tail, as often as the hour of the day and the
// day of the week want it.
import { exp } from '../exact-math.ts';
import { normal, streams, uniform } from '../randomness.ts';
import type { Devices } from './devices.ts';
import type { Profile } from './world-spec.ts';

/** Share of the busiest hour, hour by hour from midnight. */
const days: Record<Profile, readonly number[]> = {
  office: [
    0.05, 0.04, 0.04, 0.04, 0.05, 0.08, 0.15, 0.35, 0.7, 0.9, 1, 0.95, 0.7, 0.85, 1, 0.95, 0.85, 0.65, 0.4, 0.25, 0.18,
    0.12, 0.08, 0.06,
  ],
  home: [
    0.3, 0.18, 0.12, 0.1, 0.1, 0.14, 0.3, 0.5, 0.45, 0.35, 0.33, 0.35, 0.42, 0.4, 0.38, 0.42, 0.5, 0.62, 0.75, 0.88,
    0.97, 1, 0.85, 0.55,
  ],
  city: [
    0.25, 0.15, 0.1, 0.08, 0.1, 0.2, 0.45, 0.8, 0.95, 0.8, 0.72, 0.75, 0.82, 0.78, 0.75, 0.8, 0.9, 1, 0.98, 0.9, 0.8,
    0.68, 0.5, 0.36,
  ],
  stadium: [
    0.04, 0.04, 0.04, 0.04, 0.04, 0.04, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.22, 0.3, 0.4, 0.5, 0.7, 0.95, 1, 0.9,
    0.6, 0.2, 0.08,
  ],
  // For demonstrations: something happens at whatever hour.
  always: Array(24).fill(0.85),
};
const weekends: Record<Profile, number> = { office: 0.2, home: 1.15, city: 0.85, stadium: 1.4, always: 1 };

const msPerHour = 3_600_000;
const hoursPerWeek = 168;
/** 1970 began on a Thursday; counted from Monday. */
const firstHour = 72;

/** Local hours since Monday 0:00, by the sun: an hour for every 15 degrees. */
export function localHour(timeMs: number, longitude: number): number {
  const hours = timeMs / msPerHour + firstHour + longitude / 15;
  return ((hours % hoursPerWeek) + hoursPerWeek) % hoursPerWeek;
}

/** Share of the busiest hour that devices of this profile ask for; it runs evenly from hour to hour. */
export function demandFactor(profile: Profile, hourOfWeek: number): number {
  const hour = hourOfWeek % 24;
  const day = days[profile];
  const from = day[Math.floor(hour)]!;
  const to = day[(Math.floor(hour) + 1) % 24]!;
  const weekend = hourOfWeek >= 120 ? weekends[profile] : 1;
  return (from + (to - from) * (hour - Math.floor(hour))) * weekend;
}

/** Daylight on the desks, in lux: dark before six and after six, brightest at noon. */
export function daylightLx(hourOfWeek: number): number {
  const fromNoon = ((hourOfWeek % 24) - 12) / 6;
  return fromNoon * fromNoon >= 1 ? 0 : brightestLx * (1 - fromNoon * fromNoon);
}

export const brightestLx = 400;

const meanFlowBits = 12e6;
/** Deviation of the logarithm of sizes. */
const spread = 1;
/** What has waited longer than this much is given up. */
const mostWaitingBits = 400e6;

/**
 * The flows of one second, by the factor of each device's home. Returns through `lost` and `asked` what was asked for, and
 * what was given up because too much waits already, by home.
 */
export function askForTraffic(
  seed: number,
  step: number,
  devices: Devices,
  factors: Float64Array,
  peakBps: number,
  asked: Float64Array,
  lost: Float64Array,
): void {
  const { count, home, backlogBits } = devices;
  const chances = factors.map((factor) => 1 - exp((-peakBps * factor) / meanFlowBits));
  for (let index = 0; index < count; index++) {
    const at = home[index]!;
    const chance = chances[at]!;
    if (uniform(seed, streams.flow, index, step) >= chance) continue;
    const size = meanFlowBits * exp(spread * normal(seed, streams.flowSize, index, step) - (spread * spread) / 2);
    // Where several flows fall into one second, they count as one larger.
    const bits = (size * peakBps * factors[at]!) / (meanFlowBits * chance);
    const waiting = backlogBits[index]! + bits;
    asked[at]! += bits;
    lost[at]! += Math.max(0, waiting - mostWaitingBits);
    backlogBits[index] = Math.min(mostWaitingBits, waiting);
  }
}
