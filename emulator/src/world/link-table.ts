// The paths between devices and access points of one technology, as columns: a few slots for each device.

export interface Links {
  slots: number;
  /** By device and slot: the access point or -1, loudest first at the last search. */
  ap: Int32Array;
  /** Power received per power sent. */
  gain: Float64Array;
  /** Shadowing in deviations. */
  shadow: Float64Array;
  hasSight: Uint8Array;
  /** By device: what arrived at the last search from those that were heard and not kept. */
  rest: Float64Array;
  /** Where each device was at the last search, and whether the next must come at once. */
  searchedX: Float64Array;
  searchedY: Float64Array;
  isStale: Uint8Array;
}

export function createLinks(devices: number, slots: number): Links {
  return {
    slots,
    ap: new Int32Array(devices * slots).fill(-1),
    gain: new Float64Array(devices * slots),
    shadow: new Float64Array(devices * slots),
    hasSight: new Uint8Array(devices * slots),
    rest: new Float64Array(devices),
    searchedX: new Float64Array(devices),
    searchedY: new Float64Array(devices),
    isStale: new Uint8Array(devices).fill(1),
  };
}

/** Where a device's path to the access point stands in the columns, or -1. */
export function slotOf({ slots, ap }: Links, device: number, wanted: number): number {
  const from = device * slots;
  for (let slot = from; slot < from + slots; slot++) if (ap[slot] === wanted) return slot;
  return -1;
}
