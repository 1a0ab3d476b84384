// Operations on sites.
import { Site, SiteCreate, SitePage, StatusAnswer } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { type Route, route, success } from '../http/request/route.ts';
import { adminsOnly, networkReaders } from '../rights/permission.ts';
import type { SiteService } from './site-service.ts';

export function siteRoutes(sites: SiteService): Route[] {
  const tag = 'Fleet';
  return [
    route({
      operation: 'list_sites',
      permission: networkReaders,
      method: 'GET',
      url: '/api/v1/sites',
      tag,
      summary: 'List the sites, ordered by path',
      query: Type.Object({
        path: Type.Optional(Type.String({ maxLength: 255, description: 'Only the site with this path.' })),
        cursor: Type.Optional(Type.String({ maxLength: 2048, description: '`next` of the page before.' })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 200 })),
      }),
      response: SitePage,
      handle: ({ query: { path, cursor, limit }, caller }) => sites.list(caller, { path, cursor, limit: limit! }),
    }),
    route({
      operation: 'create_site',
      permission: adminsOnly,
      method: 'POST',
      url: '/api/v1/sites',
      tag,
      summary: 'Create a site',
      failures: { 409: 'A site with this path exists' },
      body: SiteCreate,
      response: Site,
      handle: ({ body, caller }) => sites.create(body, caller),
    }),
    route({
      operation: 'get_site',
      permission: networkReaders,
      method: 'GET',
      url: '/api/v1/sites/:id',
      tag,
      summary: 'Get a site',
      response: Site,
      handle: (context) => sites.get(context.path('id'), context.caller),
    }),
    route({
      operation: 'update_site',
      permission: adminsOnly,
      method: 'PUT',
      url: '/api/v1/sites/:id',
      tag,
      summary: 'Replace a site; another path moves it with all that is below it',
      failures: { 409: 'A site with one of the new paths exists' },
      body: SiteCreate,
      response: Site,
      handle: (context) => sites.update(context.path('id'), context.body, context.caller),
    }),
    route({
      operation: 'remove_site',
      permission: adminsOnly,
      method: 'DELETE',
      url: '/api/v1/sites/:id',
      tag,
      summary: 'Delete a site that is empty',
      failures: { 409: 'There are sites below it or access points in it' },
      response: StatusAnswer,
      async handle(context) {
        await sites.remove(context.path('id'), context.caller);
        return success('The site has been deleted');
      },
    }),
  ];
}
