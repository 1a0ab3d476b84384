// Devices as callers see them: without the access points that they may not see.

import type { Device, DeviceLink, DeviceMove, HeardAccessPoint, SteeringAttempt } from '@weft/contract';
import type { LoggedEvent } from '../../core/accounts/event-log/event-record.ts';
import { toTime } from '../../core/base/input/date-time.ts';
import type { DeviceRegistry } from '../../core/devices/registry/device-registry.ts';
import { none } from '../../core/devices/registry/device-table.ts';
import type { AgentRow } from '../../core/network/agent-rows.ts';
import type { NetworkSight } from '../../core/network/sight.ts';

export interface DeviceExtras {
  sticky?: Device['sticky'];
  identities?: string[];
  watched_until?: string;
}

/** What the caller sees of the access points that devices are at. */
export type DeviceSight = Pick<NetworkSight, 'seesAll' | 'get' | 'has'>;

export interface AnswerOptions {
  registry: DeviceRegistry;
  sight: DeviceSight;
  /** Whether the caller may see the identities as they are reported. */
  showsAddresses: boolean;
  extrasOf: (device: string) => DeviceExtras;
}

/** Undefined if the caller may not see it. */
export function toDevice(slot: number, options: AnswerOptions): Device | undefined {
  const { registry, sight, extrasOf } = options;
  const { table } = registry;
  const { devices } = table;
  if (!isDeviceSeen(slot, registry, sight)) return undefined;
  const device = table.idOf(slot);
  const visible = table.linksOf(slot).filter((link) => sight.has(agentOf(link, registry)));
  const links = visible.map((link) => toLink(link, options)).sort(strongestFirst);
  const lastAgent = devices.lastAgent[slot]!;
  const last = links[0]?.ap_id ?? (lastAgent === none ? undefined : registry.agentAt(lastAgent).ap_id);
  const { sticky, ...extras } = extrasOf(device);
  return {
    device,
    technologies: [...new Set(links.flatMap(({ access_point_type }) => access_point_type ?? []))],
    links,
    heard: visible.flatMap((link) => toHeard(link, options)).sort(strongestFirst),
    randomised: devices.isRandomised[slot] === 1,
    last_seen: toTime(devices.lastSeen[slot]!),
    last_ap_id: last !== undefined && sight.has(last) ? last : null,
    ...(sticky && { sticky: withoutHidden(sticky, sight) }),
    ...extras,
  };
}

/** By one of its links, or by where it was last while it has none. */
export function isDeviceSeen(slot: number, registry: DeviceRegistry, sight: DeviceSight): boolean {
  return sight.seesAll || someAgent(slot, registry, (ap_id) => sight.has(ap_id));
}

/** A search finds the devices of access points by these. */
export function hasWord({ ap_id, display_name, site, access_point_type }: AgentRow, search: string): boolean {
  return [ap_id, display_name, site, access_point_type].join('\n').toLowerCase().includes(search);
}

/** For each slot of an access point whether it passes. */
export function agentsThat(registry: DeviceRegistry, test: (ap_id: string) => boolean): Uint8Array {
  const flags = new Uint8Array(registry.agentSlots);
  for (const { slot, ap_id } of registry.agents()) if (test(ap_id)) flags[slot] = 1;
  return flags;
}

/** Whether it is attached to one of these access points, or was there last while it is attached to none. */
export function isAtOneOf(slot: number, registry: DeviceRegistry, flags: Uint8Array): boolean {
  const { devices, links } = registry.table;
  let link = devices.firstLink[slot]!;
  if (link === none) {
    const last = devices.lastAgent[slot]!;
    return last !== none && flags[last] === 1;
  }
  for (; link !== none; link = links.nextOfDevice[link]!) if (flags[links.agent[link]!] === 1) return true;
  return false;
}

/** Whether a device was last at an access point whose network has ended; undefined if there are none of those. */
export function ofEnded(registry: DeviceRegistry, hasEnded: (ap_id: string) => boolean) {
  const flags = agentsThat(registry, hasEnded);
  return flags.includes(1) ? (slot: number) => isAtOneOf(slot, registry, flags) : undefined;
}

/** How many devices there are, without those of networks that have ended. */
export function countPresent(registry: DeviceRegistry, hasEnded: (ap_id: string) => boolean): number {
  const isOver = ofEnded(registry, hasEnded);
  let count = registry.table.deviceCount;
  if (isOver) for (const slot of registry.table.all()) if (isOver(slot)) count--;
  return count;
}

