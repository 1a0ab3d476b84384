// Sites as a part: where access points stand.

import type { Events } from '../../events.ts';
import type { Network } from '../../network/network.ts';
import type { Part, Platform } from '../../part.ts';
import type { AuditService } from '../audit/audit-service.ts';
import { siteRoutes } from './site-routes.ts';
import { SiteService } from './site-service.ts';
import { SiteStore } from './site-store.ts';

export function createSitesPart(platform: Platform & { network: Network; audit: AuditService }, events: Events) {
  const { config, database, network, audit } = platform;
  const siteStore = new SiteStore(database);
  const sites = new SiteService({
    sites: siteStore,
    audit,
    maxSites: config.maxSites,
    network,
    onChanged: events.sitesChanged.emit,
  });
  return { sites, siteStore, routes: siteRoutes(sites) } satisfies Part & Record<string, unknown>;
}
