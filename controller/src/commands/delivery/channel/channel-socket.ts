// Where an agent opens its channel.
import * as Type from '@weft/contract/schema';
import { PermissionError } from '../../../errors.ts';
import { type SocketRoute, socketRoute } from '../../../http/sockets/socket-route.ts';
import { agentItself } from '../../../rights/permission.ts';
import type { RateLimiter } from '../../../shares/rate-limiter.ts';
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
      async handle({ caller, token, upgrade }) {
        // The permission admits agents only; this is for the compiler.
        if (caller.kind !== 'agent') throw new PermissionError();
        connects.take(caller.id);
        hub.requireCapacity(caller);
        const upgraded = upgrade();
        if (upgraded) hub.open(upgraded, { agent: caller, token });
      },
    }),
  ];
}
