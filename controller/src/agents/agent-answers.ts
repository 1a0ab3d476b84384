// What callers get to see of an agent's record.
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

/** For internal use. The end of a run revokes the credentials of its agents. */
export function toListedAgent(agent: AgentRecord): ListedAgent {
  const { emulated_for, password_hash } = agent;
  return { ...toAgentDetails(agent), emulated_for, isEnded: emulated_for !== null && password_hash === revokedHash };
}

/** What of it leaves. */
export function fromListedAgent({ id, ap_id, configuration, onboard }: ListedAgent): AgentDetails {
  return { id, ap_id, configuration, onboard };
}
