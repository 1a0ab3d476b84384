// Operations on third-party apps.
import {
  ChangedThirdPartyApp,
  ThirdPartyApp,
  ThirdPartyAppCreate,
  ThirdPartyAppSummary,
  ThirdPartyAppUpdate,
} from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { adminsOnly } from '../../base/rights/permission.ts';
import { done, type Route, routesOf } from '../../http/request/route.ts';
import type { ThirdPartyAppService } from './third-party-app-service.ts';

const route = routesOf('Third-party apps');

export function thirdPartyAppRoutes(apps: ThirdPartyAppService): Route[] {
  return [
    route('create_third_party_app', 'POST /api/v1/third_party_apps', {
      spec: 17, // spec #17
      permission: adminsOnly,
      summary: 'Register a third-party app',
      failures: { 409: 'An app with this app_name exists' },
      body: ThirdPartyAppCreate,
      response: ChangedThirdPartyApp,
      handle: ({ body, caller }) => apps.create(body, caller),
    }),
    route('list_third_party_apps', 'GET /api/v1/third_party_apps', {
      permission: adminsOnly,
      summary: 'List all third-party apps, without their api keys',
      response: Type.Array(ThirdPartyAppSummary),
      handle: () => apps.list(),
    }),
    route('get_third_party_app', 'GET /api/v1/third_party_apps/:app_name', {
      spec: 18, // spec #18
      permission: { admin: 'yes', user: 'no', agent: 'no', third_party_app: 'itself' },
      summary: 'Get a third-party app',
      response: ThirdPartyApp,
      handle: (context) => apps.show(context.path('app_name'), context.caller, context.address),
    }),
    route('update_third_party_app', 'PUT /api/v1/third_party_apps/:app_name', {
      spec: 19, // spec #19
      permission: adminsOnly,
      summary: "Change an app's api key or permissions",
      body: ThirdPartyAppUpdate,
      response: ChangedThirdPartyApp,
      handle: (context) => apps.update(context.path('app_name'), context.body, context.caller),
    }),
    route('remove_third_party_app', 'DELETE /api/v1/third_party_apps/:app_name', {
      spec: 20, // spec #20
      permission: adminsOnly,
      summary: 'Delete a third-party app',
      ...done('The app has been deleted', (context) => apps.remove(context.path('app_name'), context.caller)),
    }),
  ];
}
