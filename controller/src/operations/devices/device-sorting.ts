// The list of devices in another order than that of their names. What they are sorted by changes with every report, so pages are
// of the moment of the first one.

import { invalidValue } from '../../core/base/input/value-rules.ts';
import { compareKeys, type ListCursor, type SortKey } from '../../core/base/lists/list-cursor.ts';
import { TopN } from '../../core/base/lists/top-n.ts';
import { countInSlices } from '../../core/base/time-slices.ts';
import type { DeviceRegistry } from '../../core/devices/registry/device-registry.ts';
import { none } from '../../core/devices/registry/device-table.ts';
import { agentsThat, type DeviceSight } from './device-answer.ts';

export const deviceSorts = ['device', 'technology', 'ap_id', 'rssi_dbm', 'tx_mbps', 'since', 'last_seen'] as const;
type DeviceSort = (typeof deviceSorts)[number];

export interface DeviceOrder {
  field: DeviceSort;
  isDescending: boolean;
}

/** In the order of names. */
export interface DeviceSnapshot {
  count: number;
  names: readonly string[];
  keys: readonly SortKey[];
}

/** `field` or `-field`. Throws ValidationError. */
export function readDeviceOrder(sort = 'device'): DeviceOrder {
  const isDescending = sort.startsWith('-');
  const field = deviceSorts.find((each) => each === (isDescending ? sort.slice(1) : sort));
  if (field === undefined) {
    throw invalidValue(['query', 'sort'], `should be one of ${deviceSorts.join(', ')}, after - for the largest first`);
  }
  return { field, isDescending };
}

interface SnapshotOptions {
  registry: DeviceRegistry;
  sight: DeviceSight;
  order: DeviceOrder;
  passes: (slot: number) => boolean;
}

export async function takeDeviceSnapshot({ registry, passes, ...options }: SnapshotOptions): Promise<DeviceSnapshot> {
  const { table } = registry;
  const slots = table.order.slots();
  const keyOf = createKeyOf(registry, options.order, options.sight);
  const names: string[] = [];
  const keys: SortKey[] = [];
  await countInSlices(0, slots.length, (position) => {
    const slot = slots[position]!;
    if (!table.isPresent(slot) || !passes(slot)) return false;
    names.push(table.idOf(slot));
    keys.push(keyOf(slot));
    return false;
  });
  return { count: names.length, names, keys };
}

/** In order, at most one more than a page. */
export async function pageOfDevices(
  { count, names, keys }: DeviceSnapshot,
  { order: { isDescending }, cursor, limit }: { order: DeviceOrder; cursor: ListCursor | undefined; limit: number },
): Promise<{ name: string; key: SortKey }[]> {
  const compare = (a: number, b: number) => compareKeys(keys[a]!, keys[b]!, isDescending) || a - b;
  const isAfter = ({ key, name }: ListCursor, at: number) => {
    const difference = compareKeys(keys[at]!, key, isDescending);
    return difference > 0 || (difference === 0 && names[at]! > name);
  };
  const first = new TopN<number>(limit + 1, compare);
  await countInSlices(0, count, (at) => {
    if (!cursor || isAfter(cursor, at)) first.add(at);
    return false;
  });
  return first.take().map((at) => ({ name: names[at]!, key: keys[at]! }));
}

/** Of the strongest link that the caller may see, as the answer shows it first. */
function createKeyOf(registry: DeviceRegistry, { field }: DeviceOrder, sight: DeviceSight): (slot: number) => SortKey {
  const { table } = registry;
  const visible = sight.seesAll ? undefined : agentsThat(registry, (ap_id) => sight.has(ap_id));
  const { devices, links } = table;
  if (field === 'device') return (slot) => table.idOf(slot);
  if (field === 'last_seen') return (slot) => devices.lastSeen[slot]!;
  const strongest = (slot: number): number => {
    let found = none;
    for (let link = devices.firstLink[slot]!; link !== none; link = links.nextOfDevice[link]!) {
      if (visible && visible[links.agent[link]!] !== 1) continue;
      if (found === none || level(links.rssi_dbm[link]!) > level(links.rssi_dbm[found]!)) found = link;
    }
    return found;
  };
  const ofLink = (link: number): SortKey => {
    if (field === 'ap_id') return registry.agentAt(links.agent[link]!).ap_id;
    if (field === 'technology') return sight.get(registry.agentAt(links.agent[link]!).ap_id)?.access_point_type ?? null;
    const value = links[field][link]!;
    return Number.isNaN(value) ? null : value;
  };
  return (slot) => {
    const link = strongest(slot);
    return link === none ? null : ofLink(link);
  };
}

function level(rssi_dbm: number): number {
  return Number.isNaN(rssi_dbm) ? Number.NEGATIVE_INFINITY : rssi_dbm;
}
