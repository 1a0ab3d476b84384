// Operations on third-party apps.
import {
  ChangedThirdPartyApp,
  StatusAnswer,
  ThirdPartyApp,
  ThirdPartyAppCreate,
  ThirdPartyAppSummary,
  ThirdPartyAppUpdate,
} from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { type Route, route, success } from '../http/request/route.ts';
import { adminsOnly } from '../rights/permission.ts';
import type { ThirdPartyAppService } from './third-party-app-service.ts';

export function thirdPartyAppRoutes(apps: ThirdPartyAppService): Route[] {
  const tag = 'Third-party apps';
  return [
    // spec #17
    route({
      operation: 'create_third_party_app',
      spec: 17,
      permission: adminsOnly,
      method: 'POST',
      url: '/api/v1/third_party_apps',
      tag,
      summary: 'Register a third-party app',
      failures: { 409: 'An app with this app_name exists' },
      body: ThirdPartyAppCreate,
      response: ChangedThirdPartyApp,
      handle: ({ body, caller }) => apps.create(body, caller),
    }),
    route({
      operation: 'list_third_party_apps',
      permission: adminsOnly,
      method: 'GET',
      url: '/api/v1/third_party_apps',
      tag,
      summary: 'List all third-party apps, without their api keys',
      response: Type.Array(ThirdPartyAppSummary),
      handle: () => apps.list(),
    }),
    // spec #18
    route({
      operation: 'get_third_party_app',
      spec: 18,
      permission: { admin: 'yes', user: 'no', agent: 'no', third_party_app: 'itself' },
      method: 'GET',
      url: '/api/v1/third_party_apps/:app_name',
      target: 'app_name',
      tag,
      summary: 'Get a third-party app',
      response: ThirdPartyApp,
      handle: (context) => apps.show(context.path('app_name'), context.caller, context.address),
    }),
    // spec #19
    route({
      operation: 'update_third_party_app',
      spec: 19,
      permission: adminsOnly,
      method: 'PUT',
      url: '/api/v1/third_party_apps/:app_name',
      target: 'app_name',
      tag,
      summary: "Change an app's api key or permissions",
      body: ThirdPartyAppUpdate,
      response: ChangedThirdPartyApp,
      handle: (context) => apps.update(context.path('app_name'), context.body, context.caller),
    }),
    // spec #20
    route({
      operation: 'remove_third_party_app',
      spec: 20,
      permission: adminsOnly,
      method: 'DELETE',
      url: '/api/v1/third_party_apps/:app_name',
      target: 'app_name',
      tag,
      summary: 'Delete a third-party app',
      response: StatusAnswer,
      async handle(context) {
        await apps.remove(context.path('app_name'), context.caller);
        return success('The app has been deleted');
      },
    }),
  ];
}
