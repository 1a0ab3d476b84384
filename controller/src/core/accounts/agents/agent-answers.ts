// What an agent's record is made of, and what leaves of it: answers, the caller that it is, and what a change of it means to others.
import { randomUUID } from 'node:crypto';
import type { Agent, AgentDetails, AgentFilter, Presence } from '@weft/contract';
import { isDeviceType } from '@weft/contract/selector';
import type { Actor, CallerChange, Principal } from '../../base/caller.ts';
import { NotFoundError, TryLaterError } from '../../base/errors.ts';
import type { VisibleAgent } from '../../base/rights/rights.ts';
import { generateSecret } from '../../base/secrets.ts';
import { revokedHash } from '../../base/storage/ended-agents.ts';
import { type AgentRecord, noLabels, withoutReadOnlyKeys } from './agent-record.ts';
import { etagOfAgent } from './etags.ts';

export interface NewAgent {
  ap_id: string;
  password: string;
  configuration: Record<string, unknown>;
  /** Labels that it begins with. */
  site?: string | null;
  tags?: string[];
}

/** With what decides who may see it, which is not for others. */
export type FoundAgent = Agent & VisibleAgent;

export function toNewRecord(
  { ap_id, configuration, site = null, tags = [] }: NewAgent,
  password_hash: string,
): AgentRecord {
  return {
    id: randomUUID(),
    ap_id,
    password_hash,
    configuration: withoutReadOnlyKeys(configuration),
    onboard: false,
    emulated_for: null,
    ver: generateSecret(),
    created_at: Date.now(),
    ...noLabels,
    site,
    tags,
  };
}

export function toAgentResponse(agent: AgentRecord): Agent {
  const { id, ap_id, configuration, emulated_for } = agent;
  return { id, ap_id, configuration: emulated_for === null ? configuration : { ...configuration, emulated: true } };
}

/** An agent with the ETag of its record, for #13, #14 and #15. */
export interface TaggedAgent {
  agent: Agent;
  etag: string;
}

export function toTaggedAgent(agent: AgentRecord): TaggedAgent {
  return { agent: toAgentResponse(agent), etag: etagOfAgent(agent) };
}

/** For internal use. The end of a run revokes the credentials of its agents. */
export function toListedAgent(agent: AgentRecord): ListedAgent {
  return { ...toAgentResponse(agent), onboard: agent.onboard, ...toVisible(agent), isEnded: hasEnded(agent) };
}

/** It is emulated, and its run is over. */
export function hasEnded({
  emulated_for,
  password_hash,
}: Pick<AgentRecord, 'emulated_for' | 'password_hash'>): boolean {
  return emulated_for !== null && password_hash === revokedHash;
}

/** The same of one agent. */
export function toFoundAgent(agent: AgentRecord): FoundAgent {
  return { ...toAgentResponse(agent), ...toVisible(agent) };
}

function toVisible({ ap_id, emulated_for, display_name, site, tags }: AgentRecord): VisibleAgent {
  return { ap_id, emulated_for, display_name, site, tags };
}

/** What of it leaves. */
export function fromListedAgent({ id, ap_id, configuration, onboard }: ListedAgent): AgentDetails {
  return { id, ap_id, configuration, onboard };
}

export function toPrincipal(agent: AgentRecord): Principal {
  const { id, ap_id: name, ver, emulated_for } = agent;
  return { caller: { kind: 'agent', id, name, ver, ...(emulated_for !== null && { emulated_for }) }, ver };
}

export function toChange({ id, ap_id: name }: AgentRecord, what: 'changed' | 'removed', by: Actor): CallerChange {
  return { kind: 'agent', id, name, what, isRevoked: true, by };
}

export function tooManyAgents(max: number): TryLaterError {
  return new TryLaterError(429, 'too_many_agents', `This installation holds at most ${max} agents`, 3600);
}

/** Throws TryLaterError (429) if there are seconds to wait. */
export function refuseChange(seconds: number): void {
  if (seconds === 0) return;
  const detail = 'This agent has changed itself too often; an administrator still may';
  throw new TryLaterError(429, 'too_many_changes', detail, Math.ceil(seconds));
}

export function agentNotFound(): NotFoundError {
  return new NotFoundError('agent_not_found', 'Agent not found');
}

/**
 * Which agents a list has: by their state, and whether they are emulated. Emulated agents whose run has ended stay for a
 * while, thousands of them, so they are listed only for whoever asks; so are agents of devices, which are no access points.
 */
export interface ListedAgent extends AgentDetails, VisibleAgent {
  /** It is emulated, and its run is over. */
  isEnded: boolean;
}

/** The state of an agent that has not ended. */
export type StateOf = (ap_id: string, configuration: Record<string, unknown>) => Presence | 'never';

export function isListed(agent: ListedAgent, { state, emulated }: AgentFilter, stateOf: StateOf): boolean {
  const { ap_id, configuration, isEnded } = agent;
  if (emulated !== undefined && emulated !== (configuration.emulated === true)) return false;
  if (state === 'all') return true;
  if (isDeviceType(configuration.access_point_type)) return false;
  if (state === undefined || isEnded || state === 'ended') return isEnded === (state === 'ended');
  return stateOf(ap_id, configuration) === state;
}

/** Whether `isListed` asks for states. */
export function needsStates({ state }: AgentFilter): boolean {
  return state !== undefined && state !== 'all' && state !== 'ended';
}
