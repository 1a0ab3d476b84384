// What differs between technologies on a radio map: how far an access point reaches and how well it is received there, what
// disturbs it, and what a receiver makes of it. Every formula is the world's own.

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
  /** What is received of `other` where the table of its reach has ended, if that counts. */
  beyond?(server: number, other: number): number;
  /** Noise and whatever else disturbs, beside the access points in reach, at a place on the plane of the world. */
  noise(server: number, power: number, x: number, y: number): number;
  /** What all of the air would give a single device. */
  rateMbps(server: number, power: number, sinr: number): number;
}

/** Gains over the distance d, at place `lookUp * d / (d + range / 2)` of the tables. */
export interface Reach {
  rangeM: number;
  clear: Float64Array;
  /** Without a line of sight; and how likely there is one, which is drawn for each patch of ground. */
  blocked?: Float64Array;
  chance?: Float64Array;
  patchM: number;
  /** What is left where something stands in the way; the place is given from the access point. */
  left?(x: number, y: number): number;
}
