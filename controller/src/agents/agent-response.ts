// What leaves of an agent's record.
import type { Agent, AgentDetails } from '@weft/contract';
import type { ListedAgent } from './agent-filter.ts';
import { type AgentRecord, revokedHash } from './agent-store.ts';

export function toAgentResponse(agent: AgentRecord): Agent {
  const { id, ap_id, configuration, emulated_for } = agent;
  return { id, ap_id, configuration: emulated_for === null ? configuration : { ...configuration, emulated: true } };
}

export function toAgentDetails(agent: AgentRecord): AgentDetails {
  return { ...toAgentResponse(agent), onboard: agent.onboard };
}

/** The end of a run revokes the credentials of its agents. */
export function toListedAgent(agent: AgentRecord): ListedAgent {
  const isEnded = agent.emulated_for !== null && agent.password_hash === revokedHash;
  return { agent: toAgentDetails(agent), isEnded };
}
