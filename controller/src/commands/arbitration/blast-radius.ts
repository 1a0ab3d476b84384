// How many agents of a site one app has commanded recently, so that one faulty program does not take a whole site with
// it. Counts live in this process: n nodes allow n times as much.
import type { BlastCount } from './conflict-intent.ts';

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
  look(app: string, site: string | null, ap_id: string, agents: number, windowMs: number, nowMs: number): BlastCount {
    const key = keyOf(app, site);
    const commanded = this.#fresh(key, nowMs - windowMs);
    const count = commanded ? commanded.size + (commanded.has(ap_id) ? 0 : 1) : 1;
    const oldest = commanded?.values().next().value ?? nowMs;
    return { commanded: count, agents, frees_at: oldest + windowMs };
  }

  /** A command of the app to this agent has been accepted. */
  count(app: string, site: string | null, ap_id: string, nowMs: number): void {
    const key = keyOf(app, site);
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

  #forget(key: string): void {
    this.#entries -= this.#commanded.get(key)!.size;
    this.#commanded.delete(key);
  }
}

/** How many agents stand on each site; those without one stand on the site of all. */
export class SiteSizes {
  readonly #siteOf = new Map<string, string | null>();
  readonly #sizes = new Map<string, number>();

  set(ap_id: string, site: string | null): void {
    this.remove(ap_id);
    this.#siteOf.set(ap_id, site);
    if (site !== null) this.#sizes.set(site, (this.#sizes.get(site) ?? 0) + 1);
  }

  remove(ap_id: string): void {
    const site = this.#siteOf.get(ap_id);
    this.#siteOf.delete(ap_id);
    if (site === undefined || site === null) return;
    const left = this.#sizes.get(site)! - 1;
    if (left > 0) this.#sizes.set(site, left);
    else this.#sizes.delete(site);
  }

  /** For null: of the whole fleet. */
  of(site: string | null): number {
    return site === null ? this.#siteOf.size : (this.#sizes.get(site) ?? 0);
  }
}

/** `configuration.site` as far as it can be one. */
export function readSite({ site }: Record<string, unknown>): string | null {
  return typeof site === 'string' && site !== '' && site.length <= 256 ? site : null;
}

function keyOf(app: string, site: string | null): string {
  return JSON.stringify([app, site]);
}
