// How many agents of a site one app has commanded recently, so that one faulty program does not take a whole site with
// it. The access points of each emulated network are sites of their own, and its model time is their time. Counts live in this
// process: n nodes allow n times as much.
import { runOf } from '../../network/agent-facts.ts';
import type { AgentRow } from '../../network/agent-rows.ts';
import type { BlastCount, Place } from './conflict-intent.ts';

const maxEntries = 200_000;

export class BlastRadius {
  readonly #maxEntries: number;
  /** Per app and site the agents commanded, and when last; the oldest first. */
  readonly #commanded = new Map<string, Map<string, number>>();
  #entries = 0;

  constructor(max = maxEntries) {
    this.#maxEntries = max;
  }

  get entries(): number {
    return this.#entries;
  }

  /** As it would be with this agent; counts nothing. `agents` is the size of the site. */
  look(app: string, place: Place, ap_id: string, agents: number, windowMs: number, nowMs: number): BlastCount {
    const key = keyOf(app, place);
    if (place.run !== undefined) this.#forgetAfter(key, nowMs);
    const commanded = this.#fresh(key, nowMs - windowMs);
    const count = commanded ? commanded.size + (commanded.has(ap_id) ? 0 : 1) : 1;
    const oldest = commanded?.values().next().value ?? nowMs;
    return { commanded: count, agents, frees_at: oldest + windowMs };
  }

  /** A command of the app to this agent has been accepted. */
  count(app: string, place: Place, ap_id: string, nowMs: number): void {
    const key = keyOf(app, place);
    if (place.run !== undefined) this.#forgetAfter(key, nowMs);
    const commanded = this.#commanded.get(key) ?? new Map<string, number>();
    if (!commanded.delete(ap_id)) this.#entries += 1;
    commanded.set(ap_id, nowMs);
    // Both maps keep what was touched last at their end.
    this.#commanded.delete(key);
    this.#commanded.set(key, commanded);
    while (this.#entries > this.#maxEntries) this.#forget(this.#commanded.keys().next().value!);
  }

  #fresh(key: string, sinceMs: number): Map<string, number> | undefined {
    const commanded = this.#commanded.get(key);
    if (!commanded) return undefined;
    for (const [ap_id, at] of commanded) {
      if (at > sinceMs) break;
      commanded.delete(ap_id);
      this.#entries -= 1;
    }
    if (commanded.size > 0) return commanded;
    this.#commanded.delete(key);
    return undefined;
  }

  /** A network whose time has gone back begins again. */
  #forgetAfter(key: string, nowMs: number): void {
    const newest = [...(this.#commanded.get(key)?.values() ?? [])].at(-1);
    if (newest !== undefined && newest > nowMs) this.#forget(key);
  }

  #forget(key: string): void {
    this.#entries -= this.#commanded.get(key)!.size;
    this.#commanded.delete(key);
  }
}

/** How many agents stand on each site; those without one stand on the site of all, or of all of their network. */
export class SiteSizes {
  readonly #sizes = new Map<string, number>();

  /** One more agent there, or with -1 one less. */
  add({ run, site }: Place, more: 1 | -1): void {
    for (const each of new Set([site, null])) {
      const key = keyOf('', { run, site: each });
      const size = (this.#sizes.get(key) ?? 0) + more;
      if (size > 0) this.#sizes.set(key, size);
      else this.#sizes.delete(key);
    }
  }

  /** Without a site: of all access points, or the whole network. */
  of(place: Place): number {
    return this.#sizes.get(keyOf('', place)) ?? 0;
  }
}

/** Where an agent counts. */
export function placeOf({ ap_id, emulated_for, site }: Pick<AgentRow, 'ap_id' | 'emulated_for' | 'site'>): Place {
  const run = emulated_for === null ? undefined : runOf(ap_id);
  return { site, ...(run !== undefined && { run }) };
}

function keyOf(app: string, { run, site }: Place): string {
  return JSON.stringify([app, site, run]);
}
