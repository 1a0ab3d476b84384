// Routes of the transports: the long poll, for agents that can ask but cannot hold a WebSocket, and the secret with which an
// agent knows pushes from forgeries.
import { AgentCommand, PushSecret } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { adminsAndAgentItself, agentItself } from '../../base/rights/permission.ts';
import { type Route, routesOf, whileConnected } from '../../http/request/route.ts';
import { toAgentCommand } from './command-delivery.ts';
import type { CommandPoll } from './poll/command-poll.ts';
import type { PushSecretService } from './push/push-secret-service.ts';

const route = routesOf('Commands');

export function transportRoutes(poll: CommandPoll, secrets: PushSecretService): Route[] {
  return [
    route('poll_commands', 'GET /api/v1/agents/:ap_id/commands', {
      permission: agentItself,
      summary: 'Get the waiting commands of the agent; waits for one until the time is over',
      query: Type.Object({
        wait: Type.Optional.Integer({ minimum: 0, maximum: 60, default: 0, description: 'Seconds.' }),
      }),
      holdsOpen: true,
      response: Type.Array(AgentCommand),
      handle: ({ query, caller, request }) =>
        whileConnected(request, async (gone) => {
          const commands = await poll.take(caller.name, (query.wait ?? 0) * 1000, gone);
          return commands.map(toAgentCommand);
        }),
    }),
    route('create_push_secret', 'POST /api/v1/agents/:ap_id/push_secret', {
      permission: adminsAndAgentItself,
      summary: 'Create the secret that signs pushes to the agent; it is shown only once',
      response: PushSecret,
      handle: (context) => secrets.mint(context.path('ap_id'), context.caller),
    }),
  ];
}
