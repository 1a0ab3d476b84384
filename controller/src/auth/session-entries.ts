// The audit entries for the ends of tokens and sessions.
import type { NewAuditEntry } from '../audit/audit-entry.ts';
import type { Caller } from '../caller.ts';
import type { SessionRecord } from './session-store.ts';

export function tokenEnded(caller: Caller): NewAuditEntry {
  return { actor: caller, action: 'token_ended', target: { kind: caller.kind, name: caller.name }, detail: {} };
}

export function sessionEnded(actor: Caller, username: string, session: SessionRecord): NewAuditEntry {
  return entry(actor, 'session_ended', username, session);
}

export function sessionExtended(actor: Caller, username: string, session: SessionRecord): NewAuditEntry {
  return entry(actor, 'session_extended', username, session);
}

function entry(actor: Caller, action: string, name: string, session: SessionRecord): NewAuditEntry {
  const { id, address, client, ends_at } = session;
  const detail = { session: id, address, client, ends_at: new Date(ends_at).toISOString() };
  return { actor, action, target: { kind: 'user', name }, detail };
}
