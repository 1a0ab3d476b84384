// What differs between technologies on a radio map: how far an access point reaches and how well it is received there, what
// disturbs it, and what a receiver makes of it.
import type { WorldState } from './world/world-state.ts';

/** As much of a world as the map depends on. */
export type CoverageState = Pick<WorldState, 'seed' | 'startMs' | 'step' | 'accessPoints' | 'cells' | 'neighbours'>;

export interface Air {
  heightM: number;
  /** How much is shown around the outermost access points. */
  marginM: number;
  /** What is weaker counts as nothing; as `cells.power` counts. */
  leastPower: number;
  toDbm(power: number): number;
  /** In the unit of noise and interference. */
  electrical(power: number): number;
  reach(ap: number): Reach;
  /** Which share of what is received of `other` disturbs those that `server` serves. */
  weight(server: number, other: number): number;
  noise(server: number): number;
  /** What all of the air would give a single device. */
  rateMbps(server: number, power: number, sinr: number): number;
}

/** Gains over the distance, closer together where it is short: at `lookUp * d / (d + range / 2)`. */
export interface Reach {
  rangeM: number;
  lookUp: number;
  clear: Float64Array;
  /** Without a line of sight; and how likely there is one, which is drawn for each patch of ground. */
  blocked: Float64Array;
  chance: Float64Array | undefined;
  patchM: number;
}
