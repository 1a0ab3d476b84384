// The table of devices that hold several links, as columns.
import { type AccessPointType, accessPointTypes, type LinkMode } from '../world/world-spec.ts';

export interface LinkPolicy {
  mode: LinkMode;
  /** What comes first; default: LiFi, then WiFi, then 5G. */
  primary?: AccessPointType;
  /** For load_balancing, by technology; default: by what each link can carry. */
  weights?: Partial<Record<AccessPointType, number>>;
}

/** How many links a device can hold: one of each technology. */
export const linksEach = accessPointTypes.length;

export type MultiLinks = ReturnType<typeof createMultiLinks>;

export function createMultiLinks(devices: number) {
  return {
    /** By device: its entry, or -1. An entry stays, also with the mode `single`. */
    entry: new Int32Array(devices).fill(-1),
    /** How many entries there are. By entry: the device, an index into linkModes, and an index into accessPointTypes or -1. */
    count: 0,
    device: new Int32Array(),
    mode: new Uint8Array(),
    primary: new Int32Array(),
    /** The technology that carries most now, or -1; and how often that has changed. */
    carrier: new Int32Array(),
    switches: new Int32Array(),
    /** Bits that were delivered once more than needed. */
    duplicateBits: new Float64Array(),
    /** By entry and technology. All weights 0: by what the links can carry. */
    weights: new Float64Array(),
    /** For how many seconds the link could be used without a break, and what it gave recently to somebody with data without end. */
    usableSteps: new Int32Array(),
    usualBps: new Float64Array(),
  };
}
