// A layer of settings, the access point as far as layers depend on it, and how far the names of secrets in a layer reach.
import type { Settings } from './settings.ts';

/** Of each who has brought a name there: the selectors that they managed. One who manages everything is left out. */
export type Managed = readonly (readonly string[])[];

/** By leaf; one that is not among these reaches everything. */
export type Reach = readonly (readonly [leaf: string, managed: Managed])[];

export interface Layer {
  id: string;
  name: string;
  selector: string;
  weight: number;
  settings: Settings;
  /** Settings that an access point does not declare are left out for it, instead of refused. */
  optional: boolean;
  version: number;
  /** How far the names of secrets in it reach; null or absent for one from before this was asked: everything. */
  reach?: Reach | null;
}

/** The access point as far as layers and variables depend on it: nothing that it says about itself. */
export interface RenderedAgent {
  ap_id: string;
  /** The path of its site. */
  site: string | null;
  tags: readonly string[];
}

export type VariableValue = string | number | boolean;
