// The audit entries for changes of agents and of enrolment tokens.

import type { Actor } from '../../base/caller.ts';
import { changedKeys, keyNames, type NewAuditEntry } from '../audit/audit-entry.ts';
import type { AgentRecord } from './agent-record.ts';
import type { EnrolmentTokenRecord } from './enrolment-token-store.ts';

export function agentCreated(actor: Actor, agent: AgentRecord): NewAuditEntry {
  const action = actor.kind === 'enrolment_token' ? 'agent_enrolled' : 'agent_created';
  return { actor, action, target: toTarget(agent), detail: keyNames(Object.keys(agent.configuration)) };
}

/** Undefined if nothing changed. */
export function agentUpdated(actor: Actor, before: AgentRecord, after: AgentRecord): NewAuditEntry | undefined {
  const keys = changedKeys(before.configuration, after.configuration);
  const fields = [
    ...(before.password_hash === after.password_hash ? [] : ['password']),
    ...(keys.length > 0 ? ['configuration'] : []),
  ];
  if (fields.length === 0) return undefined;
  const detail = { fields, ...(keys.length > 0 && keyNames(keys)) };
  return { actor, action: 'agent_updated', target: toTarget(after), detail };
}

/** Undefined if it was already onboarded: of several concurrent first logins, only one counts. */
export function agentOnboarded(actor: Actor, before: AgentRecord): NewAuditEntry | undefined {
  return before.onboard ? undefined : { actor, action: 'agent_onboarded', target: toTarget(before), detail: {} };
}

/** Undefined if nothing changed. */
export function labelsChanged(actor: Actor, before: AgentRecord, after: AgentRecord): NewAuditEntry | undefined {
  const changed = (['display_name', 'site', 'tags'] as const).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
  if (changed.length === 0) return undefined;
  const valuesOf = (agent: AgentRecord) => Object.fromEntries(changed.map((field) => [field, agent[field]]));
  const detail = { before: valuesOf(before), after: valuesOf(after) };
  return { actor, action: 'labels_changed', target: toTarget(after), detail };
}

export function agentRemoved(actor: Actor, agent: AgentRecord): NewAuditEntry {
  return { actor, action: 'agent_removed', target: toTarget(agent), detail: {} };
}

export function enrolmentTokenCreated(actor: Actor, token: EnrolmentTokenRecord): NewAuditEntry {
  const { id, ap_id_pattern, max_uses } = token;
  const detail = { ap_id_pattern, expires_at: new Date(token.expires_at).toISOString(), max_uses };
  return { actor, action: 'enrolment_token_created', target: { kind: 'enrolment_token', name: id }, detail };
}

export function enrolmentTokenRemoved(actor: Actor, token: EnrolmentTokenRecord): NewAuditEntry {
  const { id, ap_id_pattern, uses } = token;
  const target = { kind: 'enrolment_token', name: id };
  return { actor, action: 'enrolment_token_removed', target, detail: { ap_id_pattern, uses } };
}

function toTarget({ ap_id }: AgentRecord) {
  return { kind: 'agent', name: ap_id };
}
