// Everything a world is at one moment. Plain values and columns only, so that a copy of it is a copy of the world.
import type { AccessPoint } from '../access-points/access-point.ts';
import type { MultiLinks } from '../multi-link/multi-link-table.ts';
import type { Band } from '../radio/spectrum.ts';
import type { WifiRadio } from '../radio/wifi.ts';
import type { Imported } from '../traffic/imported.ts';
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

/** What stands among the lamps. */
export interface Pillars {
  x: Float64Array;
  y: Float64Array;
  /** By access point: which of them stand near it. */
  near: Int32Array[];
}

/** Who disturbs from outside the network. */
export interface Jammer {
  /** Index into accessPointTypes of what it disturbs. */
  type: number;
  x: number;
  y: number;
  /** mW per resource element (5G), mW (WiFi), W of light (LiFi). */
  power: number;
  channel: number;
  /** What it takes of the spectrum of WiFi. */
  band: Band;
}

/** What arrives from cells far away, by square of the map. */
export interface FarField {
  /** Counts changes of cells. */
  version: number;
  squares: Map<number, { version: number; mw: number }>;
}

/** Since the beginning: asked = delivered + lost + what still waits. One for each direction. */
export interface Balance {
  askedBits: number;
  deliveredBits: number;
  lostBits: number;
}

/** Since the beginning, over all devices, in device-seconds. */
export interface Experience {
  /** Without service, and lost to changes of access point. */
  outageS: number;
  /** With something to deliver; and of those, with a latency within the budget of its class. */
  dataS: number;
  metS: number;
}

/** As much of a world as follows from its access points alone: what a place receives, whoever is there. */
export type RadioState = Pick<
  WorldState,
  | 'model'
  | 'seed'
  | 'startMs'
  | 'step'
  | 'cells'
  | 'neighbours'
  | 'jammers'
  | 'nrActivity'
  | 'wifiVersion'
  | 'wifiRadio'
  | 'pillars'
> & {
  accessPoints: Pick<AccessPoint, 'ap_id' | 'type' | 'latitude' | 'longitude' | 'scenario'>[];
  nr: Pick<Layer, 'grid'>;
};

export interface WorldState {
  model: number;
  /** Of what stays as it is: who lives where, what stands in the way. */
  seed: number;
  /** Of all chance that is still to come. */
  chance: number;
  startMs: number;
  /** What the names of its devices begin with. */
  devicePrefix: string;
  /** Seconds of model time since the beginning. */
  step: number;
  accessPoints: AccessPoint[];
  cells: Cells;
  neighbours: Neighbours[];
  devices: Devices;
  multi: MultiLinks;
  nr: Layer;
  wifi: Layer;
  lifi: Layer;
  tallies: Tallies;
  balance: Balance;
  uplink: Balance;
  experience: Experience;
  /** How far the devices of each access point walk from it. */
  roamM: Float64Array;
  /** Counts changes of WiFi access points: who hears whom is worked out again then. */
  wifiVersion: number;
  wifiRadio: WifiRadio;
  /** Those of this second. */
  jammers: Jammer[];
  farField: FarField;
  /** Mean share of the air that 5G cells on the air used in the last second. */
  nrActivity: number;
  pillars: Pillars;
  imported?: Imported;
  served: number;
}
