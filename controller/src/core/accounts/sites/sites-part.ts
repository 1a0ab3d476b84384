// Sites as a part: where access points stand.

import { rightsOf } from '../../base/rights/rights.ts';
import type { Events } from '../../events.ts';
import type { Part, Platform } from '../../part.ts';
import type { AuditService } from '../audit/audit-service.ts';
import { siteRoutes } from './site-routes.ts';
import { SiteService } from './site-service.ts';
import { SiteStore } from './site-store.ts';

export function createSitesPart(platform: Platform & { audit: AuditService }, events: Events) {
  const { config, database, audit } = platform;
  const siteStore = new SiteStore(database);
  const sites = new SiteService({
    sites: siteStore,
    audit,
    maxSites: config.maxSites,
    // Where the access points are unknown, only users see sites.
    visibleTo: (caller) =>
      events.visibleSites.ask(caller) ?? Promise.resolve(rightsOf(caller).isUser ? undefined : new Map()),
    onChanged: events.sitesChanged.emit,
  });
  return { sites, siteStore, routes: siteRoutes(sites) } satisfies Part & Record<string, unknown>;
}
