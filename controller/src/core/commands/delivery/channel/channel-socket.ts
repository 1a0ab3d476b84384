// Where an agent opens its channel.
import * as Type from '@weft/contract/schema';
import { agentItself } from '../../../base/rights/permission.ts';
import { requireAgent } from '../../../base/rights/rights.ts';
import type { RateLimiter } from '../../../base/shares/rate-limiter.ts';
import { principalOf } from '../../../base/shares/shares.ts';
import { type SocketRoute, socketRoute } from '../../../http/sockets/socket-route.ts';
import type { ChannelHub } from './channel-hub.ts';

const maxMessageBytes = 1024 * 1024;

export interface ChannelSocketOptions {
  hub: ChannelHub;
  /** Per agent: limits how often it may reconnect. */
  connects: RateLimiter;
}

export function channelSocketRoutes({ hub, connects }: ChannelSocketOptions): SocketRoute[] {
  return [
    socketRoute({
      operation: 'agent_channel',
      permission: agentItself,
      url: '/api/v1/agents/:ap_id/channel',
      target: 'ap_id',
      maxMessageBytes,
      query: Type.Object({}),
      async handle({ caller, shown, upgrade }) {
        const agent = requireAgent(caller);
        connects.take(principalOf(agent));
        hub.requireCapacity(agent);
        const upgraded = upgrade();
        if (upgraded) hub.open(upgraded, { agent, shown });
      },
    }),
  ];
}
