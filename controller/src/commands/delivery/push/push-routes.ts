// Where the secret is minted with which an agent knows pushes from forgeries.
import { PushSecret } from '@weft/contract';
import { type Route, routesOf } from '../../../http/request/route.ts';
import { adminsAndAgentItself } from '../../../rights/permission.ts';
import type { PushSecretService } from './push-secret-service.ts';

const route = routesOf('Commands');

export function pushRoutes(secrets: PushSecretService): Route[] {
  return [
    route('create_push_secret', 'POST /api/v1/agents/:ap_id/push_secret', {
      permission: adminsAndAgentItself,
      target: 'ap_id',
      summary: 'Create the secret that signs pushes to the agent; it is shown only once',
      response: PushSecret,
      handle: (context) => secrets.mint(context.path('ap_id'), context.caller),
    }),
  ];
}
