// How long devices were without service in an incident, as looks at who is without it add up. Pure.

/** By device: the access point that it lost first, how long it was without service (ms), and until when that was counted. */
export type Losses = Record<string, [ap_id: string, lostMs: number, countedMs: number]>;

/** Whoever has no service now, with since when. */
export type LostNow = ReadonlyMap<string, { ap_id: string; sinceMs: number }>;

/** More are not counted one by one. */
const maxDevices = 20_000;

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
