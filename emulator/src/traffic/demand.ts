// What devices ask for: flows that arrive by chance, with sizes of a long tail, as often as the hour of the day and the
// day of the week want it.

import { trafficClasses } from '@weft/contract/emulated-model';
import { exp } from '@weft/contract/exact-math';
import { normal, streams, uniform } from '../randomness.ts';
import type { Devices } from '../world/devices.ts';
import type { Profile } from '../world/world-spec.ts';
import type { Balance } from '../world/world-state.ts';
import { classModels } from './traffic-classes.ts';

const uses = trafficClasses.map((name) => classModels[name]);

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

/** Transfers of one device in one second on average; where more arrive, they are counted as so many larger ones. */
export const mostArrivals = 16;
/** By chance there may be more; draws are numbered by this. */
export const mostDraws = 4 * mostArrivals;

/** Of one that arrives in this second, with a mean of one. */
export function sizeOf(chance: number, step: number, device: number, n: number, spread: number): number {
  const draw = normal(chance, streams.flowSize, device, step * mostDraws + n);
  return exp(spread * draw - (spread * spread) / 2);
}

/** How many arrive in a second, of so many on average (Poisson). */
function arrivalsOf(mean: number, u: number): number {
  let likely = exp(-mean);
  let below = likely;
  let count = 0;
  while (u >= below && count < mostDraws - 1) {
    count++;
    likely *= mean / count;
    below += likely;
  }
  return count;
}

/**
 * What devices ask for in one second, by the factor of each one's home: transfers by chance, streams evenly while their
 * session lasts. What has waited too long is given up, down and up.
 */
export function askForTraffic(
  chance: number,
  step: number,
  devices: Devices,
  factors: Float64Array,
  down: Balance,
  up: Balance,
): void {
  const { count, home, trafficClass, peakBps, backlogBits, upBacklogBits, streamBits, newBits, arrivals } = devices;
  const minute = Math.floor(step / 60);
  for (let device = 0; device < count; device++) {
    const use = uses[trafficClass[device]!]!;
    const usualBps = peakBps[device]!;
    const meanBps = usualBps * factors[home[device]!]!;
    streamBits[device] = 0;
    newBits[device] = 0;
    if (meanBps === 0) continue;
    let bits = 0;
    if (use.burstBits === 0) {
      // A session begins and ends with a minute.
      if (use.activity < 1 && uniform(chance, streams.session, device, minute) >= use.activity) continue;
      bits = meanBps / use.activity;
    } else {
      const mean = meanBps / use.burstBits;
      const larger = Math.max(1, mean / mostArrivals);
      const count = arrivalsOf(mean / larger, uniform(chance, streams.flow, device, step));
      if (count === 0) continue;
      for (let n = 0; n < count; n++) bits += larger * use.burstBits * sizeOf(chance, step, device, n, use.spread);
      newBits[device] = bits;
      arrivals[device] = count;
    }
    // Whoever asks again gives up what has waited too long; what is new comes in whole.
    const most = use.patienceS * (usualBps / use.activity);
    const lost = Math.max(0, backlogBits[device]! - most);
    down.askedBits += bits;
    down.lostBits += lost;
    backlogBits[device] = backlogBits[device]! - lost + bits;
    if (use.burstBits === 0) streamBits[device] = bits;
    const upBits = bits * use.uplink;
    const upLost = Math.max(0, upBacklogBits[device]! - most * use.uplink);
    up.askedBits += upBits;
    up.lostBits += upLost;
    upBacklogBits[device] = upBacklogBits[device]! - upLost + upBits;
  }
}
