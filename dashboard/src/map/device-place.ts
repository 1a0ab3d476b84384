// Where a device is drawn on the map. Its position is unknown: it stands among the access points that serve it and that it hears,
// nearer to the stronger ones. Pure.
import type { Device } from '../api/operations.ts';
import type { WorldPlace } from './mercator.ts';

export interface DeviceTie {
  ap_id: string;
  isServing: boolean;
  rssi_dbm: number | null;
}

export interface DrawnDevice {
  name: string;
  ties: readonly DeviceTie[];
}

/** Each access point once; one that serves it is not told again as heard. */
export function toDrawnDevice({ device, links, heard }: Pick<Device, 'device' | 'links' | 'heard'>): DrawnDevice {
  const ties = new Map<string, DeviceTie>();
  for (const { ap_id, rssi_dbm } of heard) {
    if (ap_id !== undefined && !ties.has(ap_id)) ties.set(ap_id, { ap_id, isServing: false, rssi_dbm });
  }
  for (const { ap_id, rssi_dbm } of links) ties.set(ap_id, { ap_id, isServing: true, rssi_dbm });
  return { name: device, ties: [...ties.values()] };
}

/** As loud as one that is hardly heard. */
const unknownDbm = -95;
/** Who serves it is near, whatever the others say. */
const servingShare = 3;

/** Undefined if none of its access points has a place. */
export function devicePlace(
  { ties }: DrawnDevice,
  placeOf: (ap_id: string) => WorldPlace | undefined,
): WorldPlace | undefined {
  let sum = 0;
  const place = { x: 0, y: 0 };
  for (const { ap_id, isServing, rssi_dbm } of ties) {
    const at = placeOf(ap_id);
    if (!at) continue;
    // The field falls with the distance: the root of the power.
    const weight = 10 ** ((rssi_dbm ?? unknownDbm) / 20) * (isServing ? servingShare : 1);
    sum += weight;
    place.x += at.x * weight;
    place.y += at.y * weight;
  }
  return sum > 0 ? { x: place.x / sum, y: place.y / sum } : undefined;
}
