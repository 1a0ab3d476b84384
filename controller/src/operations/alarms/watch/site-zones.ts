// The time zones of sites, in memory: each site has its own, or that of the nearest one above it.
import type { SiteStore } from '../../../core/accounts/sites/site-store.ts';
import { pathsAbove } from '../engine/timed-condition.ts';

const pageSize = 500;

export class SiteZones {
  readonly #store: Pick<SiteStore, 'page'>;
  #zones = new Map<string, string>();

  constructor(store: Pick<SiteStore, 'page'>) {
    this.#store = store;
  }

  readonly of = (site: string | null): string | undefined => {
    if (site === null) return undefined;
    for (const path of pathsAbove(site).reverse()) {
      const zone = this.#zones.get(path);
      if (zone !== undefined) return zone;
    }
    return undefined;
  };

  async refresh(): Promise<void> {
    const zones = new Map<string, string>();
    let after = '';
    for (;;) {
      const page = await this.#store.page(after, pageSize);
      for (const { path, time_zone } of page) if (time_zone !== null) zones.set(path, time_zone);
      if (page.length < pageSize) break;
      after = page.at(-1)!.path;
    }
    this.#zones = zones;
  }
}
