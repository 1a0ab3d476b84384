// How many agents of a site one app has commanded recently, so that one faulty program does not take a whole site with
// it. The access points of each emulated network are sites of their own, and its model time is their time. Counts live in this
// process: n nodes allow n times as much.
import { runOf } from '../../accounts/agents/emulated-name.ts';
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
  readonly #placeOf = new Map<string, Place>();
  readonly #sizes = new Map<string, number>();

  set(ap_id: string, place: Place): void {
    this.remove(ap_id);
    this.#placeOf.set(ap_id, place);
    this.#add(place, 1);
  }

  remove(ap_id: string): void {
    const place = this.#placeOf.get(ap_id);
    if (place && this.#placeOf.delete(ap_id)) this.#add(place, -1);
  }

  /** Without a site: of the whole fleet, or the whole network. */
  of(place: Place): number {
    return this.#sizes.get(keyOf('', place)) ?? 0;
  }

  #add({ run, site }: Place, more: number): void {
    for (const each of new Set([site, null])) {
      const key = keyOf('', { run, site: each });
      const size = (this.#sizes.get(key) ?? 0) + more;
      if (size > 0) this.#sizes.set(key, size);
      else this.#sizes.delete(key);
    }
  }
}

/** Where an agent counts, by its record. */
export function placeOf(agent: {
  ap_id: string;
  configuration: Record<string, unknown>;
  emulated_for?: string | null;
}): Place {
  const run = agent.emulated_for == null ? undefined : runOf(agent.ap_id);
  return { site: readSite(agent.configuration), ...(run !== undefined && { run }) };
}

/** `configuration.site` as far as it can be one. */
export function readSite({ site }: Record<string, unknown>): string | null {
  return typeof site === 'string' && site !== '' && site.length <= 256 ? site : null;
}

function keyOf(app: string, { run, site }: Place): string {
  return JSON.stringify([app, site, run]);
}
