// What callers get to see of an agent's record.
import type { Agent, AgentDetails } from '@weft/contract';
import type { AgentRecord } from './agent-store.ts';

export function toAgentResponse(agent: AgentRecord): Agent {
  const { id, ap_id, configuration, emulated_for } = agent;
  return { id, ap_id, configuration: emulated_for === null ? configuration : { ...configuration, emulated: true } };
}

export function toAgentDetails(agent: AgentRecord): AgentDetails {
  return { ...toAgentResponse(agent), onboard: agent.onboard };
}
