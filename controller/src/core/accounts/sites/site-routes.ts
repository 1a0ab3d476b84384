// Operations on sites.
import { Site, SiteCreate, SitePage } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { adminsOnly, networkReaders } from '../../base/rights/permission.ts';
import { done, type Route, routesOf } from '../../http/request/route.ts';
import type { SiteService } from './site-service.ts';

const route = routesOf('Fleet');

export function siteRoutes(sites: SiteService): Route[] {
  return [
    route('list_sites', 'GET /api/v1/sites', {
      permission: networkReaders,
      summary: 'List the sites, ordered by path',
      query: Type.Object({
        path: Type.Optional.String({ maxLength: 255, description: 'Only the site with this path.' }),
        cursor: Type.Optional.String({ maxLength: 2048, description: '`next` of the page before.' }),
        limit: Type.Optional.Integer({ minimum: 1, maximum: 1000, default: 200 }),
      }),
      response: SitePage,
      handle: ({ query: { path, cursor, limit }, caller }) => sites.list(caller, { path, cursor, limit: limit! }),
    }),
    route('create_site', 'POST /api/v1/sites', {
      permission: adminsOnly,
      summary: 'Create a site',
      failures: { 409: 'A site with this path exists' },
      body: SiteCreate,
      response: Site,
      handle: ({ body, caller }) => sites.create(body, caller),
    }),
    route('get_site', 'GET /api/v1/sites/:id', {
      permission: networkReaders,
      summary: 'Get a site',
      response: Site,
      handle: (context) => sites.get(context.path('id'), context.caller),
    }),
    route('update_site', 'PUT /api/v1/sites/:id', {
      permission: adminsOnly,
      summary: 'Replace a site; another path moves it with all that is below it',
      failures: { 409: 'A site with one of the new paths exists' },
      body: SiteCreate,
      response: Site,
      handle: (context) => sites.update(context.path('id'), context.body, context.caller),
    }),
    route('remove_site', 'DELETE /api/v1/sites/:id', {
      permission: adminsOnly,
      summary: 'Delete a site that is empty',
      failures: { 409: 'There are sites below it or access points in it' },
      ...done('The site has been deleted', (context) => sites.remove(context.path('id'), context.caller)),
    }),
  ];
}
