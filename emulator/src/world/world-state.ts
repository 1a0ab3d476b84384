// Everything a world is at one moment. Plain values and columns only, so that a copy of it is a copy of the world.
import type { AccessPoint } from '../access-points/access-point.ts';
import type { Cells } from './cells.ts';
import type { Devices } from './devices.ts';
import type { Links } from './link-table.ts';
import type { SpatialGrid } from './spatial-grid.ts';
import type { Tallies } from './tallies.ts';

/** Who stands near an access point of its own kind, and how well the two hear each other. */
export interface Neighbours {
  index: Int32Array;
  distanceM: Float64Array;
  gain: Float64Array;
}

export interface Layer {
  grid: SpatialGrid;
  links: Links;
}

/** Since the beginning: asked = delivered + lost + what still waits. */
export interface Balance {
  askedBits: number;
  deliveredBits: number;
  lostBits: number;
}

export interface WorldState {
  seed: number;
  startMs: number;
  /** Seconds of model time since the beginning. */
  step: number;
  peakBpsPerDevice: number;
  accessPoints: AccessPoint[];
  cells: Cells;
  neighbours: Neighbours[];
  devices: Devices;
  nr: Layer;
  wifi: Layer;
  lifi: Layer;
  tallies: Tallies;
  balance: Balance;
  served: number;
}
