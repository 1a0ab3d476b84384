// A topic of the agents' channel that is no command: its owner says what is due for an agent, and hears what the agent says.
import type { ConfigConfirmMessage, ConfigMessage, ConfigResultMessage, ConfigRunningMessage } from '@weft/contract';
import type { AgentCaller } from '../../../base/caller.ts';
import { Port } from '../../../port.ts';

type ConfigDown = ConfigMessage | ConfigConfirmMessage;
type ConfigUp = ConfigResultMessage | ConfigRunningMessage;

export interface ChannelTopic {
  /** What is to be said to an agent; with `isFresh`, over a new connection. */
  due(agent: AgentCaller, isFresh: boolean): Promise<ConfigDown | undefined>;
  /** An agent says something over this connection; resolves what is to be said to it, once all is durable. */
  heard(agent: AgentCaller, message: ConfigUp, connection: string): Promise<ConfigDown | undefined>;
}

export function channelTopic(): Port<ChannelTopic> {
  return new Port<ChannelTopic>({ due: async () => undefined, heard: async () => undefined });
}
