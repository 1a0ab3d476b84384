// What an agent's record is made of, and what leaves of it: answers, the caller that it is, and what a change of it means to others.
import { randomUUID } from 'node:crypto';
import type { Agent } from '@weft/contract';
import type { Actor, CallerChange, Principal } from '../../base/caller.ts';
import { TryLaterError } from '../../base/errors.ts';
import { generateSecret } from '../../base/secrets.ts';
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

export function toPrincipal(agent: AgentRecord): Principal {
  const { id, ap_id: name, ver, emulated_for } = agent;
  return { caller: { kind: 'agent', id, name, ver, ...(emulated_for !== null && { emulated_for }) }, ver };
}

export function toChange({ id, ap_id: name }: AgentRecord, what: 'changed' | 'removed', by: Actor): CallerChange {
  return { kind: 'agent', id, name, what, isRevoked: true, by };
}

/** Throws TryLaterError (429) if there are seconds to wait. */
export function refuseChange(seconds: number): void {
  if (seconds === 0) return;
  const detail = 'This agent has changed itself too often; an administrator still may';
  throw new TryLaterError(429, 'too_many_changes', detail, Math.ceil(seconds));
}
