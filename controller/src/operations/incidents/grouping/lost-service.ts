// Who is without service because of an incident, and for how long, as looks at that add up.
import type { IncidentCause } from '@weft/contract/operations';
import { inSlices } from '../../../core/base/time-slices.ts';
import type { DeviceRegistry } from '../../../core/devices/registry/device-registry.ts';
import { none } from '../../../core/devices/registry/device-table.ts';
import { accessPointsOf, describeIncident } from './describe-incident.ts';
import type { GroupedAlarm } from './grouped-alarm.ts';

/** By device: the access point that it lost first, how long it was without service (ms), and until when that was counted. */
export type Losses = Record<string, [ap_id: string, lostMs: number, countedMs: number]>;

/** Whoever has no service now, with since when. */
export type LostNow = ReadonlyMap<string, { ap_id: string; sinceMs: number }>;

/** More are not counted one by one. */
const maxDevices = 20_000;

/** A device may have left a little before it was noticed that its access point is away. */
const aroundMs = 120_000;
/** Causes by which devices lose their links. */
const endsLinks: ReadonlySet<IncidentCause> = new Set([
  ...(['site_away', 'access_point_away', 'backhaul', 'crash', 'jammed_channel', 'failed_rollout'] as const),
]);

interface Affecting {
  id: string;
  started_at: number;
  alarms: readonly GroupedAlarm[];
}

/** By incident. A device counts for the first incident of its access point. `sinceMs`: of those that are attached and get nothing. */
export async function lostNow(
  incidents: readonly Affecting[],
  registry: Pick<DeviceRegistry, 'agent' | 'table'>,
  sinceMs: number,
): Promise<Map<string, LostNow>> {
  const { table } = registry;
  const lost = new Map<string, Map<string, { ap_id: string; sinceMs: number }>>();
  const bySlot = new Map<number, { incident: Affecting; ap_id: string }>();
  for (const incident of incidents) {
    const active = incident.alarms.filter(({ cleared_at }) => cleared_at === null);
    if (active.length === 0) continue;
    const { cause } = describeIncident(active, String);
    const found = new Map<string, { ap_id: string; sinceMs: number }>();
    lost.set(incident.id, found);
    for (const ap_id of accessPointsOf(active)) {
      const served = registry.agent(ap_id);
      if (!served || bySlot.has(served.slot)) continue;
      if (endsLinks.has(cause)) bySlot.set(served.slot, { incident, ap_id });
      const { device, nextOfAgent, tx_mbps, seen } = table.links;
      for (let link = served.firstLink; link !== none; link = nextOfAgent[link]!) {
        if (tx_mbps[link] === 0 && seen[link]! >= incident.started_at)
          found.set(table.idOf(device[link]!), { ap_id, sinceMs });
      }
    }
  }
  if (bySlot.size === 0) return lost;
  const { firstLink, lastAgent, looseSince } = table.devices;
  await inSlices(table.all(), (slot) => {
    const at = firstLink[slot] === none ? bySlot.get(lastAgent[slot]!) : undefined;
    if (!at || looseSince[slot]! < at.incident.started_at - aroundMs) return;
    lost.get(at.incident.id)!.set(table.idOf(slot), { ap_id: at.ap_id, sinceMs: looseSince[slot]! });
  });
  return lost;
}

/** A device that is without service at two looks was so between them. */
export function addLosses(before: Losses, lost: LostNow, nowMs: number): Losses {
  const after: Losses = { ...before };
  let count = Object.keys(before).length;
  for (const [device, { ap_id, sinceMs }] of lost) {
    const known = before[device];
    if (!known && count >= maxDevices) continue;
    if (!known) count++;
    const fromMs = Math.min(nowMs, known ? Math.max(known[2], sinceMs) : sinceMs);
    after[device] = [known?.[0] ?? ap_id, (known?.[1] ?? 0) + nowMs - fromMs, nowMs];
  }
  return after;
}

/** Of two incidents that are one. */
export function mergeLosses(one: Losses, other: Losses): Losses {
  const both: Losses = { ...other };
  for (const [device, [ap_id, lostMs, countedMs]] of Object.entries(one)) {
    const known = other[device];
    both[device] = known ? [ap_id, lostMs + known[1], Math.max(countedMs, known[2])] : [ap_id, lostMs, countedMs];
  }
  return both;
}

/** By access point. Sums over some of them are what whoever sees those may know: each device counts once. */
export function impactOf(losses: Losses): Map<string, { devices: number; lost_ms: number }> {
  const impact = new Map<string, { devices: number; lost_ms: number }>();
  for (const [ap_id, lostMs] of Object.values(losses)) {
    const sum = impact.get(ap_id) ?? { devices: 0, lost_ms: 0 };
    impact.set(ap_id, { devices: sum.devices + 1, lost_ms: sum.lost_ms + lostMs });
  }
  return impact;
}
