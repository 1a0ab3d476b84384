// A topic of the agents' channel beside commands: its owner has messages for agents, and takes theirs.
import type { ConfigConfirmMessage, ConfigMessage, ConfigResultMessage, ConfigRunningMessage } from '@weft/contract';
import type { AgentCaller } from '../../../base/caller.ts';
import { Port } from '../../../port.ts';

type ConfigDown = ConfigMessage | ConfigConfirmMessage;
type ConfigUp = ConfigResultMessage | ConfigRunningMessage;

export interface ChannelTopic {
  /** The message that is due for an agent; with `isFresh`, over a new connection. */
  due(agent: AgentCaller, isFresh: boolean): Promise<ConfigDown | undefined>;
  /** Takes a message of an agent from this connection; resolves the answer to the agent, once all of it is durable. */
  heard(agent: AgentCaller, message: ConfigUp, connection: string): Promise<ConfigDown | undefined>;
}

export function channelTopic(): Port<ChannelTopic> {
  return new Port<ChannelTopic>({ due: async () => undefined, heard: async () => undefined });
}
