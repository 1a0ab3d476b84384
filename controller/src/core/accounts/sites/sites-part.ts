// Sites as a part: where access points stand, with their routes.
import { Site, SiteCreate, SitePage } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { adminsOnly, networkReaders } from '../../base/rights/permission.ts';
import type { Events } from '../../events.ts';
import { resourceRoutes } from '../../http/request/resource-routes.ts';
import type { Network } from '../../network/network.ts';
import type { Part, Platform } from '../../part.ts';
import type { AuditService } from '../audit/audit-service.ts';
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

const query = Type.Object({
  path: Type.Optional.String({ maxLength: 255, description: 'Only the site with this path.' }),
  cursor: Type.Optional.String({ maxLength: 2048, description: '`next` of the page before.' }),
  limit: Type.Optional.Integer({ minimum: 1, maximum: 1000, default: 200 }),
});

const siteRoutes = (sites: SiteService) =>
  resourceRoutes({
    tag: 'Fleet',
    name: 'site',
    at: '/api/v1/sites/:id',
    records: sites,
    schemas: { input: SiteCreate, shown: Site, listed: SitePage },
    read: networkReaders,
    change: adminsOnly,
    verbs: {
      list: { summary: 'List the sites, ordered by path', query },
      create: { summary: 'Create a site', failures: { 409: 'A site with this path exists' } },
      get: 'Get a site',
      update: {
        summary: 'Replace a site; another path moves it with all that is below it',
        failures: { 409: 'A site with one of the new paths exists' },
      },
      remove: {
        summary: 'Delete a site that is empty',
        failures: { 409: 'There are sites below it or access points in it' },
      },
    },
    removed: 'The site has been deleted',
  });