/** All that `isAtOneOf` would find; undefined if they are more than `max`. */
export function devicesAt(registry: DeviceRegistry, flags: Uint8Array, max: number): Set<number> | undefined {
  const { devices, links, order } = registry.table;
  const found = new Set<number>();
  for (const agent of registry.agents()) {
    if (flags[agent.slot] !== 1) continue;
    if (found.size + agent.linkCount > max) return undefined;
    for (let link = agent.firstLink; link !== none; link = links.nextOfAgent[link]!) found.add(links.device[link]!);
  }
  // Those that are attached to none are in no list.
  for (const slot of order.slots()) {
    if (devices.firstLink[slot] !== none || devices.lastAgent[slot] === none) continue;
    if (flags[devices.lastAgent[slot]!] === 1) found.add(slot);
  }
  return found.size > max ? undefined : found;
}

/** Whether one of its access points passes: those that it is attached to, or where it was last. */
function someAgent(slot: number, registry: DeviceRegistry, test: (ap_id: string) => boolean): boolean {
  const { devices, links } = registry.table;
  let link = devices.firstLink[slot]!;
  if (link === none) {
    const last = devices.lastAgent[slot]!;
    return last !== none && test(registry.agentAt(last).ap_id);
  }
  for (; link !== none; link = links.nextOfDevice[link]!) if (test(agentOf(link, registry))) return true;
  return false;
}

function agentOf(link: number, registry: DeviceRegistry): string {
  return registry.agentAt(registry.table.links.agent[link]!).ap_id;
}

function toLink(link: number, { registry, sight, showsAddresses }: AnswerOptions): DeviceLink {
  const { links } = registry.table;
  const agent = registry.agentAt(links.agent[link]!);
  const address = showsAddresses ? agent.identityOf(link) : undefined;
  return {
    ap_id: agent.ap_id,
    access_point_type: sight.get(agent.ap_id)?.access_point_type ?? null,
    rssi_dbm: toNumber(links.rssi_dbm[link]!),
    snr_db: toNumber(links.snr_db[link]!),
    rx_mbps: toNumber(links.rx_mbps[link]!),
    tx_mbps: toNumber(links.tx_mbps[link]!),
    since: toTime(links.since[link]!),
    seen: toTime(links.seen[link]!),
    ...(address !== undefined && { address }),
  };
}

/** An access point of the network is hidden like its links; the address of a radio is nobody's secret. */
function toHeard(link: number, { registry, sight }: AnswerOptions): HeardAccessPoint[] {
  const by = agentOf(link, registry);
  return registry.table.heardOf(link).flatMap(({ name, isBssid, rssi_dbm }) => {
    if (!isBssid && !sight.has(name)) return [];
    return [{ ...(isBssid ? { bssid: name } : { ap_id: name }), rssi_dbm: toNumber(rssi_dbm), by }];
  });
}

function withoutHidden(sticky: NonNullable<Device['sticky']>, sight: DeviceSight): Device['sticky'] {
  const { target, ...rest } = sticky;
  return target !== undefined && sight.has(target) ? sticky : rest;
}

type Levelled = { rssi_dbm: number | null };

function strongestFirst(a: Levelled, b: Levelled): number {
  return (b.rssi_dbm ?? Number.NEGATIVE_INFINITY) - (a.rssi_dbm ?? Number.NEGATIVE_INFINITY) || 0;
}

function toNumber(value: number): number | null {
  return Number.isNaN(value) ? null : Math.round(value * 100) / 100;
}

// What happened to a device, out of the event log, without the access points that the caller may not see.
const kinds: Record<string, DeviceMove['kind']> = {
  'device.joined': 'joined',
  'device.left': 'left',
  'device.moved': 'moved',
};

export function toMoves(events: readonly LoggedEvent[], sight: DeviceSight): DeviceMove[] {
  return events.flatMap((event) => {
    const kind = kinds[event.kind];
    if (kind === undefined) return [];
    const ts = timeOf(event);
    const from = seen(event.data.from, sight);
    const ap_id = seen(event.ap_id, sight);
    if (ap_id !== undefined) return [{ ts, kind, ap_id, ...(from !== undefined && { from }) }];
    // Where it went is hidden; that it left is not.
    return from === undefined ? [] : [{ ts, kind: 'left', ap_id: from }];
  });
}

export function toSteering(events: readonly LoggedEvent[], sight: DeviceSight): SteeringAttempt[] {
  return events.flatMap((event) => {
    const ap_id = seen(event.ap_id, sight);
    if (event.kind !== 'device.steered' || ap_id === undefined) return [];
    const target = seen(event.data.target, sight);
    const outcome = event.data.outcome as SteeringAttempt['outcome'];
    const command_id = String(event.data.command_id);
    return [{ ts: timeOf(event), ap_id, ...(target !== undefined && { target }), outcome, command_id }];
  });
}

function seen(ap_id: unknown, sight: DeviceSight): string | undefined {
  return typeof ap_id === 'string' && (sight.seesAll || sight.has(ap_id)) ? ap_id : undefined;
}

function timeOf({ ts, data }: LoggedEvent): string {
  return typeof data.at === 'string' ? data.at : toTime(ts);
}
