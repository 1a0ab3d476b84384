// What an agent's record is made of, and what leaves of it: answers, the caller that it is, and what a change of it means to others.
import { randomUUID } from 'node:crypto';
import type { Agent, AgentDetails } from '@weft/contract';
import type { Actor, CallerChange, Principal } from '../caller.ts';
import { NotFoundError } from '../errors.ts';
import { generateSecret } from '../secrets.ts';
import { withoutReadOnlyKeys } from './agent-configuration.ts';
import type { ListedAgent } from './agent-filter.ts';
import { type AgentRecord, revokedHash } from './agent-store.ts';

export interface NewAgent {
  ap_id: string;
  password: string;
  configuration: Record<string, unknown>;
}

/** With the id of the caller that created the emulated network, which is not for others. */
export type FoundAgent = Agent & Pick<AgentRecord, 'emulated_for'>;

export function toNewRecord({ ap_id, configuration }: NewAgent, password_hash: string): AgentRecord {
  return {
    id: randomUUID(),
    ap_id,
    password_hash,
    configuration: withoutReadOnlyKeys(configuration),
    onboard: false,
    emulated_for: null,
    ver: generateSecret(),
    created_at: Date.now(),
  };
}

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

export function toPrincipal(agent: AgentRecord): Principal {
  const { id, ap_id: name, ver } = agent;
  return { caller: { kind: 'agent', id, name, ver }, ver };
}

export function toChange({ id, ap_id: name }: AgentRecord, what: 'changed' | 'removed', by: Actor): CallerChange {
  return { kind: 'agent', id, name, what, isRevoked: true, by };
}

export function agentNotFound(): NotFoundError {
  return new NotFoundError('agent_not_found', 'Agent not found');
}
