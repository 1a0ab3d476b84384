// The paths between devices and access points of one technology, as columns: a few slots for each device.

export type Links = ReturnType<typeof createLinks>;

export function createLinks(devices: number, slots: number) {
  return {
    slots,
    /** By device and slot: the access point or -1, loudest first at the last search. */
    ap: new Int32Array(devices * slots).fill(-1),
    /** Power received per power sent. */
    gain: new Float64Array(devices * slots),
    /** Shadowing in deviations. */
    shadow: new Float64Array(devices * slots),
    hasSight: new Uint8Array(devices * slots),
    /** By device: what arrived at the last search from those that were heard and not kept. */
    rest: new Float64Array(devices),
    /** Where each device was at the last search, and whether the next must come at once. */
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
